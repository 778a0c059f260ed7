// What happens around a compaction by ranges: what is sent next, calls beside it, aborts, and what followers see.
import { describe, expect, it } from 'vitest'
import type { CompactionHooks } from '../../src/agent/hooks.ts'
import { reminder } from '../say.ts'
import {
  lastResult,
  type Replacement,
  rangeCall,
  transcript,
  violations,
  wireLines,
} from './transcript.ts'

const OPENING = '"[earlier conversation compacted]"'
const CONTINUE = 'The thread was compacted. Continue.'

/** An answer that thinks, lists and compacts at once. */
function besideList(...replacements: readonly Replacement[]) {
  const { calls = [] } = rangeCall(...replacements)
  return {
    thinking: 'both',
    calls: [
      ...calls.map((call) => ({ ...call, id: 'compact' })),
      { id: 'beside', name: 'list', arguments: {} },
    ],
  }
}

describe('after a compaction', () => {
  it('the agent goes on by itself, with a reminder and its checkpoint last [RANGE-56]', async () => {
    const { agent, threadId, dev, c, eventsOf } = await transcript()
    const asked = dev.requests.length
    dev.script([rangeCall({ to: c, summary: 'S' }), { text: 'on it' }])
    const outcome = await agent.sendMessage(threadId, 'go')
    expect(outcome).toMatchObject({ status: 'done', text: 'on it' })
    expect(dev.requests).toHaveLength(asked + 2)
    const [last] = (await eventsOf('SYSTEM_REMINDER')).slice(-1)
    expect(last?.data).toBe(CONTINUE)
    const [checkpoint] = (await eventsOf('CHECKPOINT')).slice(-1)
    expect(checkpoint?.seq).toBe((last?.seq ?? 0) + 1)
    expect(wireLines(dev.requests.at(-1)).at(-1)).toBe('user[reminder, <cp>]')
    expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain(CONTINUE)
  })

  it('a leading answer is sent behind words that are stored nowhere [RANGE-52]', async () => {
    const { agent, threadId, dev, c, lines, events } = await transcript()
    dev.script([rangeCall({ to: c, summary: 'S' }), { text: 'done' }])
    await agent.sendMessage(threadId, 'go')
    expect((await lines()).slice(0, 2)).toEqual(['assistant["S"]', 'assistant["content3"]'])
    expect(wireLines(dev.requests.at(-1))).toEqual([
      `user[${OPENING}]`,
      'assistant["S", "content3"]',
      'user["go", <cp>]',
      'assistant["I compacted the thread"]',
      'user[reminder, <cp>]',
    ])
    expect(JSON.stringify(await events())).not.toContain('[earlier conversation compacted]')
    expect(violations(dev)).toEqual([])
  })

  it('its call is a sentence among what else was said, and nothing waits for a result [RANGE-53, RANGE-55]', async () => {
    const { agent, threadId, dev, a, b, lines, eventsOf, threads } = await transcript()
    const results = await eventsOf('TOOL_RESULT')
    const call = rangeCall({ from: a, to: b, summary: 'S' })
    dev.script([{ thinking: 'full', text: 'I tidy up.', ...call }, { text: 'done' }])
    await agent.sendMessage(threadId, 'go')
    expect((await lines()).slice(-4)).toEqual([
      'user["go", <d>]',
      'assistant["I tidy up.", "I compacted the thread"]',
      'user[reminder, <e>]',
      'assistant["done"]',
    ])
    expect(await eventsOf('TOOL_RESULT')).toEqual(results)
    expect((await threads.context(threadId)).open.size).toBe(0)
    expect(violations(dev)).toEqual([])
  })

  it('nothing is left of a call that the range covers [RANGE-54, RANGE-55]', async () => {
    const { agent, threadId, dev, a, lines } = await transcript()
    dev.script([{ text: 'I tidy up.', ...rangeCall({ from: a, summary: 'S' }) }, { text: 'done' }])
    await agent.sendMessage(threadId, 'go')
    expect(await lines()).toEqual([
      'user["content", <a>]',
      'assistant["S"]',
      'user[reminder, <e>]',
      'assistant["done"]',
    ])
    expect(violations(dev)).toEqual([])
  })

  it('user text about reminders, images and calls that stay are what they were, to the byte [RANGE-34, RANGE-39, RANGE-40]', async () => {
    const { agent, threadId, dev, a, b, threads } = await transcript()
    const said = 'Why does <system-reminder>this</system-reminder> stand in my log?'
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='
    await agent.sendMessage(threadId, [
      { type: 'text', text: said },
      { type: 'image', media: { mimeType: 'image/png', data: png } },
    ])
    const kept = async () =>
      (await threads.messages(threadId)).messages.flatMap(({ parts }) =>
        parts.filter(({ type }) => !['thinking', 'system_reminder', 'checkpoint'].includes(type)),
      )
    const before = await kept()
    const summary = '  S, word\n for word  '
    dev.script([rangeCall({ from: a, to: b, summary }), { text: 'done' }])
    await agent.sendMessage(threadId, 'go')
    const after = await kept()
    expect(after[1]).toEqual({ type: 'text', text: summary })
    const first = before.findIndex((part) => part.type === 'text' && part.text === 'second')
    const rest = before.slice(first)
    expect(JSON.stringify(after.slice(2, 2 + rest.length))).toBe(JSON.stringify(rest))
    expect(JSON.stringify(rest)).toContain(said)
    expect(JSON.stringify(rest)).toContain(png)
    expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain(png)
  })

  it('messages of nothing but reminders or thinking are gone, and none is sent empty [RANGE-41]', async () => {
    const { agent, threadId, dev, a, b, threads, lines } = await transcript()
    await threads.append(threadId, [reminder('only this')])
    dev.script([{ thinking: 'only this' }])
    await agent.resume(threadId)
    expect((await lines()).slice(-2)).toEqual(['user[reminder]', 'assistant[thinking]'])
    dev.script([rangeCall({ from: a, to: b, summary: 'S' }), { text: 'done' }])
    await agent.sendMessage(threadId, 'go')
    expect((await lines()).slice(-5, -2)).toEqual([
      'assistant["content3"]',
      'user["go", <d>]',
      'assistant["I compacted the thread"]',
    ])
    for (const request of dev.requests)
      for (const { content } of (request.body as { messages: { content: unknown[] }[] }).messages)
        expect(content.length).toBeGreaterThan(0)
    expect(violations(dev)).toEqual([])
  })

  it('followers have seen one change, however many ranges it had [RANGE-25]', async () => {
    const { agent, threadId, dev, a, b, c, threads, frames } = await transcript()
    const { version } = await threads.context(threadId)
    const stop = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      for await (const { type, seq } of threads.follow(threadId, version, stop.signal)) {
        seen.push(type)
        if (type === 'AGENT_MESSAGE' && seq > version + 6) break
      }
    })()
    frames.length = 0
    dev.script([
      rangeCall(
        { to: a, summary: 'S1' },
        { from: a, to: b, summary: '' },
        { from: b, to: c, summary: 'S2' },
      ),
      { text: 'done' },
    ])
    await agent.sendMessage(threadId, 'go')
    await following
    stop.abort()
    expect(seen).toEqual([
      'USER_MESSAGE',
      'SYSTEM_REMINDER',
      'CHECKPOINT',
      'AGENT_MESSAGE',
      'TOOL_CALL',
      'COMPACTION',
      'SYSTEM_REMINDER',
      'CHECKPOINT',
      'AGENT_MESSAGE',
    ])
    for (const type of ['COMPACTION_START', 'COMPACTION_COMPLETE'])
      expect(frames.filter((frame) => frame.type === type)).toHaveLength(1)
  })
})

describe('a compaction beside other calls', () => {
  it('comes after their results, which are kept, and is closed as a call [RANGE-55, RANGE-57, RANGE-58]', async () => {
    const setup = await transcript()
    const { agent, threadId, dev, a, c, lines, events } = setup
    dev.script([besideList({ from: a, to: c, summary: 'S' }), { text: 'done' }])
    await agent.sendMessage(threadId, 'go')
    expect(await lines()).toEqual([
      'user["content", <a>]',
      'assistant["S"]',
      'assistant["content3"]',
      'user["go", <d>]',
      'assistant[thinking, call compact, call beside]',
      'user[result compact, result beside, reminder, <e>]',
      'assistant["done"]',
    ])
    expect(await lastResult(setup, threadId)).toEqual({
      status: 'completed',
      text: 'I compacted the thread',
    })
    const order = (await events())
      .filter(({ type }) => type === 'TOOL_RESULT' || type === 'COMPACTION')
      .slice(-3)
      .map((event) => (event.type === 'TOOL_RESULT' ? event.data.id : event.type))
    expect(order).toEqual(['toolu_beside', 'COMPACTION', 'toolu_compact'])
    expect(violations(dev)).toEqual([])
  })

  it('without an end stops before the answer that it stands in [RANGE-57]', async () => {
    const { agent, threadId, dev, a, lines } = await transcript()
    dev.script([besideList({ from: a, summary: 'S' }), { text: 'done' }])
    await agent.sendMessage(threadId, 'go')
    expect(await lines()).toEqual([
      'user["content", <a>]',
      'assistant["S"]',
      'assistant[thinking, call compact, call beside]',
      'user[result compact, result beside, reminder, <e>]',
      'assistant["done"]',
    ])
    expect(violations(dev)).toEqual([])
  })

  it('is done once where it is called twice', async () => {
    const { agent, threadId, dev, a, b, eventsOf } = await transcript()
    const { calls = [] } = rangeCall({ from: a, to: b, summary: 'S' })
    dev.script([{ calls: [...calls, ...calls] }, { text: 'done' }])
    await agent.sendMessage(threadId, 'go')
    expect(await eventsOf('COMPACTION')).toHaveLength(1)
    const statuses = (await eventsOf('TOOL_RESULT')).slice(-2).map(({ data }) => data.status)
    expect(statuses.toSorted()).toEqual(['completed', 'failed'])
    expect(violations(dev)).toEqual([])
  })
})

describe('a compaction that is aborted while it is pending', () => {
  it('is answered as aborted, and nothing of it is done [RANGE-59]', async () => {
    let abort = async () => undefined as unknown
    const hooks: CompactionHooks = {
      before: (_run, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(undefined))
          void abort()
        }),
    }
    const setup = await transcript({ agent: { hooks: [hooks] } })
    const { agent, threadId, dev, a, b, c, threads, eventsOf, frames } = setup
    abort = () => agent.abort(threadId)
    const asked = dev.requests.length
    let before: readonly unknown[] = []
    dev.script([
      async () => {
        before = (await threads.messages(threadId)).messages
        return rangeCall({ from: a, to: b, summary: 'S' }, { from: b, to: c, summary: 'T' })
      },
    ])
    expect((await agent.sendMessage(threadId, 'go')).status).toBe('aborted')
    expect(await lastResult(setup, threadId)).toEqual({ status: 'aborted', text: 'aborted' })
    expect(await eventsOf('COMPACTION')).toEqual([])
    const { messages } = await threads.messages(threadId)
    expect(JSON.stringify(messages.slice(0, before.length))).toBe(JSON.stringify(before))
    expect(dev.requests).toHaveLength(asked + 1)
    const ends = frames.filter(({ type }) => type === 'COMPACTION_COMPLETE')
    expect(ends).toMatchObject([{ success: false, end: 'aborted' }])
    dev.script([{ text: 'still here' }])
    expect(await agent.sendMessage(threadId, 'and now?')).toMatchObject({ text: 'still here' })
    expect(violations(dev)).toEqual([])
  })
})
