// A follower that keeps what it sees.
import type { Store } from '../../src/core/ports.ts'

/** The ids of a thread as a follower sees them. */
export function collect(store: Store, threadId: string, signal: AbortSignal) {
  const ids: string[] = []
  let wake: () => void = () => undefined
  void (async () => {
    for await (const row of store.follow(threadId, 0, signal)) {
      ids.push(row.id)
      wake()
    }
  })()
  return {
    async upTo(count: number): Promise<readonly string[]> {
      while (ids.length < count)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return ids
    },
  }
}
