// Runs: short names for stretches of entries, written for a log and resolved in a context.
import type { EntryId, Run } from '../edit/change.ts'
import { bearsEntry, type EventAt } from '../log/event.ts'
import { type Item, itemAt, originalId, parseEntryId } from './entry.ts'

/** A stretch of a context, end exclusive. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/**
 * Names items by runs. Adjacent originals form a range only if the log has no entry between them that is
 * missing here: `nextEntry` returns an original's successor.
 */
export function runsOf(items: readonly Item[], eventAt: EventAt): Run[] {
  const runs: Run[] = []
  let range: { first: number; last: number; count: number } | undefined
  const close = () => {
    if (!range) return
    const { first, last, count } = range
    runs.push(count === 1 ? originalId(first) : [originalId(first), originalId(last), count])
    range = undefined
  }
  for (const item of items) {
    const id = parseEntryId(item.id)
    if (!id.original) {
      close()
      runs.push(item.id)
    } else if (range && adjacent(range.last, id.seq, eventAt)) {
      range = { first: range.first, last: id.seq, count: range.count + 1 }
    } else {
      close()
      range = { first: id.seq, last: id.seq, count: 1 }
    }
  }
  close()
  return runs
}

/** Whether the log has no entry between these two. A missing row counts as one. */
function adjacent(earlier: number, later: number, eventAt: EventAt): boolean {
  if (later <= earlier) return false
  for (let seq = earlier + 1; seq < later; seq += 1) {
    const event = eventAt(seq)
    if (event === undefined || bearsEntry(event)) return false
  }
  return true
}

/** The current place of these runs if they form one stretch; otherwise undefined. */
export function findRuns(
  runs: readonly Run[],
  items: readonly Item[],
  index: ReadonlyMap<EntryId, number>,
): Stretch | undefined {
  let start: number | undefined
  let end = 0
  for (const run of runs) {
    const found = findRun(run, items, index)
    if (!found || (start !== undefined && found.start !== end)) return undefined
    start ??= found.start
    end = found.end
  }
  return start === undefined ? undefined : { start, end }
}

function findRun(
  run: Run,
  items: readonly Item[],
  index: ReadonlyMap<EntryId, number>,
): Stretch | undefined {
  if (typeof run === 'string') {
    const at = index.get(run)
    return at === undefined ? undefined : { start: at, end: at + 1 }
  }
  const [first, last, count] = run
  const start = index.get(first)
  const end = index.get(last)
  if (start === undefined || end === undefined || end - start + 1 !== count) return undefined
  // The log has exactly `count` entries between them, so ascending originals are all of them.
  let before = 0
  for (let at = start; at <= end; at += 1) {
    const id = parseEntryId((items[at] as Item).id)
    if (!id.original || id.seq <= before) return undefined
    before = id.seq
  }
  return { start, end: end + 1 }
}

/** The items a run names; undefined if the log lacks some. */
export function itemsOfRun(run: Run, eventAt: EventAt): Item[] | undefined {
  if (typeof run === 'string') {
    const item = itemAt(run, eventAt)
    return item && [item]
  }
  const items: Item[] = []
  const [first, last, count] = run
  const end = parseEntryId(last).seq
  for (let seq = parseEntryId(first).seq; seq <= end && items.length <= count; seq += 1) {
    const event = eventAt(seq)
    if (event === undefined) return undefined
    const item = bearsEntry(event) ? itemAt(originalId(seq), eventAt) : undefined
    if (item) items.push(item)
  }
  return items.length === count ? items : undefined
}

/** Whether the run names this entry, wherever it is. Ranges compare numbers. */
export function runHas(run: Run, id: EntryId): boolean {
  if (typeof run === 'string') return run === id
  const parsed = parseEntryId(id)
  return (
    parsed.original &&
    parsed.seq >= parseEntryId(run[0]).seq &&
    parsed.seq <= parseEntryId(run[1]).seq
  )
}
