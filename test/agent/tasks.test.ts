// Tasks in threads of their own: their own window, their own compactions, their bill on the result.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/core/log/event.ts'
import { aggregateTokenUsage, billedUsage } from '../../src/core/window/usage.ts'
import type { Asked, ScriptFunction } from '../../src/dev-model/index.ts'
import { asksForSummary, longPast, runsIn, textOf } from './past.ts'
import { setUpAgent } from './setup.ts'

const isTask = ({ turns }: Asked) => JSON.stringify(turns[0]).includes('Count the files.')

/** The parent gives a task and then ends; what the task does is for the test to say. */
function withTask(inTask: ScriptFunction): ScriptFunction {
  let given = false
  return (asked, body) => {
    if (asksForSummary(asked)) return { text: 'In short.' }
    if (isTask(asked)) return inTask(asked, body)
    if (given) return { text: 'All done.' }
    given = true
    return { calls: [{ name: 'task', arguments: { prompt: 'Count the files.', title: 'count' } }] }
  }
}

describe('a task', () => {
  it('returns its answer and its bill with the result [LOG-87]', async () => {
    const { agent, threadId, threads, dev, events, eventsOf } = await setUpAgent()
    dev.script(withTask(() => ({ text: 'There are three.' })))
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ text: 'All done.' })
    const { tools } = (dev.requests[0]?.body ?? {}) as { tools?: { name: string }[] }
    expect(tools?.find(({ name }) => name === 'task')).toMatchObject({
      input_schema: {
        properties: { prompt: { type: 'string' }, title: { type: 'string' } },
        required: ['prompt'],
        additionalProperties: false,
      },
    })
    const [result] = await eventsOf('TOOL_RESULT')
    expect(result?.data.content).toEqual([{ type: 'text', text: 'There are three.' }])
    const { threadId: below = '' } = (result?.data.metadata ?? {}) as { threadId?: string }
    const { eventCount: _, ...billed } = billedUsage(await threads.usage(below))
    expect(result?.data.tokenUsage).toEqual(billed)
    const asked = dev.requests.find((request) => request.asked && isTask(request.asked))
    expect(billed.promptTokens).toBe(asked?.usage?.inputTokens)
    const answers = (await eventsOf('AGENT_MESSAGE')).map(({ data }) => data.tokenUsage)
    const total = [...answers, result?.data.tokenUsage].reduce(
      (sum, usage) => sum + (usage?.totalTokens ?? 0),
      0,
    )
    expect(aggregateTokenUsage(await events()).totalTokens).toBe(total)
    expect((await threads.usage(threadId)).conversation.totalTokens).toBe(total)
  })

  it('has a window of its own, and is compacted in it [NEED-10]', async () => {
    const { agent, threadId, threads, dev, folder, frames, eventsOf } = await setUpAgent({
      windowTokens: 12_000,
    })
    writeFileSync(join(folder, 'long.txt'), textOf(4_500))
    let reads = 0
    dev.script(
      withTask(() => {
        reads += 1
        if (reads > 3) return { text: 'There are three.' }
        return { calls: [{ name: 'read', arguments: { path: 'long.txt' } }] }
      }),
    )
    await threads.import(threadId, longPast(5_000))
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ text: 'All done.' })
    const below = (await eventsOf('TOOL_RESULT')).at(-1)?.data.metadata as { threadId: string }
    const runs = runsIn(frames)
    expect(runs.length).toBeGreaterThan(0)
    expect(new Set(runs.map((run) => run.threadId))).toEqual(new Set([below.threadId]))
    expect(await eventsOf('COMPACTION')).toEqual([])
    const own = (await threads.getAllEvents(below.threadId)) as ThreadEvent[]
    expect(own.some(({ type }) => type === 'COMPACTION')).toBe(true)
    expect(dev.requests.every(({ outcome }) => outcome === 'answered')).toBe(true)
  })

  it('ends with the turn that it is for', async () => {
    const { agent, threadId, dev, eventsOf } = await setUpAgent()
    dev.script(
      withTask(() => {
        void agent.abort(threadId)
        return new Promise(() => undefined)
      }),
    )
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'aborted' })
    expect((await eventsOf('TOOL_RESULT'))[0]?.data.status).toBe('aborted')
  })

  it('that fails says so with the error and what was said, on its bill', async () => {
    const { agent, threadId, dev, eventsOf } = await setUpAgent({ agent: { limits: { steps: 1 } } })
    dev.script(withTask(() => ({ text: 'I look.', calls: [{ name: 'list', arguments: {} }] })))
    await agent.sendMessage(threadId, 'go')
    const [{ data } = {}] = await eventsOf('TOOL_RESULT')
    expect(data).toMatchObject({
      status: 'failed',
      tokenUsage: { totalTokens: expect.any(Number) },
    })
    expect(data?.content[0]?.text).toBe(
      'The task ended early (step-limit). The turn was stopped after 1 request. Send «continue» to continue.\nI look.',
    )
  })

  it.each([
    ['no prompt', { title: 'count' }],
    ['a blank one', { prompt: ' \n' }],
    ['one that is no text', { prompt: 5 }],
    ['no object', ['Count the files.']],
  ])('with %s is not begun', async (_, input) => {
    const { agent, threadId, dev, eventsOf } = await setUpAgent()
    dev.script([
      { calls: [{ name: 'task', arguments: input as object as never }] },
      { text: 'I see.' },
    ])
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ text: 'I see.' })
    expect((await eventsOf('TOOL_RESULT')).map(({ data }) => data)).toMatchObject([
      { status: 'failed', content: [{ text: 'prompt: a text is needed that says what to do.' }] },
    ])
    expect(dev.requests).toHaveLength(2)
  })

  it('below a task is not offered beyond the limit, and shows its title or what it is asked', async () => {
    const { agent, threadId, dev, frames } = await setUpAgent({ agent: { limits: { depth: 1 } } })
    const offered: boolean[] = []
    dev.script((asked) => {
      offered.push(asked.tools.some(({ name }) => name === 'task'))
      if (isTask(asked)) return { text: 'Three.' }
      if (offered.length > 1) return { text: 'All done.' }
      const prompt = `Count the files. ${'Each of them. '.repeat(20)}`
      return {
        calls: [{ prompt }, { prompt, title: 'count' }].map((input) => ({
          name: 'task',
          arguments: input,
        })),
      }
    })
    await agent.sendMessage(threadId, 'go')
    expect(offered).toEqual([true, false, false, true])
    const subjects = frames.flatMap((frame) => (frame.type === 'tool-start' ? [frame.subject] : []))
    expect(subjects).toEqual([
      `Count the files. ${'Each of them. '.repeat(20)}`.slice(0, 80),
      'count',
    ])
  })
})

describe('results', () => {
  it('are capped when they come in, so that one cannot fill the window [NEED-10]', async () => {
    const { agent, threadId, dev, folder, frames, eventsOf } = await setUpAgent({
      windowTokens: 12_000,
    })
    writeFileSync(join(folder, 'long.txt'), textOf(60_000))
    const command = 'cat long.txt'
    dev.script([{ calls: [{ name: 'run', arguments: { command } }] }, { text: 'Long.' }])
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ text: 'Long.' })
    expect((await eventsOf('TOOL_RESULT'))[0]?.data.content[0]?.text?.length).toBeGreaterThan(
      200_000,
    )
    expect(runsIn(frames)).toEqual([])
    expect(dev.requests.at(-1)?.usage?.inputTokens).toBeLessThan(9_600)
  })
})
