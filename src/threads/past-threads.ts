// Fresh sessions record their origin: finds the threads before one, and those that continue it.
import { readRow } from '../core/log/codec.ts'
import type { Store, ThreadInfo } from '../core/ports.ts'

/** A thread at the moment the next one was opened from it; later events do not belong to it. */
interface PastThread {
  readonly threadId: string
  readonly upTo: number // its last event
}

/** Bounds the work, even if logs refer to each other in a cycle. */
const MOST_THREADS = 16

/** Latest first. Ends at a deleted thread, whose origin is unknown. */
export async function* listPastThreads(
  store: Pick<Store, 'read'>,
  threadId: string,
): AsyncGenerator<PastThread> {
  let at = threadId
  for (let steps = 0; steps < MOST_THREADS; steps += 1) {
    const [row] = await store.read(at, { from: 1, to: 1 })
    const first = row && readRow(row)
    if (first?.type !== 'THREAD_STARTED' || first.data.reason !== 'fresh-session') return
    const { from } = first.data
    if (!from) return
    yield { threadId: from.threadId, upTo: from.seq }
    at = from.threadId
  }
}

/** Pages of the latest threads searched for fresh sessions. */
const MOST_PAGES = 10

/** Latest first; with `sinceMs`, only threads created since. */
export async function* listFreshThreads(
  store: Pick<Store, 'read' | 'list'>,
  threadId: string,
  sinceMs = 0,
): AsyncGenerator<ThreadInfo> {
  let after: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const { items, next } = await store.list(after === undefined ? {} : { after })
    for (const info of items) {
      if (info.updatedAt.getTime() < sinceMs) return // the list starts with the latest
      if (info.createdAt.getTime() < sinceMs || info.threadId === threadId) continue
      for await (const { threadId: former } of listPastThreads(store, info.threadId)) {
        if (former === threadId) yield info
        break
      }
    }
    if (next === undefined) return
    after = next
  }
}
