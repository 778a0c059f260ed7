// Fresh sessions open with where they came from: the threads behind one, and those that go on from one.
import { readRow } from '../core/log/codec.ts'
import type { Store, ThreadInfo } from '../core/ports.ts'

/** What a thread was when the next one was opened from it; what came later is another story. */
interface PastThread {
  readonly threadId: string
  readonly upTo: number // the last event that belongs to it
}

/** Further back nobody looks: the work is bounded, also if logs name each other in a circle. */
const MOST_THREADS = 16

/** The latest first. A thread that was deleted ends it: what it came from is not known any more. */
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

/** Fresh sessions that were opened from a thread, of so many pages of the latest threads. */
const MOST_PAGES = 10

/** The latest first; of threads that were made at `sinceMs` or later, where that is given. */
export async function* listFreshThreads(
  store: Pick<Store, 'read' | 'list'>,
  threadId: string,
  sinceMs = 0,
): AsyncGenerator<ThreadInfo> {
  let after: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const { items, next } = await store.list(after === undefined ? {} : { after })
    for (const info of items) {
      if (info.updatedAt.getTime() < sinceMs) return // the list begins with the latest
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
