// Appends batches with snapshots, forks and deletes, until it is killed. Rows tell what must be true of them.
import type { NewEvent } from '../../src/core/log/event.ts'
import type { Store } from '../../src/core/ports.ts'
import { type ChildWork, READY } from './child.ts'
import { runStoreChild } from './store-child.ts'
import { foldRows, type Sum } from './sum.ts'

const THREADS = ['a', 'b', 'c']

await runStoreChild(async (store, child) => {
  child.acknowledge(READY)
  await Promise.all(THREADS.map((threadId) => appendForever(store, threadId, child)))
})

/** Several threads at once, so that their appends share transactions. */
async function appendForever(store: Store, threadId: string, child: ChildWork): Promise<never> {
  let sum = await currentSum(store, threadId)
  for (;;) {
    const events = batch(threadId, sum.seq, child)
    sum = foldRows(sum, events)
    const snapshot = { seq: sum.seq, foldVersion: 1, state: { ...sum } }
    const { version } = await store.append(threadId, events, {
      expectedVersion: sum.seq - events.length,
      ...(child.random.int(0, 2) === 0 && { snapshot }),
    })
    child.acknowledge(`${threadId} ${version}`)
    if (child.random.int(0, 9) === 0) await forkAndDelete(store, threadId, version, child)
  }
}

/** A thread that takes over what another one shared with it. */
async function forkAndDelete(store: Store, threadId: string, seq: number, child: ChildWork) {
  const [first, second] = [`${threadId}/x${seq}`, `${threadId}/y${seq}`]
  await store.fork(threadId, seq, first, batch(first, seq, child))
  const version = (await store.info(first))?.version ?? 0
  await store.fork(first, version, second, [])
  child.acknowledge(`${second} ${version}`)
  await store.delete(first)
  child.acknowledge(`gone ${first}`)
}

async function currentSum(store: Store, threadId: string): Promise<Sum> {
  const snapshot = await store.snapshot(threadId, 1)
  const before = (snapshot?.state ?? { seq: 0, total: 0 }) as unknown as Sum
  return foldRows(before, await store.read(threadId, { from: before.seq + 1 }))
}

function batch(threadId: string, before: number, { random }: ChildWork): NewEvent[] {
  const size = random.int(1, 6)
  const [first, last] = [before + 1, before + size]
  return Array.from({ length: size }, (_, index) => ({
    v: 2,
    id: `${threadId}:${first + index}`,
    threadId,
    timestamp: new Date(first + index),
    type: 'FOREIGN',
    data: {
      first,
      last,
      number: random.int(0, 999),
      filler: 'x'.repeat(random.int(0, 19) === 0 ? 100_000 : random.int(0, 999)),
    },
  }))
}
