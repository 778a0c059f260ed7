// Compactions beside a turn, and compactions that are stopped: what they cover, and what they leave.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import type { Clock } from '../../src/core/ports.ts'
import { systemClock } from '../../src/system.ts'
import type { Threads } from '../../src/threads/threads.ts'
import { ManualClock } from '../dev-model/manual-clock.ts'
import { answer, user } from '../say.ts'
import { within } from '../wait.ts'
import { asksForSummary, Door, IN_SHORT, longPast, runsIn, summaryBehind } from './past.ts'
import { type SetupOptions, setUpAgent } from './setup.ts'

/** From 0.7 of the window on, a compaction is prepared in the background. */
const PREPARES = { preset: 'range', windowTokens: 12_000 } as const
const PAST_TOKENS = 7_200
const STALL_MS = 60_000
/** A machine that does much else is slow. */
const WAIT = { timeout: 30_000 }

async function preparing(options: SetupOptions) {
  const setup = await setUpAgent({ ...PREPARES, ...options })
  await setup.threads.import(setup.threadId, longPast(PAST_TOKENS))
  const door = new Door()
  setup.dev.script(summaryBehind(door))
  return { ...setup, door }
}

/** Until a compaction is prepared and waits for the request that is under way. */
async function untilPrepared(threads: Threads): Promise<void> {
  const { prepare } = threads
  const prepared = Promise.withResolvers<void>()
  vi.spyOn(threads, 'prepare').mockImplementation(async (...asked) => {
    const made = await prepare.apply(threads, asked)
    prepared.resolve()
    return made
  })
  await within('a compaction that is prepared', prepared.promise)
  await new Promise(setImmediate)
}

const isEnd = ({ type }: AgentFrame) => type === 'COMPACTION_COMPLETE'

const WAYS: readonly (SetupOptions & { readonly name: string })[] = [
  { name: 'at once' },
  { name: 'as a job', jobs: {} },
]

describe.each(WAYS)('in the background, $name', (way) => {
  it('goes on while turns do, and leaves what came meanwhile', async () => {
    const { agent, threadId, threads, dev, door, frames } = await preparing(way)
    expect(await agent.sendMessage(threadId, 'one')).toMatchObject({ status: 'done' })
    await door.reached
    expect(await agent.sendMessage(threadId, 'two')).toMatchObject({ status: 'done' })
    expect(frames.filter(isEnd)).toEqual([])
    door.open()
    await expect.poll(() => frames.filter(isEnd).length, WAIT).toBe(1)
    expect(runsIn(frames)).toMatchObject([{ trigger: 'background', success: true }])
    const text = JSON.stringify(await threads.messages(threadId))
    expect(text).toContain('In short, what was said before.')
    expect(text).toContain('two')
    expect(await agent.sendMessage(threadId, 'three')).toMatchObject({ status: 'done' })
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it('is waited for where the window fills up first [ALWAYS-05]', async () => {
    const { agent, threadId, threads, door, frames, eventsOf } = await preparing(way)
    await agent.sendMessage(threadId, 'one')
    await door.reached
    await threads.import(threadId, longPast(1_500, 'more'))
    const second = agent.sendMessage(threadId, 'two')
    door.open()
    expect(await second).toMatchObject({ status: 'done' })
    expect(runsIn(frames)[0]).toMatchObject({ trigger: 'background', success: true })
    expect(await eventsOf('COMPACTION')).toHaveLength(1)
  })

  it('is stopped with the thread, also when its turn is over [ALWAYS-06]', async () => {
    const { agent, threadId, events, door, frames } = await preparing(way)
    await agent.sendMessage(threadId, 'one')
    await door.reached
    const before = await events()
    await agent.abort(threadId)
    expect(runsIn(frames)).toMatchObject([{ trigger: 'background', end: 'aborted' }])
    expect(await events()).toEqual(before)
    door.open()
  })

  it('a message that comes while it is applied is delivered [ALWAYS-07]', async () => {
    const { agent, threadId, door, frames, eventsOf } = await preparing(way)
    await agent.sendMessage(threadId, 'one')
    await door.reached
    door.open()
    await Promise.all(['two', 'three'].map((text) => agent.sendMessage(threadId, text)))
    await expect.poll(() => frames.filter(isEnd).length, WAIT).toBe(1)
    const users = async () => (await eventsOf('USER_MESSAGE')).map(({ data }) => data).slice(1)
    await expect.poll(users, WAIT).toHaveLength(3)
    expect(new Set(await users())).toEqual(new Set(['one', 'two', 'three']))
  })
})

describe('a job', () => {
  it('is left to others while another process works on the thread, and is done afterwards', async () => {
    type Work = (threadId: string, signal: AbortSignal) => Promise<void>
    const taken = Promise.withResolvers<Work>()
    const jobs = {
      add: async () => true,
      work: async (run: Work) => taken.resolve(run),
    }
    const { agent, threadId, threads, store, dev, frames } = await setUpAgent({
      ...{ ...PREPARES, agent: { jobs } },
    })
    await threads.import(threadId, [...longPast(PAST_TOKENS), user('one'), ...answer('Yes.')])
    dev.script([{ text: IN_SHORT }])
    const job = await taken.promise
    const never = new AbortController().signal
    await store.takeLease(`thread:${threadId}`, 'other', 60_000)
    await expect(job(threadId, never)).rejects.toMatchObject({
      ...{ code: 'store-busy', where: threadId, retryable: true },
    })
    expect([frames, dev.requests]).toEqual([[], []])
    await store.releaseLease(`thread:${threadId}`, 'other')
    await expect(job(threadId, AbortSignal.abort())).rejects.toMatchObject({
      ...{ code: 'aborted', message: 'The job was stopped before it was done.' },
    })
    await store.takeLease(`compaction:${threadId}`, 'other', 60_000)
    await expect(job(threadId, never)).rejects.toMatchObject({ code: 'store-busy' })
    await store.releaseLease(`compaction:${threadId}`, 'other')
    await job(threadId, never)
    const [run] = runsIn(frames).slice(-1)
    expect([run?.trigger, run?.end, run?.error?.message]).toEqual([
      'background',
      'committed',
      undefined,
    ])
    const { length } = frames
    // It looks again at what there is to do; a thread that is gone needs nothing.
    await job(threadId, never)
    await job('thr_gone', never)
    expect(frames).toHaveLength(length)
    await agent.close()
    await expect(job(threadId, never)).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('by hand', () => {
  it('while idle no turn is started [ALWAYS-10]', async () => {
    const { agent, threadId, threads, dev, events, frames } = await setUpAgent()
    await threads.import(threadId, longPast(2_000))
    await agent.sendMessage(threadId, '/compact')
    expect(frames.filter(({ type }) => type === 'turn-start')).toEqual([])
    expect(dev.requests).toHaveLength(1)
    expect((await events()).map(({ type }) => type).slice(-2)).toEqual([
      'COMPACTION',
      'LOCAL_SYSTEM_MESSAGE',
    ])
  })

  it('in mid-task it is applied between two requests, and the task goes on [ALWAYS-10]', async () => {
    const { agent, threadId, threads, dev, events, eventsOf, folder } = await setUpAgent()
    await threads.import(threadId, longPast(2_000))
    const waits = untilPrepared(threads)
    let asked = 0
    const compacting: Promise<unknown>[] = []
    dev.script(async (request) => {
      if (asksForSummary(request)) return { text: 'In short, what was said before.' }
      asked += 1
      if (asked > 1) return { text: 'All done.' }
      compacting.push(agent.compact(threadId))
      return {
        calls: [{ name: 'run', arguments: { command: 'while [ ! -e go ]; do sleep 0.01; done' } }],
      }
    })
    const before = (await events()).length
    const turn = agent.sendMessage(threadId, 'go')
    await waits
    // The first request was answered, and its call still runs: nothing is applied meanwhile.
    expect(await eventsOf('TOOL_CALL')).toHaveLength(2)
    expect(await eventsOf('COMPACTION')).toEqual([])
    writeFileSync(join(folder, 'go'), '')
    expect(await turn).toMatchObject({ text: 'All done.' })
    await Promise.all(compacting)
    const types = (await events()).slice(before).map(({ type }) => type)
    expect(types.filter((type) => !/^(?:LOCAL|MESSAGE|TURN|SYSTEM)/.test(type))).toEqual([
      'USER_MESSAGE',
      'AGENT_MESSAGE',
      'TOOL_CALL',
      'TOOL_RESULT',
      'COMPACTION',
      'AGENT_MESSAGE',
    ])
    // The second request is the first one that has the summary, and the task with its result.
    const [first, second] = dev.requests
      .filter(({ asked }) => asked && !asksForSummary(asked))
      .map(({ body }) => JSON.stringify(body))
    expect(first).not.toContain('In short, what was said')
    expect(second).toContain('In short, what was said')
    expect(second).toContain('tool_result')
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })
})

describe('a compaction that is stopped', () => {
  it('before it has asked anybody leaves everything as it was [ALWAYS-06]', async () => {
    const stop = new AbortController()
    const hooks = [{ before: () => stop.abort(), after: () => ({ reminder: 'It was compacted.' }) }]
    const clock = new ManualClock()
    const { agent, threadId, threads, events, dev } = await setUpAgent({ clock, agent: { hooks } })
    await threads.import(threadId, longPast(2_000))
    const before = await events()
    const result = await agent.compact(threadId, { signal: stop.signal })
    expect(result).toMatchObject({ success: false, end: 'aborted' })
    expect([await events(), dev.requests]).toEqual([before, []])
  })

  it('in mid-answer leaves everything as it was, and can be done again [ALWAYS-06]', async () => {
    const half = Promise.withResolvers<void>()
    const sleep: Clock['sleep'] = (ms, signal) => {
      if (ms === STALL_MS) half.resolve()
      return systemClock.sleep(ms, signal)
    }
    const clock = { now: () => systemClock.now(), sleep }
    const { agent, threadId, threads, events, dev } = await setUpAgent({ dev: { clock } })
    await threads.import(threadId, longPast(2_000))
    const fault = { kind: 'stall', at: 'middle', ms: STALL_MS } as const
    dev.script([{ text: 'word '.repeat(900), fault }, { text: 'In short.' }])
    const before = await events()
    const stop = new AbortController()
    const running = agent.compact(threadId, { signal: stop.signal })
    await within('the first half of the answer', half.promise)
    stop.abort()
    expect(await running).toMatchObject({ success: false, end: 'aborted' })
    expect(await events()).toEqual(before)
    expect(await agent.compact(threadId)).toMatchObject({ success: true })
  })

  it('before it is applied leaves everything as it was [ALWAYS-06]', async () => {
    const { agent, threadId, threads, dev, frames, eventsOf } = await setUpAgent()
    await threads.import(threadId, longPast(2_000))
    const asked = new Door()
    dev.script(async (request) => {
      if (asksForSummary(request)) return { text: 'In short.' }
      await asked.pass()
      return { text: 'Yes.' }
    })
    const turn = agent.sendMessage(threadId, 'go')
    await asked.reached
    const stop = new AbortController()
    const waits = untilPrepared(threads)
    const running = agent.compact(threadId, { signal: stop.signal })
    await waits
    stop.abort()
    asked.open()
    expect(await turn).toMatchObject({ status: 'done' })
    expect(await running).toMatchObject({ success: false, end: 'aborted' })
    expect(await eventsOf('COMPACTION')).toEqual([])
    expect(await eventsOf('COMPACTION_FAILED')).toEqual([])
    expect(runsIn(frames)).toHaveLength(1)
  })
})
