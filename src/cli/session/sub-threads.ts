// The threads of sub-agents that came out of the same file as a thread.
import { readRow } from '../../core/log/codec.ts'
import type { Store } from '../../core/ports.ts'

/** A store may hold any number of threads: those that were touched last are looked at. */
const LOOKED_AT = 5_000
const PAGE = 500

/** In the order in which the file began them. */
export async function findSubThreads(store: Store, threadId: string): Promise<string[]> {
  const [first] = await store.read(threadId, { limit: 1 })
  const started = first === undefined ? undefined : readRow(first)
  if (started?.type !== 'THREAD_STARTED' || started.data.reason !== 'import') return []
  const found: { readonly threadId: string; readonly seq: number }[] = []
  let after: string | undefined
  for (let looked = 0; looked < LOOKED_AT; looked += PAGE) {
    const page = await store.list({ limit: PAGE, ...(after !== undefined && { after }) })
    for (const each of page.items) {
      const seq = await cameFrom(store, each.threadId, threadId)
      if (seq !== undefined) found.push({ threadId: each.threadId, seq })
    }
    after = page.next
    if (after === undefined) break
  }
  return found
    .sort((a, b) => a.seq - b.seq || (a.threadId < b.threadId ? -1 : 1))
    .map((sub) => sub.threadId)
}

async function cameFrom(store: Store, sub: string, main: string): Promise<number | undefined> {
  const [row] = await store.read(sub, { limit: 1 })
  const event = row === undefined ? undefined : readRow(row)
  if (event?.type !== 'THREAD_STARTED' || event.data.reason !== 'import') return undefined
  return event.data.from?.threadId === main ? event.data.from.seq : undefined
}
