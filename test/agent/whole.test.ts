// WHOLE through the real loop: the agent replaces the thread with one summary and the files it names.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/core/log/event.ts'
import type { Json } from '../../src/core/text/json.ts'
import { ThreadView } from '../../src/protocol/view.ts'
import { renderThreadToMarkdown } from '../../src/strategies/fold/render-thread.ts'
import { randomIds, systemClock } from '../../src/system.ts'
import { createThreads } from '../../src/threads/threads.ts'
import type { SetupOptions } from './setup.ts'
import {
  compactCall,
  lastResult,
  REMINDER,
  type Transcript,
  transcript,
  violations,
  wireLines,
} from './transcript.ts'

function wholeThread(options: SetupOptions = {}): Promise<Transcript> {
  return transcript({ preset: 'whole', ...options })
}

/** Says «go», and lets the agent answer with a call to `compact`, then with `done`. */
async function compactBy({ agent, dev, threadId }: Transcript, input: Json) {
  dev.script([compactCall(input), { text: 'done' }])
  return agent.sendMessage(threadId, 'go')
}

/** What an interface draws of a log. */
function blocksOf(events: readonly ThreadEvent[]): string {
  const view = new ThreadView()
  for (const event of events) view.apply({ kind: 'event', event })
  return JSON.stringify(view.blocks)
}

const OPENING = 'user["[earlier conversation compacted]"]'

describe('compact with one summary', () => {
  it('leaves the summary alone, and waits for the user [WHOLE-05, WHOLE-07, WHOLE-08, WHOLE-12, WHOLE-15, WHOLE-18, WHOLE-24]', async () => {
    const whole = await wholeThread()
    const { agent, threadId, dev, lines, threads, eventsOf } = whole
    const results = await eventsOf('TOOL_RESULT')
    const asked = dev.requests.length
    const summary = '  S, as\n it was written  '
    expect((await compactBy(whole, { summary })).status).toBe('waiting')
    expect(dev.requests).toHaveLength(asked + 1)
    expect(await lines()).toEqual([`assistant[${JSON.stringify(summary)}]`])
    expect(await eventsOf('TOOL_RESULT')).toEqual(results)
    expect((await threads.context(threadId)).open.size).toBe(0)
    expect(await agent.sendMessage(threadId, 'next')).toMatchObject({ text: 'done' })
    expect(wireLines(dev.requests.at(-1))).toEqual([
      OPENING,
      `assistant[${JSON.stringify(summary)}]`,
      'user["next", reminder]',
    ])
    expect(violations(dev)).toEqual([])
  })

  it('puts no message of files where none are named [WHOLE-07]', async () => {
    const whole = await wholeThread()
    await compactBy(whole, { summary: 'S', contextFiles: [] })
    expect(await whole.lines()).toEqual(['assistant["S"]'])
  })

  it('goes on with the continuation as a message of the user [WHOLE-14, WHOLE-24]', async () => {
    const whole = await wholeThread()
    const { dev, lines, eventsOf } = whole
    const outcome = await compactBy(whole, { summary: 'S', continuation: 'Now the tests.' })
    expect(outcome).toMatchObject({ status: 'done', text: 'done' })
    expect(await lines()).toEqual([
      'assistant["S"]',
      'user["Now the tests.", reminder]',
      'assistant["done"]',
    ])
    expect(wireLines(dev.requests.at(-1))).toEqual([
      OPENING,
      'assistant["S"]',
      'user["Now the tests.", reminder]',
    ])
    expect((await eventsOf('SYSTEM_REMINDER')).map(({ data }) => data)).toEqual(
      Array.from({ length: 5 }, () => REMINDER),
    )
    expect(violations(dev)).toEqual([])
  })

  it('swallows the calls beside it, once they have their results [WHOLE-18]', async () => {
    const { agent, threadId, dev, lines, events } = await wholeThread()
    const { calls = [] } = compactCall({ summary: 'S', continuation: 'On.' })
    dev.script([
      { calls: [...calls, { id: 'beside', name: 'list', arguments: {} }] },
      { text: 'done' },
    ])
    await agent.sendMessage(threadId, 'go')
    expect(await lines()).toEqual(['assistant["S"]', 'user["On.", reminder]', 'assistant["done"]'])
    const types = (await events()).map(({ type }) => type)
    expect(types.lastIndexOf('TOOL_RESULT')).toBeLessThan(types.indexOf('COMPACTION'))
    expect(violations(dev)).toEqual([])
  })

  it('is one change for followers, and what others read is up to date [WHOLE-25]', async () => {
    const whole = await wholeThread()
    const { threads, threadId, store, frames } = whole
    const { version } = await threads.context(threadId)
    const seen: string[] = []
    const stop = new AbortController()
    const following = (async () => {
      for await (const { type } of threads.follow(threadId, version, stop.signal)) {
        seen.push(type)
        if (type === 'COMPACTION') break
      }
    })()
    frames.length = 0
    await compactBy(whole, { summary: 'S' })
    await following
    stop.abort()
    expect(seen.slice(-3)).toEqual(['AGENT_MESSAGE', 'TOOL_CALL', 'COMPACTION'])
    expect((await threads.context(threadId)).version).toBe(version + seen.length)
    for (const type of ['COMPACTION_START', 'COMPACTION_COMPLETE'])
      expect(frames.filter((frame) => frame.type === type)).toHaveLength(1)
    const reader = createThreads({ store, clock: systemClock, ids: randomIds })
    expect(await threads.messages(threadId)).toEqual(await reader.messages(threadId))
  })
})

describe('context files', () => {
  it('stand before the summary as they are now, each once and in order; what was only mentioned does not [WHOLE-06, WHOLE-09, WHOLE-10, WHOLE-11, WHOLE-21, WHOLE-24]', async () => {
    const whole = await wholeThread()
    const { folder, agent, threadId, dev, threads } = whole
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'src/a.ts'), 'old text of a')
    writeFileSync(join(folder, 'b.md'), 'text of b')
    writeFileSync(join(folder, 'other.md'), 'text that nobody named')
    writeFileSync(join(folder, 'blob.bin'), Buffer.from([0, 1, 2, 0xff, 0xfe, 0]))
    symlinkSync('/etc/hostname', join(folder, 'link'))
    const read = (path: string) => ({ name: 'read', arguments: { path } })
    dev.script([{ calls: [read('src/a.ts'), read('other.md')] }, { text: 'I see.' }])
    await agent.sendMessage(threadId, 'Read src/a.ts and other.md.')
    writeFileSync(join(folder, 'src/a.ts'), 'new text of a')
    await compactBy(whole, {
      summary: 'S',
      contextFiles: ['b.md', 'src/a.ts', './b.md', 'gone.ts', 'blob.bin', '../up.ts', 'link'],
    })
    const { messages } = await threads.messages(threadId)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(messages[1]?.parts).toEqual([{ type: 'text', text: 'S' }])
    const [part] = messages[0]?.parts ?? []
    const text = part?.type === 'text' ? part.text : ''
    const places = ['b.md\n', 'text of b', 'src/a.ts\n', 'new text of a', 'gone.ts: ', 'blob.bin: ']
      .concat('../up.ts: ', 'link: ')
      .map((words) => text.indexOf(words))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(text.split('text of b')).toHaveLength(2)
    for (const absent of ['old text of a', 'other.md', 'nobody named'])
      expect(text).not.toContain(absent)
    dev.script([{ text: 'done' }])
    await agent.sendMessage(threadId, 'next')
    expect(JSON.stringify(dev.requests.at(-1)?.body)).not.toContain('nobody named')
    expect(violations(dev)).toEqual([])
  })

  it('are limited in all, with a note [WHOLE-11]', async () => {
    const whole = await wholeThread()
    const { folder, threads, threadId } = whole
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), name.repeat(70_000))
    await compactBy(whole, { summary: 'S', contextFiles: ['a', 'b', 'c'] })
    const [part] = (await threads.messages(threadId)).messages[0]?.parts ?? []
    const text = part?.type === 'text' ? part.text : ''
    expect(text.length).toBeLessThan(101_000)
    expect(text).toContain('[cut here')
    expect(text).toContain('c: left out')
  })
})

describe('the thread in this mode', () => {
  it('has no checkpoints anywhere: typed, in results, compacted, continued, or asked for [WHOLE-16, WHOLE-17, WHOLE-22]', async () => {
    const whole = await wholeThread()
    const { agent, threadId, dev, threads, events, eventsOf } = whole
    await compactBy(whole, { summary: 'S', continuation: 'On.' })
    dev.script([compactCall({ summary: 'T' })])
    await agent.sendMessage(threadId, '/compact')
    await agent.sendMessage(threadId, 'next')
    expect(dev.requests.length).toBeGreaterThan(6)
    expect(await eventsOf('CHECKPOINT')).toEqual([])
    for (const { body } of dev.requests)
      expect(JSON.stringify(body)).not.toMatch(/checkpoint|replacements|"from"|"to"/i)
    // Nor in what others make of the thread: its messages, its page, what an interface draws.
    const { messages } = await threads.messages(threadId)
    expect(JSON.stringify(messages)).not.toMatch(/checkpoint/i)
    expect(renderThreadToMarkdown(messages).markdown).not.toMatch(/checkpoint/i)
    expect(blocksOf(await events())).not.toMatch(/checkpoint/i)
  })

  it('shows none that another preset has left, and is valid all the same [WHOLE-16]', async () => {
    const { agent, threadId, dev, a, lines, events } = await transcript()
    await agent.sendMessage(threadId, '/preset whole')
    const asked = dev.requests.length
    dev.script([
      { text: 'ok' },
      { calls: [{ id: '3', name: 'list', arguments: {} }] },
      { text: 'ok' },
      { text: 'ok' },
    ])
    await agent.sendMessage(threadId, 'more')
    await agent.sendMessage(threadId, 'and more')
    for (const { body } of dev.requests.slice(asked))
      expect(JSON.stringify(body)).not.toContain('<checkpoint:')
    // They are in the log, and on no screen.
    expect((await lines()).join('')).toContain('<c>')
    expect(blocksOf(await events())).not.toMatch(new RegExp(`checkpoint:|${a}`, 'i'))
    await agent.sendMessage(threadId, '/preset range')
    await agent.sendMessage(threadId, 'back')
    expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain(`<checkpoint:${a}>`)
    expect(violations(dev)).toEqual([])
  })

  it('stays as it is where the input is wrong, and the agent hears what is [WHOLE-01, WHOLE-02, WHOLE-03, WHOLE-04, WHOLE-13, WHOLE-17]', async () => {
    const whole = await wholeThread()
    const { agent, threadId, dev, threads, eventsOf } = whole
    const rows = [
      [{}, 'summary'],
      [{ summary: 17 }, '`summary` must be a string, got 17'],
      [{ summary: 'S', contextFiles: 'a.ts' }, '`contextFiles` must be an array'],
      [{ summary: 'S', contextFiles: ['a.ts', 4] }, 'contextFiles[1]'],
      [{ summary: 'S', continuation: false }, '`continuation` must be a string'],
      [{ summary: ' \n ' }, 'empty'],
      [{ replacements: [{ summary: 'S' }] }, 'unknown field `replacements`'],
      [{ summary: 'S', from: 'aaaaaa' }, 'unknown field `from`'],
      [{ summary: 'S', to: 'aaaaaa' }, 'unknown field `to`'],
    ] as const
    const { messages: before } = await threads.messages(threadId)
    dev.script([...rows.map(([input]) => compactCall(input)), { text: 'done' }])
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'done', text: 'done' })
    const results = (await eventsOf('TOOL_RESULT')).slice(-rows.length)
    for (const [at, [, words]] of rows.entries()) {
      expect(results[at]?.data.status).toBe('failed')
      expect(results[at]?.data.content[0]?.text).toContain(words)
    }
    const { messages: after } = await threads.messages(threadId)
    expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before))
    expect(await eventsOf('COMPACTION')).toEqual([])
    expect((await lastResult(whole, threadId))?.text).toContain('"summary": "…"')
    expect(violations(dev)).toEqual([])
  })
})
