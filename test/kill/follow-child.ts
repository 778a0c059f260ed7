// Follows threads that it makes grow through another connection, and says which rows it saw, until it is killed.
import type { Store } from '../../src/core/ports.ts'
import { openStore } from '../../src/stores/open-store.ts'
import { READY } from './child.ts'
import { FOLLOWED, seenBefore } from './follow-threads.ts'
import { runStoreChild, type StoreChild } from './store-child.ts'

await runStoreChild(async (store, child) => {
  const writer = await openStore(child.address)
  const before = seenBefore(child.told.split('\n'))
  child.acknowledge(READY)
  await Promise.all(
    FOLLOWED.flatMap((threadId) => [
      follow(store, threadId, before.get(threadId) ?? 0, child),
      grow(writer, threadId, child),
    ]),
  )
})

async function follow(store: Store, threadId: string, after: number, child: StoreChild) {
  const { signal } = new AbortController()
  for await (const row of store.follow(threadId, after, signal))
    child.acknowledge(`${threadId} ${row.seq} ${row.id}`)
}

async function grow(store: Store, threadId: string, { random }: StoreChild): Promise<never> {
  let version = (await store.info(threadId))?.version ?? 0
  for (;;) {
    const events = Array.from({ length: random.int(1, 3) }, (_, index) => ({
      v: 2,
      id: `${threadId}:${version + index + 1}:${random.int(0, 2 ** 31 - 1)}`,
      threadId,
      timestamp: new Date(),
      type: 'FOREIGN' as const,
      data: 'x'.repeat(random.int(0, 500)),
    }))
    ;({ version } = await store.append(threadId, events, { expectedVersion: version }))
  }
}
