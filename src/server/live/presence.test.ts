// What one process hears of the others: while they speak, when they fall silent, and when their log is begun anew.
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { testIds } from '../../../test/generate/test-log.ts'
import { until } from '../../../test/wait.ts'
import type { AgentFrame, FrameListener } from '../../core/agent/frame.ts'
import type { NewEvent } from '../../core/log/event.ts'
import type { Signal } from '../../core/model.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { inFolder } from '../../stores/contract/place.ts'
import { memoryStore } from '../../stores/memory/memory.ts'
import { openSqliteStore } from '../../stores/sqlite/store.ts'
import { systemClock } from '../../system.ts'
import { Presence } from './presence.ts'

const START = Date.UTC(2026, 0, 1)
const LOG = 'sys_presence'

/** Whoever sleeps by it sleeps until it is moved. */
class HandMovedClock implements Clock {
  #nowMs = START
  readonly #sleepers = new Set<{ readonly untilMs: number; readonly wake: () => void }>()

  now(): Date {
    return new Date(this.#nowMs)
  }

  sleep(ms: number, signal?: Signal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = { untilMs: this.#nowMs + ms, wake: resolve }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', () => resolve())
      if (signal?.aborted) resolve()
    })
  }

  /** A second at a time, so that whoever wakes up can go to sleep again. */
  async move(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.#nowMs += 1_000
      for (const sleeper of this.#sleepers) {
        if (sleeper.untilMs > this.#nowMs) continue
        this.#sleepers.delete(sleeper)
        sleeper.wake()
      }
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    }
  }
}

const shortly: Clock['sleep'] = (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal)

let processes = 0

/** A process of which this is all that there is. */
function processOn(store: Store, clock: Clock) {
  let say: FrameListener = () => undefined
  const agent = {
    on: (listener: FrameListener) => {
      say = listener
      return () => undefined
    },
  }
  processes += 1
  const ids = testIds(`p${processes}_`)
  const presence = new Presence({ store, clock, ids }, { agent, approvals: { all: () => [] } })
  const heard: AgentFrame[] = []
  presence.on((frame) => void heard.push(frame))
  onTestFinished(() => presence.close())
  const begin = (threadId: string) => say({ type: 'turn-start', threadId, timestamp: clock.now() })
  const end = (threadId: string) =>
    say({ type: 'turn-end', threadId, timestamp: clock.now(), end: 'done' })
  return { presence, heard, begin, end }
}

function seesWorking({ presence }: ReturnType<typeof processOn>, threadId: string) {
  return until(`${threadId} to be worked on`, () => presence.of(threadId).isWorking)
}

function restarted(store: Store) {
  return until('the log to be recreated', async () => ((await store.info(LOG))?.version ?? 0) < 10)
}

describe('another process', () => {
  it('that falls silent in the middle of a turn is taken for dead after 35 seconds', async () => {
    const store = memoryStore()
    const clock = new HandMovedClock()
    const here = processOn(store, clock)
    const there = processOn(store, new HandMovedClock()) // its clock stands still: it says nothing more
    there.begin('t')
    await seesWorking(here, 't')
    await clock.move(35)
    expect(here.presence.of('t').isWorking).toBe(true)
    expect(here.heard.map(({ type }) => type)).toEqual(['turn-start'])
    await clock.move(6) // it looks every ten seconds
    expect(here.presence.of('t').isWorking).toBe(false)
    expect(here.heard.at(-1)).toMatchObject({ type: 'turn-end', threadId: 't', end: 'aborted' })
  })

  it('that works on for long says so, and is not taken for dead', async () => {
    const store = memoryStore()
    const clock = new HandMovedClock()
    const [here, there] = [processOn(store, clock), processOn(store, clock)]
    there.begin('t')
    await seesWorking(here, 't')
    await clock.move(120)
    expect(here.presence.of('t').isWorking).toBe(true)
    there.end('t')
    await until('the end of the turn', () => !here.presence.of('t').isWorking)
    expect(here.heard.map(({ type }) => type)).toEqual(['turn-start', 'turn-end'])
    expect(here.heard.at(-1)).toMatchObject({ end: 'done' })
  })

  it('that died long before this one was started is not heard at all', async () => {
    const store = memoryStore()
    const there = processOn(store, new HandMovedClock())
    there.begin('t')
    await until('the log to begin', async () => (await store.info(LOG)) !== undefined)
    const clock = new HandMovedClock()
    await clock.move(60)
    const here = processOn(store, clock)
    const third = processOn(store, clock)
    third.begin('u')
    await seesWorking(here, 'u')
    expect(here.presence.of('t').isWorking).toBe(false)
    expect(here.heard.map(({ threadId }) => threadId)).toEqual(['u'])
  })
})

describe('the log of what the servers are doing', () => {
  it('is begun anew when it has 2,000 entries, and nothing of what is said is missed', async () => {
    const store = memoryStore()
    const clock = new HandMovedClock()
    await fillLog(store, clock, 2_000)
    const [here, there] = [processOn(store, clock), processOn(store, clock)]
    await clock.move(1)
    there.begin('t')
    await restarted(store)
    await clock.move(2) // whoever followed the log that is gone looks for the new one
    await seesWorking(here, 't')
    there.end('t')
    await until('the end of the turn', () => !here.presence.of('t').isWorking)
    expect(here.heard.map(({ type }) => type)).toEqual(['turn-start', 'turn-end'])
    expect(here.heard.at(-1)).toMatchObject({ end: 'done' })
    expect((await store.info(LOG))?.version).toBeLessThan(10)
  })

  it('has what was said last also for whoever looks only now and then', () =>
    inFolder(async (folder) => {
      const stores: Store[] = []
      for (let count = 0; count < 2; count += 1)
        stores.push(await openSqliteStore(join(folder, 'log.db'), { pollMs: 300 }))
      const [mine, other] = stores as [Store, Store]
      const clock = new HandMovedClock()
      await fillLog(mine, clock, 2_000)
      const quick = { now: () => clock.now(), sleep: shortly }
      const here = processOn(mine, quick)
      const there = processOn(other, clock) // which stands still: it says it once, and not again
      there.begin('t')
      await restarted(other)
      await seesWorking(here, 't')
      for (const { presence } of [here, there]) await presence.close()
      for (const store of stores) await store.close()
    }))

  it('is begun anew once, where several find it too long', async () => {
    const store = memoryStore()
    const clock = new HandMovedClock()
    await fillLog(store, clock, 2_000)
    const deletions = vi.spyOn(store, 'delete')
    const all = Array.from({ length: 5 }, () => processOn(store, clock))
    for (const [index, each] of all.entries()) each.begin(`t${index}`)
    await restarted(store)
    await clock.move(15)
    for (const [index] of all.entries())
      for (const each of all.filter((_, other) => other !== index))
        expect(each.presence.of(`t${index}`).isWorking).toBe(true)
    expect(deletions).toHaveBeenCalledTimes(1)
  })

  it('has what is said while another is just about to throw it away', async () => {
    const store = memoryStore()
    // Nobody says anything a second time.
    const sleep: Clock['sleep'] = (ms, signal) =>
      systemClock.sleep(ms < 1_000 ? ms : 100_000, signal)
    const clock = { now: () => new Date(START), sleep }
    await fillLog(store, clock, 2_000)
    const [one, other] = [processOn(store, clock), processOn(store, clock)]
    const { delete: remove, takeLease } = store
    const [deleting, refused, waiting] = [1, 2, 3].map(() => Promise.withResolvers<void>())
    vi.spyOn(store, 'delete').mockImplementation(async (threadId) => {
      deleting?.resolve()
      await waiting?.promise
      return remove.call(store, threadId)
    })
    vi.spyOn(store, 'takeLease').mockImplementation(async (...asked) => {
      const isTaken = await takeLease.apply(store, asked)
      if (!isTaken) refused?.resolve()
      return isTaken
    })
    one.begin('a')
    await deleting?.promise
    other.begin('b')
    await refused?.promise
    waiting?.resolve()
    await restarted(store)
    // Whoever looks only now and then finds what is in the log then.
    await until('both turns in the log', async () => {
      const said = (await store.read(LOG)).flatMap(({ data }) => Object(data).working)
      return said.includes('a') && said.includes('b')
    })
  })
})

/** A log of so many entries, of a process that is long gone. */
async function fillLog(store: Store, clock: Clock, count: number): Promise<void> {
  const nothing = { process: 'old', working: [], compacting: [], approvals: [], ended: [] }
  const events = Array.from(
    { length: count },
    (_, index): NewEvent => ({
      ...{ v: 2, id: `old_${index}`, threadId: LOG, timestamp: clock.now() },
      ...{ type: 'FOREIGN', data: nothing },
    }),
  )
  await store.append(LOG, events, { expectedVersion: 0 })
}
