// What people read of a compaction: done, nothing to do, fell back because …, failed because ….
import { describe, expect, it, vi } from 'vitest'
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import { answer, result, user } from '../say.ts'
import { until, within } from '../wait.ts'
import { HALVING, longPast } from './past.ts'
import { type AgentSetup, setUpAgent } from './setup.ts'
import { compactCall } from './transcript.ts'

const FIGURES = /[\d,]+ → [\d,]+ tokens \(\d+ % less\)/

/** Rounds with long results: something to compact, also without a model. */
async function longThread({ threads, threadId }: AgentSetup, rounds = 12): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const id = `c${round}`
    await threads.append(threadId, [
      user(`question ${round}`),
      ...answer(`I look at ${round}.`, id),
      result(id, `content of file ${round} `.repeat(300)),
      ...answer(`Answer ${round}.`),
    ])
  }
}

async function reply(setup: AgentSetup, command: string) {
  const outcome = await setup.agent.sendMessage(setup.threadId, command)
  if (outcome.status !== 'command') throw new Error(`${command} was said`)
  return outcome.reply
}

function framesOf<T extends AgentFrame['type']>({ frames }: AgentSetup, type: T) {
  return frames.filter((frame) => frame.type === type) as Extract<AgentFrame, { type: T }>[]
}

describe('/compact says', () => {
  it('the tokens behind the sentence of its design [LOG-28]', async () => {
    const setup = await setUpAgent({ preset: 'log' })
    await longThread(setup)
    setup.dev.script([{ text: 'In short: twelve questions, the last of them question 12.' }])
    const { text } = await reply(setup, '/compact')
    const [first, second, ...rest] = text.split('\n')
    expect(first).toBe('✅ Conversation compacted successfully')
    expect(second).toMatch(FIGURES)
    expect(rest).toEqual([])
  })

  it('that it grew, and calls that no success', async () => {
    const setup = await setUpAgent({ preset: 'log' })
    await setup.agent.sendMessage(setup.threadId, 'Hello')
    setup.dev.script([{ text: 'They said hello, and '.repeat(20) }])
    const { ok, text } = await reply(setup, '/compact')
    expect(ok).toBe(true)
    expect(text).toMatch(/^Conversation compacted\. The context is not smaller/)
    expect(text).toMatch(/[\d,]+ → [\d,]+ tokens \(\d+ % more\)$/)
    expect(text).not.toMatch(/✅|success/)
  })

  it('which strategy failed and why, where another one took its place [LOG-56]', async () => {
    const setup = await setUpAgent({ preset: 'log' })
    await longThread(setup)
    // More patience than a provider is given: no second try.
    setup.dev.script(() => ({ fault: { kind: 'rate-limit', retryAfterS: 600 } }))
    const { ok, text } = await reply(setup, '/compact')
    expect(ok).toBe(true)
    expect(text).toMatch(/ai-summarize failed: .+ trim-tool-results took its place\./)
    expect(text).toMatch(FIGURES)
    expect(text).not.toMatch(/✅|success/)
    const [said] = await setup.eventsOf('LOCAL_SYSTEM_MESSAGE')
    expect(said?.data).toContain('ai-summarize failed')
    // Whoever follows knows which one runs before it is over.
    const [start] = framesOf(setup, 'COMPACTION_START')
    const [progress] = framesOf(setup, 'COMPACTION_PROGRESS')
    expect(start?.strategy).toBe('ai-summarize')
    expect(progress).toMatchObject({ strategy: 'trim-tool-results' })
  })

  it('that nothing was done, also by the strategy that took the place of one that failed', async () => {
    const setup = await setUpAgent({ preset: 'log' })
    await setup.threads.append(setup.threadId, [user('Hello')])
    const propose = () => Promise.reject(new Error('no luck'))
    setup.threads.register({ id: 'ai-summarize', propose })
    setup.threads.register({ id: 'trim-tool-results', propose: async () => ({ edits: [] }) })
    const { ok, text } = await reply(setup, '/compact')
    expect([ok, text]).toEqual([
      true,
      'Nothing was compacted: ai-summarize failed. no luck. Then trim-tool-results found nothing to remove.',
    ])
    await reply(setup, '/strategy summarize')
    setup.threads.register({ id: 'summarize', propose: async () => ({ edits: [] }) })
    expect((await reply(setup, '/compact')).text).toBe(
      'Nothing was compacted: summarize found nothing to remove.',
    )
  })

  it('what to do where it failed, on a line of its own', async () => {
    const setup = await setUpAgent({ preset: 'whole' })
    await setup.agent.sendMessage(setup.threadId, 'Hello')
    setup.dev.script(() => ({ text: 'I would rather not.' }))
    const { ok, text } = await reply(setup, '/compact')
    expect(ok).toBe(false)
    expect(text.split('\n')).toEqual([
      '❌ Compaction failed: The agent did not compact the thread: it did not call its `compact` tool.',
      'Try again, or type /strategy summarize and then /compact.',
    ])
    setup.dev.script([])
    expect((await reply(setup, '/strategy summarize')).ok).toBe(true)
    expect((await reply(setup, '/compact')).text).not.toContain('failed')
  })

  it('in the words of FRESH that no model is set, then what to do [FRESH-09]', async () => {
    const setup = await setUpAgent({ preset: 'fresh' })
    await setup.agent.sendMessage(setup.threadId, 'Hello')
    setup.dev.script([{ text: '' }])
    const { text } = await reply(setup, '/compact')
    expect(text.split('\n')[0]).toBe('Compact failed: Failed to generate summary')
  })
})

describe('a thread that another process holds', () => {
  it.each(['/compact', 'Hello again'])('is waited for aloud: %s', async (said) => {
    const setup = await setUpAgent({ preset: 'log' })
    const { agent, store, threadId, frames } = setup
    await agent.sendMessage(threadId, 'Hello')
    expect(await store.takeLease(`thread:${threadId}`, 'killed', 30_000)).toBe(true)
    const told = Promise.withResolvers<string>()
    agent.on((frame) => {
      if (frame.type === 'notice') told.resolve(frame.message)
    })
    frames.length = 0
    const stop = new AbortController()
    const sent = agent.sendMessage(threadId, said, { isPatient: true, signal: stop.signal })
    expect(await within('a notice', told.promise)).toMatch(
      /^Another process works on this thread; waiting for it\. After a crash .*30 s\.$/,
    )
    await store.releaseLease(`thread:${threadId}`, 'killed')
    if (said === '/compact') expect(await sent).toMatchObject({ reply: { ok: true } })
    else stop.abort()
    await sent
    expect(framesOf(setup, 'notice')).toHaveLength(1)
  })
})

describe('a compaction that runs in another process', () => {
  const other = async ({ store, threadId }: AgentSetup, what = 'compaction') => {
    const name = `${what}:${threadId}`
    expect(await store.takeLease(name, 'other', 60_000)).toBe(true)
    return () => store.releaseLease(name, 'other')
  }
  const REFUSED = 'Another compaction of this thread is running; go on without one.'

  it.each(['compaction', 'thread'])(
    'is waited for by a command, which ends as that one did: a lease of the %s',
    async (what) => {
      const setup = await setUpAgent({ preset: 'log' })
      await longThread(setup)
      const release = await other(setup, what)
      const asked = vi.spyOn(setup.store, 'takeLease')
      const running = setup.agent.compact(setup.threadId)
      const names = () => asked.mock.calls.filter(([name]) => name.startsWith(`${what}:`))
      await until('three tries', async () => names().length >= 3 || undefined)
      await setup.threads.compact(setup.threadId, HALVING)
      await release()
      const [event] = await setup.eventsOf('COMPACTION')
      const { before, after } = event?.data ?? {}
      expect(await running).toMatchObject({
        ...{ success: true, end: 'committed', strategy: 'halving' },
        ...{ event: { id: event?.id }, before, after },
      })
      expect(setup.dev.requests).toEqual([])
      expect(framesOf(setup, 'notice')).toMatchObject([{ level: 'info' }])
    },
  )

  it('is waited for until the limit, or until the thread is stopped', async () => {
    const limits = { waitMs: 0 }
    const setup = await setUpAgent({ preset: 'log', agent: { limits } })
    await longThread(setup)
    const release = await other(setup)
    const error = { code: 'store-busy', message: REFUSED, where: setup.threadId, retryable: true }
    expect(await setup.agent.compact(setup.threadId)).toMatchObject({ end: 'failed', error })
    const patient = setup.another({ limits: { waitMs: 60_000 } })
    const told = Promise.withResolvers<void>()
    patient.on(({ type }) => type === 'notice' && told.resolve())
    const running = patient.compact(setup.threadId)
    await within('a notice', told.promise)
    await patient.abort(setup.threadId)
    expect(await running).toMatchObject({
      end: 'aborted',
      error: { code: 'aborted', message: 'The compaction was aborted.' },
    })
    await release()
    await setup.store.takeLease(`thread:${setup.threadId}`, 'other', 60_000)
    expect((await reply(setup, '/compact')).text).toBe(
      `Another process works on the thread ${setup.threadId}. Wait until it is done, or stop it. After a crash the thread is free again within a minute.`,
    )
    expect(setup.dev.requests).toEqual([])
  })

  it('is not waited for by the agent itself, which goes on', async () => {
    const setup = await setUpAgent({ preset: 'whole' })
    await longThread(setup)
    await other(setup)
    setup.dev.script([compactCall({ summary: 'S' }), { text: 'So be it.' }])
    expect(await setup.agent.sendMessage(setup.threadId, 'go')).toMatchObject({ text: 'So be it.' })
    const [{ data } = {}] = (await setup.eventsOf('TOOL_RESULT')).slice(-1)
    expect(data).toMatchObject({ status: 'failed', content: [{ text: REFUSED }] })
    expect(framesOf(setup, 'tool-start')).toMatchObject([
      { name: 'compact', subject: 'the whole thread' },
    ])
    expect(framesOf(setup, 'COMPACTION_START')).toMatchObject([
      { trigger: 'tool', message: 'Compacting conversation to save space...' },
    ])
  })

  it('keeps one from being prepared in the background, and the turn goes on', async () => {
    const setup = await setUpAgent({ preset: 'range', windowTokens: 12_000 })
    await setup.threads.import(setup.threadId, longPast(7_200))
    await other(setup)
    expect(await setup.agent.sendMessage(setup.threadId, 'go')).toMatchObject({ status: 'done' })
    await expect.poll(() => framesOf(setup, 'COMPACTION_COMPLETE')).not.toEqual([])
    for (const end of framesOf(setup, 'COMPACTION_COMPLETE'))
      expect(end).toMatchObject({
        ...{ trigger: 'background', end: 'failed', error: { message: REFUSED } },
      })
    const message = 'Preparing a compaction in the background...'
    expect(framesOf(setup, 'COMPACTION_START')[0]).toMatchObject({ message })
  })
})

describe('a preset of the designs', () => {
  it.each([
    [true, 1],
    [undefined, 0],
  ])('pins what binds where the settings ask for it: %s', async (detect, count) => {
    const pinning = detect === undefined ? {} : { detect }
    const setup = await setUpAgent({ preset: 'log', settings: { pinning } })
    await setup.threads.append(setup.threadId, [user('Never push to the branch main.')])
    await longThread(setup)
    expect((await reply(setup, '/compact')).ok).toBe(true)
    expect(await setup.threads.pins(setup.threadId)).toHaveLength(count)
  })
})
