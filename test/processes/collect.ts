// A follower that keeps what it sees.
import type { Store } from '../../src/core/ports.ts'
import { until } from '../wait.ts'

/** The ids of a thread as a follower sees them. */
export function collect(store: Store, threadId: string, signal: AbortSignal) {
  const ids: string[] = []
  void (async () => {
    for await (const row of store.follow(threadId, 0, signal)) {
      ids.push(row.id)
    }
  })()
  return {
    async upTo(count: number): Promise<readonly string[]> {
      await until(`${count} rows of ${threadId}`, () => ids.length >= count)
      return ids
    },
  }
}
