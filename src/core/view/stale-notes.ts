// Notes that a brief makes needless: it says from the log what they say.
import type { Edit } from '../edit/change.ts'
import type { EventAt } from '../log/event.ts'
import type { Context } from './context.ts'
import { type Item, isNewEntry, newEntryAt, parseEntryId } from './entry.ts'
import { covered, takenOut } from './keep-request.ts'
import { findRequests } from './last-request.ts'
import { carriedEntry, isCarried, textIn, withoutFacts } from './request-note.ts'

/**
 * A note says what the compaction before it lost. A brief that replaces part of that compaction uses the log
 * instead, so only the note's open requests remain.
 */
export function dropStaleNotes(
  edits: readonly Edit[],
  context: Context,
  eventAt: EventAt,
): readonly Edit[] {
  const briefs = edits.filter(({ put }) =>
    put.some((one) => isNewEntry(one) && one.label === 'brief'),
  )
  if (briefs.length === 0) return edits
  const items = context.items.toArray()
  const index = new Map(items.map((item, at) => [item.id, at] as const))
  const gone = briefs.flatMap((edit) => takenOut(edit, items, index))
  const touched = new Set(edits.flatMap((edit) => covered(edit, items, index)))
  const stale = findStaleNotes(items, gone, touched, eventAt)
  const cleared = [...stale].map(
    ([{ id }, left]): Edit => ({ covers: [id], put: left === '' ? [] : [carriedEntry(left)] }),
  )
  return [...cleared, ...edits]
}

/** The notes that lose what they say of facts, each with what is left of it. */
export function findStaleNotes(
  items: readonly Item[],
  gone: readonly Item[], // what a brief is in place of
  touched: ReadonlySet<Item>, // what its proposal speaks of itself
  eventAt: EventAt,
): ReadonlyMap<Item, string> {
  const compactionOf = ({ id }: Item) => {
    const { original, seq } = parseEntryId(id)
    return original ? [] : [seq]
  }
  const replaced = new Set(gone.flatMap(compactionOf))
  const beside = items.filter(
    (item) => compactionOf(item).some((seq) => replaced.has(seq)) && !touched.has(item),
  )
  const wanted = new Set(findRequests(items, eventAt).shown.map(({ id }) => id))
  const stale = beside.flatMap((item): [Item, string][] => {
    const entry = newEntryAt(item.id, eventAt)
    if (entry === undefined || !isCarried(entry)) return []
    const text = textIn(entry)
    const left = wanted.has(item.id) ? withoutFacts(text) : ''
    return left.length < text.length ? [[item, left]] : []
  })
  return new Map(stale)
}
