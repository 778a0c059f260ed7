// `whole-summary` by a model, in the real agent: one summary in place of everything, as the agent's own would be.
import { describe, expect, it } from 'vitest'
import { WHOLE_SUMMARY } from '../../src/strategies/summary/whole-summary.ts'
import { runsIn, textOf } from '../agent/past.ts'
import { lastMessages, type SetupOptions, setUpAgent } from '../agent/setup.ts'
import { violations } from '../agent/transcript.ts'
import { answer, result, system, user } from '../say.ts'

const SUMMARY = 'The parser is fixed; the tests of the lexer are next.'
const PAST = [
  system('Be kind.'),
  user('Fix the parser.'),
  ...answer('Reading.', 'a'),
  result('a', 'one\ntwo\nthree\nfour'),
  ...answer('Fixed.'),
]

async function setUp(options: SetupOptions = {}) {
  const setup = await setUpAgent({ preset: 'fresh', ...options })
  await setup.threads.import(setup.threadId, PAST)
  return setup
}

describe('whole-summary by a model', () => {
  it('leaves one assistant message with the summary, and nothing else [WHOLE-07, WHOLE-08, WHOLE-15]', async () => {
    const { agent, dev, threads, threadId, frames, eventsOf } = await setUp()
    const { messages: before } = await threads.messages(threadId)
    dev.script([{ text: SUMMARY }, { text: 'Yes.' }])
    expect(await agent.sendMessage(threadId, '/strategy whole-summary')).toMatchObject({
      reply: { ok: true },
    })
    expect(await agent.sendMessage(threadId, '/compact')).toMatchObject({ reply: { ok: true } })
    expect(runsIn(frames)).toMatchObject([{ success: true, strategy: 'whole-summary' }])
    expect((await threads.messages(threadId)).messages).toEqual([
      { role: 'assistant', parts: [{ type: 'text', text: SUMMARY }] },
    ])
    const [event] = await eventsOf('COMPACTION')
    expect(event?.data).toMatchObject({
      strategyId: 'whole-summary',
      usage: { totalTokens: expect.any(Number) },
      metadata: { summaryLength: SUMMARY.length },
    })
    expect(await agent.sendMessage(threadId, 'Go on.')).toMatchObject({ text: 'Yes.' })
    expect(violations(dev)).toEqual([])
    await threads.undo(threadId)
    expect((await threads.messages(threadId)).messages.slice(0, before.length)).toEqual(before)
  })

  it('asks in the conversation, with the words of the user, or apart where that is set [LOG-41]', async () => {
    const { agent, dev, threadId } = await setUp()
    dev.script(() => ({ text: SUMMARY }))
    await agent.compact(threadId, { strategy: 'whole-summary', instructions: 'keep the port' })
    expect(lastMessages(dev).at(-1)?.text).toBe(`${WHOLE_SUMMARY}\n\nThe user adds: keep the port`)
    expect(lastMessages(dev)[0]?.text).toBe('Fix the parser.')
    const apart = await setUp({ settings: { summaries: { form: 'apart' } } })
    apart.dev.script(() => ({ text: SUMMARY }))
    await apart.agent.compact(apart.threadId, { strategy: 'whole-summary' })
    expect(apart.dev.requests.at(-1)?.asked).toMatchObject({ tools: [] })
    expect(lastMessages(apart.dev)[0]?.text).toMatch(/^<conversation>\n\[User\]: Fix the parser\./)
  })

  it('says that it needs a model, and asks nobody about an empty thread', async () => {
    const { agent, threads, threadId, dev } = await setUp()
    await expect(threads.compact(threadId, 'whole-summary')).rejects.toMatchObject({
      code: 'no-model',
      message: 'whole-summary requires a model',
    })
    const empty = await threads.create()
    expect(await agent.compact(empty, { strategy: 'whole-summary' })).toMatchObject({
      success: true,
    })
    expect(dev.requests).toEqual([])
  })

  it('leaves a round alone whose calls are still open [ALWAYS-04]', async () => {
    const { threads, threadId, agent, dev } = await setUp()
    await threads.import(threadId, [user('Once more.'), ...answer('Running.', 'b')])
    dev.script(() => ({ text: SUMMARY }))
    expect(await agent.compact(threadId, { strategy: 'whole-summary' })).toMatchObject({
      success: true,
    })
    const items = (await threads.context(threadId)).items.toArray()
    expect(items.map(({ kind }) => kind)).toEqual(['answer', 'answer'])
    await threads.append(threadId, [result('b', 'ran')])
    expect((await threads.messages(threadId)).problems).toEqual([])
  })

  it('keeps what is pinned right behind the summary [ALWAYS-21]', async () => {
    const { threads, threadId, agent, dev } = await setUp()
    await threads.pin(threadId, { text: 'Never push.' })
    dev.script(() => ({ text: SUMMARY }))
    await agent.compact(threadId, { strategy: 'whole-summary' })
    const { messages } = await threads.messages(threadId)
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'user'])
    expect(JSON.stringify(messages[1])).toContain('Never push.')
  })
})

describe('whole-summary by itself, at 0.8 of the window', () => {
  const SMALL = { preset: 'fold', windowTokens: 12_000, outputTokens: 1_500 } as const

  it('leaves what the user just asked, and answers it [ALWAYS-10, ALWAYS-19]', async () => {
    const { agent, dev, threads, threadId, frames } = await setUp(SMALL)
    await threads.import(threadId, [user('Read it.'), ...answer(textOf(9_600))])
    await agent.sendMessage(threadId, '/strategy whole-summary')
    dev.script((asked) =>
      JSON.stringify(asked.turns.at(-1)).includes('replaced by one summary')
        ? { text: SUMMARY }
        : { text: 'It was 8080.' },
    )
    const outcome = await agent.sendMessage(threadId, 'Which port was it?')
    expect(outcome).toMatchObject({ status: 'done', text: 'It was 8080.' })
    expect(runsIn(frames)).toMatchObject([
      { success: true, trigger: 'auto', strategy: 'whole-summary' },
    ])
    expect(JSON.stringify(lastMessages(dev))).toContain('Which port was it?')
    expect(JSON.stringify(lastMessages(dev))).toContain(SUMMARY)
    expect(violations(dev)).toEqual([])
  })

  it('goes on in the middle of a task [ALWAYS-10]', async () => {
    const { agent, dev, threadId, frames } = await setUp(SMALL)
    await agent.sendMessage(threadId, '/strategy whole-summary')
    let asked = 0
    dev.script((request) => {
      if (JSON.stringify(request.turns.at(-1)).includes('replaced by one summary'))
        return { text: SUMMARY }
      asked += 1
      const command = `node -e "console.log('a few words\\n'.repeat(800))"`
      return asked === 1
        ? { calls: [{ name: 'run', arguments: { command } }] }
        : { text: 'All done.' }
    })
    const outcome = await agent.sendMessage(threadId, `Run it. ${textOf(7_000)}`)
    expect(outcome).toMatchObject({ status: 'done', text: 'All done.' })
    expect(runsIn(frames)).toMatchObject([{ success: true, trigger: 'auto' }])
    // Nobody has seen the result: it stays with its call, behind the summary and what was asked for.
    const [summary, request, call, ran] = lastMessages(dev).slice(-4)
    expect(summary).toEqual({ role: 'assistant', text: expect.stringContaining(SUMMARY) })
    expect(request).toEqual({
      role: 'user',
      text: expect.stringMatching(/not answered yet.*word for word \[ref:e\d+\]:\nRun it\. /s),
    })
    expect(call).toEqual({ role: 'assistant', text: '[tool_use]' })
    expect(ran).toEqual({ role: 'user', text: '[tool_result]' })
    expect(violations(dev)).toEqual([])
  })
})
