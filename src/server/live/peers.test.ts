// What one server asks of another: heard also where the log of it is begun anew.
import { expect, it, onTestFinished, vi } from 'vitest'
import { testIds } from '../../../test/generate/test-log.ts'
import { until } from '../../../test/wait.ts'
import type { NewEvent } from '../../core/log/event.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { memoryStore } from '../../stores/memory/memory.ts'
import { systemClock } from '../../system.ts'
import { Peers } from './peers.ts'

const LOG = 'sys_signals'
/** Nobody sleeps for long. */
const quick: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal),
}

let servers = 0

function serverOn(store: Store) {
  servers += 1
  const decided: string[] = []
  const peers = new Peers(
    { store, clock: quick, ids: testIds(`s${servers}_`) },
    {
      abort: async () => undefined,
      decide: (threadId, callId, decision) =>
        void decided.push(`${threadId} ${callId} ${decision}`),
    },
  )
  onTestFinished(() => peers.close())
  return { peers, decided }
}

/** A log of so many signals that nobody waits for. */
async function fillLog(store: Store, count: number): Promise<void> {
  const events = Array.from(
    { length: count },
    (_, index): NewEvent => ({
      ...{ v: 2, id: `old_${index}`, threadId: LOG, timestamp: new Date() },
      ...{ type: 'FOREIGN', data: { abort: 'old' } },
    }),
  )
  await store.append(LOG, events, { expectedVersion: 0 })
}

it('is heard in a log that was just begun anew behind 2,000 signals', async () => {
  const store = memoryStore()
  await fillLog(store, 2_000)
  const [here, there] = [serverOn(store), serverOn(store)]
  await store.takeLease('thread:t', 'there', 60_000) // somebody works on it
  expect(await here.peers.decide('t', 'c1', 'allow')).toBe(true)
  await until('the first decision to be heard', () => there.decided.length === 1)
  expect(await here.peers.decide('t', 'c2', 'deny')).toBe(true)
  await until('the second decision to be heard', () => there.decided.length === 2)
  expect(there.decided).toEqual(['t c1 allow', 't c2 deny'])
  expect((await store.info(LOG))?.version).toBe(3) // with its title
})

it('is not thrown away with the log where two begin it anew at the same time', async () => {
  const store = memoryStore()
  await fillLog(store, 2_000)
  const [one, other, third] = [serverOn(store), serverOn(store), serverOn(store)]
  await store.takeLease('thread:t', 'there', 60_000)
  // The other one has looked before the first has begun: it takes its time to do the same.
  const { info } = store
  let isHeld = true
  const looked = Promise.withResolvers<void>()
  vi.spyOn(store, 'info').mockImplementation(async (threadId) => {
    const found = await info.call(store, threadId)
    if (threadId !== LOG || !isHeld || (found?.version ?? 0) < 2_000) return found
    isHeld = false
    await looked.promise
    return found
  })
  const late = one.peers.decide('t', 'late', 'allow')
  await until('the one that is late to look at the log', () => !isHeld)
  await other.peers.decide('t', 'first', 'allow')
  looked.resolve()
  await late
  await until('both decisions to be heard', () => third.decided.length === 2)
  expect(third.decided).toEqual(['t first allow', 't late allow'])
})

it('is not thrown away with the log where another is just about to', async () => {
  const store = memoryStore()
  await fillLog(store, 2_000)
  const [one, other] = [serverOn(store), serverOn(store)]
  await store.takeLease('thread:t', 'there', 60_000)
  const { delete: remove, takeLease } = store
  const [deleting, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  vi.spyOn(store, 'delete').mockImplementation(async (threadId) => {
    deleting.resolve()
    await waiting.promise
    return remove.call(store, threadId)
  })
  const first = one.peers.decide('t', 'first', 'allow')
  await deleting.promise
  const refused = Promise.withResolvers<void>()
  vi.spyOn(store, 'takeLease').mockImplementation(async (name, ...rest) => {
    const isTaken = await takeLease.call(store, name, ...rest)
    if (name === LOG && !isTaken) refused.resolve()
    return isTaken
  })
  const second = other.peers.decide('t', 'second', 'allow')
  await refused.promise
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  waiting.resolve()
  await Promise.all([first, second])
  // Who looks only now and then finds what is in the log then.
  const asked = (await store.read(LOG)).flatMap(({ data }) => Object(data).callId ?? [])
  expect(asked.toSorted()).toEqual(['first', 'second'])
})
