// The threads that a fresh session goes back to: each opens with where it came from.
import { readRow } from '../core/codec.ts'
import type { Store } from '../core/ports.ts'

/** What a thread was when the next one was opened from it; what came later is another story. */
export interface PastThread {
  readonly threadId: string
  readonly upTo: number // the last event that belongs to it
}

/** Further back nobody looks: the work is bounded, also if logs name each other in a circle. */
const MOST_THREADS = 16

/** The latest first. A thread that was deleted ends it: what it came from is not known any more. */
export async function* pastThreadsOf(
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
