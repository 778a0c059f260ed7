// What people read of a compaction: done, nothing to do, fell back because …, failed because ….
import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import { answer, result, user } from '../say.ts'
import { within } from '../wait.ts'
import { type AgentSetup, setUpAgent } from './setup.ts'

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
