// `summarize` and `ai-summarize` by the real agent: what is asked, what stays, and what happens where it fails.
import { describe, expect, it } from 'vitest'
import { PrecisError } from '../../src/core/errors.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { EIGHT_HEADINGS, EIGHT_SECTIONS } from '../../src/strategies/summary/summarizer-prompt.ts'
import { FIVE_POINTS } from '../../src/strategies/summary/whole-summary.ts'
import { runsIn, textOf } from '../agent/past.ts'
import { lastMessages, setUpAgent } from '../agent/setup.ts'
import { answer, result, system, user } from '../say.ts'
import { until } from '../wait.ts'

const SUMMARY = { text: 'What was said before, in short.' }
const PAST = [
  system('Be kind.'),
  user('First'),
  ...answer('Reading.', 'a'),
  result('a', 'one\ntwo\nthree\nfour\nfive'),
  ...answer('Read.'),
  user('Second'),
  ...answer('re Second'),
  user('Third'),
  ...answer('re Third'),
  user('Fourth'),
  ...answer('re Fourth'),
]

describe('summarize', () => {
  it('asks the own model in the full conversation; its tools are there and none may be called [LOG-41]', async () => {
    const { agent, dev, threads, threadId } = await setUpAgent()
    await threads.import(threadId, PAST)
    dev.script([{ text: 'said' }, SUMMARY])
    await agent.sendMessage(threadId, 'Go on.')
    const result = await agent.compact(threadId, { strategy: 'summarize' })
    expect(result).toMatchObject({ success: true, strategy: 'summarize' })
    const [turn, asked] = dev.requests.map(({ body }) => body as Record<string, unknown>)
    expect(asked?.model).toBe(turn?.model)
    expect(asked?.system).toEqual(turn?.system)
    expect(asked?.tools).toEqual(turn?.tools)
    expect(lastMessages(dev).slice(0, -1).at(-1)).toEqual({ role: 'assistant', text: 'said' })
    expect(lastMessages(dev).at(-1)?.text).toBe(EIGHT_SECTIONS)
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it('runs no tool that the model calls all the same [LOG-41, LOG-44, FRESH-18]', async () => {
    const { agent, dev, frames, threads, threadId } = await setUpAgent()
    await threads.import(threadId, PAST)
    dev.script(() => ({ calls: [{ name: 'list', arguments: {} }] }))
    const result = await agent.compact(threadId, { strategy: 'summarize' })
    expect(result).toMatchObject({ success: true, strategy: 'trim-tool-results' })
    expect(frames.filter(({ type }) => type === 'tool-start')).toEqual([])
  })

  it('keeps the last two events where there are more than three, else none [LOG-42, LOG-44]', async () => {
    const { agent, dev, threads, threadId } = await setUpAgent({ dev: { script: [SUMMARY] } })
    await threads.import(threadId, PAST)
    await agent.compact(threadId, { strategy: 'summarize' })
    const kept = (await threads.getEvents(threadId)).map(({ type }) => type)
    expect(kept.filter((type) => /MESSAGE/.test(type))).toEqual([
      'USER_MESSAGE',
      'USER_MESSAGE',
      'AGENT_MESSAGE',
    ])
    const short = await threads.create()
    await threads.import(short, [user('one'), ...answer('two')])
    dev.script([SUMMARY])
    await agent.compact(short, { strategy: 'summarize' })
    expect((await threads.messages(short)).messages).toHaveLength(1)
  })

  it('splits no tool round for it [LOG-42, LOG-44]', async () => {
    const { agent, threads, threadId } = await setUpAgent({ dev: { script: [SUMMARY] } })
    await threads.import(threadId, [...PAST, user('Read.'), ...answer('ok', 'b'), result('b', 'x')])
    await agent.compact(threadId, { strategy: 'summarize' })
    const { messages, problems } = await threads.messages(threadId)
    expect(problems).toEqual([])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('asks for eight sections [LOG-43]', () => {
    const headings = [...EIGHT_SECTIONS.matchAll(/^\d\. ([^:]+):/gm)].map(([, title]) => title)
    expect(headings).toEqual([
      'Primary request and intent',
      'Current status',
      'Key technical context',
      'Code changes',
      'Issues and solutions',
      'User preferences and patterns',
      'Important context for continuation',
      'Working state',
    ])
  })

  const LONG = [...PAST, user('Fifth'), ...answer(textOf(2_000)), user('Sixth'), ...answer('Yes.')]
  const WITH_SECTIONS = [
    [8, true, 0],
    [5, true, 3],
    [4, true, 4],
    [3, false, 5],
    [0, false, 8],
  ] as const
  it.each(WITH_SECTIONS)(
    'that has %i of the eight sections is taken: %s; %i are said to be missing [LOG-43]',
    async (count, isTaken, lacking) => {
      const { agent, dev, frames, threads, threadId, eventsOf } = await setUpAgent({
        preset: 'fresh',
      })
      await threads.import(threadId, LONG)
      const before = (await threads.messages(threadId)).messages
      const sections = EIGHT_HEADINGS.slice(0, count).map((title) => `**${title}**\nx`)
      dev.script([{ text: ['In short.', ...sections].join('\n') }])
      const ended = await agent.compact(threadId, { strategy: 'summarize' })
      expect(ended.success).toBe(isTaken)
      const [event] = await eventsOf('COMPACTION')
      if (isTaken) {
        const missing = EIGHT_HEADINGS.slice(count)
        expect(event?.data.metadata).toEqual(
          lacking === 0
            ? expect.not.objectContaining({ missingSections: expect.anything() })
            : expect.objectContaining({ missingSections: missing }),
        )
        const said = frames.filter(({ type }) => type === 'notice')
        expect(said).toHaveLength(lacking === 0 ? 0 : 1)
        return
      }
      expect(ended).toMatchObject({ error: { details: { reason: 'summary-incomplete' } } })
      expect((await threads.messages(threadId)).messages).toEqual(before)
    },
  )

  it('tells no marker of an earlier compaction, and nobody about an empty thread [LOG-44]', async () => {
    const { agent, dev, threads, threadId } = await setUpAgent()
    expect(await agent.compact(threadId, { strategy: 'summarize' })).toMatchObject({
      success: true,
    })
    expect(dev.requests).toEqual([])
    await threads.import(threadId, PAST)
    dev.script([{ text: 'S1' }, { text: 'S2' }])
    await agent.compact(threadId, { strategy: 'summarize' })
    await agent.compact(threadId, { strategy: 'summarize' })
    expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain('S1')
    expect(JSON.stringify(dev.requests.at(-1)?.body)).not.toContain('COMPACTION')
  })
})

describe('ai-summarize', () => {
  it('is a COMPACTION by its id, whose compactedEvents have the system prompt first, and the summary [LOG-45, LOG-47, LOG-49, LOG-55]', async () => {
    const { agent, threads, threadId } = await setUpAgent({ dev: { script: [SUMMARY] } })
    await threads.import(threadId, PAST)
    expect(await agent.compact(threadId)).toMatchObject({ success: true })
    const all = await threads.getAllEvents(threadId)
    const { data } = all.find(({ type }) => type === 'COMPACTION') ?? {}
    const { strategyId, compactedEvents = [] } = data as {
      strategyId: string
      compactedEvents?: readonly unknown[]
    }
    expect(strategyId).toBe('ai-summarize')
    expect(compactedEvents[0]).toMatchObject({ type: 'SYSTEM_PROMPT', data: 'Be kind.' })
    const content = expect.stringContaining('[CONVERSATION SUMMARY]')
    expect(compactedEvents).toContainEqual(
      expect.objectContaining({
        type: 'AGENT_MESSAGE',
        data: expect.objectContaining({ content }),
      }),
    )
  })

  it('rejects without a model, even where there is nothing [LOG-46]', async () => {
    const { threads, threadId } = await setUpAgent()
    await expect(threads.compact(threadId, 'ai-summarize')).rejects.toThrow(
      'AI summarization requires a provider',
    )
  })

  it('leaves the system prompt, the summary, and the last three user messages [LOG-48]', async () => {
    const { agent, threads, threadId } = await setUpAgent({ dev: { script: [SUMMARY] } })
    await threads.import(threadId, PAST)
    await agent.compact(threadId)
    const events = (await threads.getEvents(threadId)).filter(({ type }) =>
      /PROMPT|_MESSAGE/.test(type),
    )
    expect(events.map(({ data }) => data)).toEqual([
      'Be kind.',
      expect.objectContaining({ content: `[CONVERSATION SUMMARY]\n\n${SUMMARY.text}` }),
      'Second',
      'Third',
      'Fourth',
    ])
  })

  it('sends what was said, then the prompt; no tools; the model of the thread [LOG-50, LOG-51, ALWAYS-18]', async () => {
    const { agent, dev, threads, threadId } = await setUpAgent({ dev: { script: [SUMMARY] } })
    await threads.import(threadId, PAST)
    await agent.compact(threadId)
    const asked = dev.requests[0]?.asked
    expect(asked?.tools).toEqual([])
    expect(asked?.model).toBe('stand-in')
    expect(asked?.system).toContain('summarization assistant')
    expect(asked?.system).not.toContain('Be kind')
    expect(asked?.turns.flatMap(({ parts }) => parts.map(({ type }) => type))).not.toContain('call')
    expect(lastMessages(dev)[0]).toEqual({ role: 'user', text: 'First' })
    expect(lastMessages(dev).at(-1)?.text).toBe(FIVE_POINTS)
    for (const words of [/user intent/i, /work completed/i, /current state/i, /pending tasks/i])
      expect(FIVE_POINTS).toMatch(words)
    expect(FIVE_POINTS).toMatch(/important context[\s\S]*file names, code snippets and technical/i)
    expect(FIVE_POINTS).toContain('replaces the history')
  })

  it('says what it saved and what it cost apart from it [LOG-52, ALWAYS-13]', async () => {
    const { agent, threads, threadId, eventsOf } = await setUpAgent({ dev: { script: [SUMMARY] } })
    await threads.import(threadId, PAST)
    const before = (await threads.getEvents(threadId)).length
    await agent.compact(threadId)
    const [event] = await eventsOf('COMPACTION')
    expect(event?.data).toMatchObject({
      originalEventCount: before,
      metadata: {
        summaryLength: SUMMARY.text.length,
        preservedUserMessages: 3,
        tokensSaved: expect.toSatisfy((saved: number) => saved >= 0),
      },
      usage: { totalTokens: expect.any(Number) },
    })
  })

  it.each([
    ['empty', { fault: { kind: 'empty' } }],
    ['an error', { fault: { kind: 'rate-limit', retryAfterS: 0 } }],
    ['cut off', { text: 'half of', stopReason: 'length' }],
    ['a refusal', { text: 'No.', stopReason: 'refusal' }],
  ] as const)(
    'rejects a summary that is %s, and nothing is appended for it [LOG-53]',
    async (_, step) => {
      const { agent, dev, threads, threadId, eventsOf } = await setUpAgent()
      await threads.import(threadId, PAST)
      dev.script(() => step)
      threads.register({
        id: 'trim-tool-results',
        propose: () => Promise.reject(new PrecisError('usage', 'no')),
      })
      expect(await agent.compact(threadId)).toMatchObject({ success: false })
      expect(await eventsOf('COMPACTION')).toEqual([])
    },
  )

  it('that fails is followed by trim-tool-results, with a word about it, and the command succeeds [LOG-54, LOG-56]', async () => {
    const { agent, dev, frames, threads, threadId, eventsOf } = await setUpAgent()
    await threads.import(threadId, PAST)
    dev.script(() => ({ fault: { kind: 'refusal' } }))
    const outcome = await agent.sendMessage(threadId, '/compact')
    expect(outcome).toMatchObject({ status: 'command', reply: { ok: true } })
    const [event] = await eventsOf('COMPACTION')
    expect(event?.data.strategyId).toBe('trim-tool-results')
    expect(runsIn(frames)).toHaveLength(1)
    const warned = frames.find(({ type }) => type === 'COMPACTION_PROGRESS')
    expect(warned).toMatchObject({ message: expect.stringContaining('Trying trim-tool-results') })
    expect(await eventsOf('COMPACTION_FAILED')).toHaveLength(1)
  })

  it('that the user aborts is followed by nothing [LOG-57]', async () => {
    const { agent, dev, frames, threads, threadId, eventsOf } = await setUpAgent()
    await threads.import(threadId, PAST)
    const { messages } = await threads.messages(threadId)
    dev.script(() => ({ text: 'late', fault: { kind: 'stall', ms: 60_000 } }))
    const running = agent.compact(threadId)
    await until('a request to the model', () => dev.requests.length > 0)
    await agent.abort(threadId)
    expect(await running).toMatchObject({ success: false, end: 'aborted' })
    expect((await threads.messages(threadId)).messages).toEqual(messages)
    for (const type of ['COMPACTION', 'COMPACTION_FAILED'] as const)
      expect(await eventsOf(type)).toEqual([])
    expect(runsIn(frames)).toHaveLength(1)
  })
})

describe('the strategies', () => {
  it('are known by their ids, and an unknown one is said [LOG-37, LOG-38]', async () => {
    const { threads, threadId } = await setUpAgent()
    expect(threads.strategyIds()).toEqual(DEFAULT_STRATEGIES.map(({ id }) => id))
    expect(threads.strategyIds()).toEqual(
      expect.arrayContaining(['summarize', 'ai-summarize', 'keep-recent', 'fresh-session']),
    )
    await expect(threads.compact(threadId, 'nonsense')).rejects.toThrow(
      'Unknown compaction strategy: nonsense',
    )
    await expect(threads.compact('thr_none', 'summarize')).rejects.toThrow(
      'Thread thr_none not found',
    )
  })
})
