// `/compact` that starts a fresh session: models that call tools instead of summing up, and two that ask at once.
import { describe, expect, it } from 'vitest'
import { type AgentSetup, type SetupOptions, setUpAgent } from '../agent/setup.ts'
import { answer, result, system, user } from '../say.ts'
import { within } from '../wait.ts'

const SUMMARY = 'We fixed the parser; the tests are next.'
const PAST = [
  system('Be kind.'),
  user('Fix it.'),
  ...answer('Reading.', 'a'),
  result('a', 'one\n'.repeat(3_000)),
  ...answer('Fixed.'),
]

function freshSetup(options: SetupOptions = {}): Promise<AgentSetup> {
  return setUpAgent({ preset: 'fresh', outputTokens: 20_000, ...options })
}

async function compact({ agent, threadId }: AgentSetup, text = '/compact') {
  const outcome = await agent.sendMessage(threadId, text)
  if (outcome.status !== 'command') throw new Error(outcome.status)
  return outcome.reply
}

describe('a model that would rather go on', () => {
  const CALL = { text: 'Let me look.', calls: [{ name: 'list', arguments: {} }] }

  it('is asked again, and may then call no tool; all of it is on the bill [FRESH-15, FRESH-18]', async () => {
    const setup = await freshSetup()
    const { dev, threads, threadId, frames } = setup
    await threads.import(threadId, PAST)
    // Whenever it is allowed to, it calls.
    dev.script(({ toolChoice }) => (toolChoice === 'none' ? { text: SUMMARY } : CALL))
    const { ok, compaction } = await compact(setup)
    expect(ok).toBe(true)
    expect(compaction?.fresh?.summary).toContain(SUMMARY)
    expect(dev.requests).toHaveLength(2)
    const paid = dev.requests.map(({ usage }) => usage?.outputTokens ?? 0)
    expect(compaction?.usage?.completionTokens).toBe(paid.reduce((sum, each) => sum + each, 0))
    expect(frames.filter(({ type }) => type === 'tool-start')).toEqual([])
  })

  it('is offered none where it does not care what it may do', async () => {
    const setup = await freshSetup()
    await setup.threads.import(setup.threadId, PAST)
    setup.dev.script(({ tools }) => (tools.length === 0 ? { text: SUMMARY } : CALL))
    expect(await compact(setup)).toMatchObject({ ok: true })
    expect(setup.dev.requests).toHaveLength(3)
    expect(setup.dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })
})

describe('a second /compact while the first runs', () => {
  it('says that it joined it, and that its words were not used', async () => {
    const setup = await freshSetup()
    const { dev, threads, threadId, agent, store } = setup
    await threads.import(threadId, PAST)
    dev.script(() => ({ text: SUMMARY, fault: { kind: 'stall', ms: 300 } }))
    const started = Promise.withResolvers<void>()
    agent.on(({ type }) => type === 'COMPACTION_START' && started.resolve())
    const first = compact(setup)
    await within(() => 'a start', started.promise, 10_000)
    const second = await compact(setup, '/compact fourth')
    expect(second.text).toBe(
      'A compaction was already running; this one joined it. Its instructions were not used.',
    )
    expect(second.threadId).toBe((await first).threadId)
    expect((await first).text).toBe('New session started with compacted context')
    expect((await store.list()).items).toHaveLength(2)
  })

  it('joins that of another process as well [ALWAYS-05]', async () => {
    const setup = await freshSetup({ onDisk: true })
    const { dev, threads, threadId, agent, store } = setup
    await threads.import(threadId, PAST)
    dev.script(() => ({ text: SUMMARY, fault: { kind: 'stall', ms: 300 } }))
    const other = await setup.elsewhere()
    const [waiting, started] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    agent.on(({ type }) => type === 'COMPACTION_START' && started.resolve())
    other.agent.on(({ type }) => type === 'notice' && waiting.resolve())
    const first = compact(setup)
    await within(() => 'a start', started.promise, 10_000)
    const second = compact({ ...setup, agent: other.agent })
    await within(() => 'a word on the waiting', waiting.promise, 10_000)
    expect((await second).text).toBe('A compaction was already running; this one joined it.')
    expect((await second).threadId).toBe((await first).threadId)
    expect((await second).compaction?.fresh?.summary).toContain(SUMMARY)
    expect((await store.list()).items).toHaveLength(2)
    expect(dev.requests).toHaveLength(1)
  })
})
