// `/compact` that starts a fresh session: models that call tools instead of summing up, and two that ask at once.
import { describe, expect, it, vi } from 'vitest'
import { answerBehind, Door } from '../agent/past.ts'
import { type AgentSetup, type SetupOptions, setUpAgent } from '../agent/setup.ts'
import { answer, result, system, user } from '../say.ts'
import { until, within } from '../wait.ts'

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
    const door = new Door()
    dev.script(answerBehind(door, { text: SUMMARY }))
    const asked = vi.spyOn(agent, 'compact')
    const first = compact(setup)
    await door.reached
    const joining = compact(setup, '/compact fourth')
    await until('the second to be asked for', () => asked.mock.calls.length === 2)
    door.open()
    const second = await joining
    expect(second.text).toBe(
      'A compaction was already running; this one joined it. Its instructions were not used.',
    )
    expect(second.threadId).toBe((await first).threadId)
    expect((await first).text).toBe('New session started with compacted context')
    expect((await store.list()).items).toHaveLength(2)
  })

  it('joins that of another process as well [ALWAYS-05]', async () => {
    const setup = await freshSetup({ onDisk: true })
    const { dev, threads, threadId, store } = setup
    await threads.import(threadId, PAST)
    const door = new Door()
    dev.script(answerBehind(door, { text: SUMMARY }))
    const other = await setup.elsewhere()
    const waiting = Promise.withResolvers<void>()
    other.agent.on(({ type }) => type === 'notice' && waiting.resolve())
    const first = compact(setup)
    await door.reached
    const second = compact({ ...setup, agent: other.agent })
    await within('a word on the waiting', waiting.promise)
    door.open()
    expect((await second).text).toBe('A compaction was already running; this one joined it.')
    expect((await second).threadId).toBe((await first).threadId)
    expect((await second).compaction?.fresh?.summary).toContain(SUMMARY)
    expect((await store.list()).items).toHaveLength(2)
    expect(dev.requests).toHaveLength(1)
  })
})
