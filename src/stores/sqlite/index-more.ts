// Indexing a bounded stretch of the log, inside a transaction. Loaded when it is needed: it brings the codec along.
import type { AwaitedCall } from '../../core/search-documents.ts'
import type { Cells } from '../cells.ts'
import { LIMITS } from '../limits.ts'
import { indexRows } from '../search-index.ts'
import type { LaggingThread } from './search-tables.ts'
import type { Tables } from './tables.ts'

/** True where it did something: there may be more. */
export function indexMore(tables: Tables): boolean {
  const { search } = tables
  const gone = search.gone()
  for (const key of gone) search.remove(key)
  const lagging = search.lagging()
  let length = 0
  for (const thread of lagging) {
    if (length > LIMITS.indexLength) break
    length += indexThread(tables, thread)
  }
  return gone.length + lagging.length > 0
}

/** Characters that were indexed. */
function indexThread({ search, events }: Tables, thread: LaggingThread): number {
  const { key, threadId, version, baseSeq } = thread
  // Rows that came from a thread that is gone stand before what is indexed: then all once more.
  const isMoved = thread.fromSeq !== null && baseSeq < thread.fromSeq
  if (isMoved) search.remove(key)
  const isNew = thread.fromSeq === null || isMoved
  const before = isNew ? baseSeq : (thread.toSeq ?? baseSeq)
  const rows: Cells[] = []
  let length = 0
  for (const row of events.iterate(key, before + 1, version)) {
    rows.push(row)
    length += row[5].length
    if (rows.length >= LIMITS.indexRows || length > LIMITS.indexLength) break
  }
  const awaited: readonly AwaitedCall[] = isNew ? [] : JSON.parse(thread.awaited ?? '[]')
  const indexed = indexRows(threadId, rows, awaited)
  for (const part of indexed.parts) search.add(key, part)
  const last = rows.at(-1)?.[0] ?? version
  search.advance(key, isNew ? baseSeq : (thread.fromSeq ?? baseSeq), last, json(indexed.awaited))
  return length
}

function json(awaited: readonly AwaitedCall[]): string {
  return JSON.stringify(awaited)
}
