// Indexes a bounded part of the log inside a transaction. Loaded on demand, because it imports the codec.
import type { AwaitedCall } from '../../core/search/documents.ts'
import { LIMITS } from '../rows/limits.ts'
import type { StoredEvent } from '../rows/stored-event.ts'
import {
  INDEX_VERSION,
  indexRows,
  type LaggingThread,
  lastSeq,
  ownerIn,
} from '../search/search-index.ts'
import { LAGGING, UNKNOWN } from './search-tables.ts'
import type { Tables } from './tables.ts'
import { segments } from './writes.ts'

/** True if some of what existed at its start is left. */
export function indexMore(tables: Tables): boolean {
  const { search } = tables
  const gone = search.gone()
  for (const key of gone) search.remove(key)
  const lagging = search.lagging()
  let length = 0
  let isAll = gone.length < LAGGING && lagging.length < LAGGING
  for (const thread of lagging) {
    if (length > LIMITS.indexLength) return true
    const indexed = indexThread(tables, thread)
    length += indexed.length
    isAll &&= indexed.isAll
  }
  return !isAll
}

/** Looks up unknown owners of threads. True if some are left. */
export function learnOwners(tables: Tables): boolean {
  const unknown = tables.owners.unknown()
  for (const { key, threadId, baseSeq, isIndexed } of unknown) {
    if (isIndexed) tables.search.remove(key)
    tables.owners.add(key, ownerIn(threadId, findFirst(tables, threadId)), baseSeq)
  }
  return unknown.length === UNKNOWN
}

/** Indexed characters, and whether that was everything. */
function indexThread(tables: Tables, thread: LaggingThread) {
  const { search, events } = tables
  const { key, threadId, version, baseSeq, fromSeq, toSeq, indexVersion } = thread
  // Rows moved here from a deleted thread precede the indexed ones: index everything again.
  const isStale = fromSeq !== null && (baseSeq < fromSeq || (indexVersion ?? 0) < INDEX_VERSION)
  if (isStale) search.remove(key)
  const isNew = fromSeq === null || isStale
  const before = isNew ? baseSeq : (toSeq ?? baseSeq)
  const rows: StoredEvent[] = []
  let length = 0
  for (const row of events.iterate(key, before + 1, version)) {
    rows.push(row)
    length += row[5]?.length ?? 0
    if (rows.length >= LIMITS.indexRows || length > LIMITS.indexLength) break
  }
  const awaited: readonly AwaitedCall[] = isNew ? [] : JSON.parse(thread.awaited ?? '[]')
  const done = isNew ? 0 : thread.partsDone
  const indexed = indexRows(threadId, rows, awaited, { most: LIMITS.indexParts, done })
  for (const part of indexed.parts) search.add(key, part)
  const last = lastSeq(rows, indexed) ?? version
  search.advance({
    key,
    owner: isNew ? ownerIn(threadId, findFirst(tables, threadId)) : '',
    fromSeq: isNew ? baseSeq : fromSeq,
    toSeq: last,
    awaited: JSON.stringify(indexed.awaited),
  })
  return { length, isAll: last >= version }
}

/** A fork shares its first row. */
function findFirst(tables: Tables, threadId: string): StoredEvent | undefined {
  const thread = tables.threads.find(threadId)
  const [place] = thread ? segments(tables, thread, 1, 1) : []
  return place && [...tables.events.iterate(place.key, 1, 1)][0]
}
