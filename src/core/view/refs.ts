// Refs: resolves an entry to the original events of the log.
import type { Edit, EntryId, Run } from '../edit/change.ts'
import { bearsEntry, type EventAt, isChange, type ThreadEvent } from '../log/event.ts'
import { collectPuts, isNew, originalId, parseEntryId } from './entry.ts'

/** Precedes each message in texts for readers without refs. People's lists use other marks. */
export const MESSAGE_MARK = '‣ '

/** Rows a walk needs but lacks; the caller loads them and continues. */
export interface MissingRows {
  readonly from: number
  readonly to: number
}

/** Part of what an edit covers, and what of it stays. */
interface Part {
  readonly run: Run
  readonly kept: KeptEntries
}

/** What an edit keeps: originals as disjoint ascending ranges; others by id. */
interface KeptEntries {
  readonly stretches: readonly (readonly [from: number, to: number])[]
  readonly made: ReadonlySet<EntryId>
}

const NOTHING: KeptEntries = { stretches: [], made: new Set() }
/** Rows requested at a time, since a limit may be reached early. */
const ROWS_AT_ONCE = 256

/**
 * The originals an entry covers, in order; an original covers itself. The first new entry of an edit stands
 * for everything covered and not kept, a rewrite for its original.
 */
export function covered(
  id: EntryId,
  eventAt: EventAt,
  limit = Number.POSITIVE_INFINITY,
): EntryId[] {
  const found: EntryId[] = []
  if (limit <= 0) return found
  for (const step of walkCovered(id, eventAt)) {
    if (typeof step !== 'string') continue // a missing row covers nothing
    found.push(step)
    if (found.length >= limit) break
  }
  return found
}

/**
 * The same step by step, for rows not in memory: names missing rows and continues. Summaries may be nested to
 * any depth, so it has its own stack.
 */
export function* walkCovered(id: EntryId, eventAt: EventAt): Generator<EntryId | MissingRows> {
  const stack: Part[] = [{ run: id, kept: NOTHING }]
  // A damaged log may be cyclic, and a restored entry may be covered twice.
  const seen = new Set<EntryId>()
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    const { run, kept } = part
    if (typeof run !== 'string') {
      for (const step of walkRange(run, kept, eventAt)) {
        if (typeof step !== 'string') yield step
        else if (!seen.has(step)) {
          seen.add(step)
          yield step
        }
      }
      continue
    }
    if (isKept(run, kept) || seen.has(run)) continue
    seen.add(run)
    const parsed = parseEntryId(run)
    if (parsed.original) {
      yield run
      continue
    }
    const { seq, index } = parsed
    if (eventAt(seq) === undefined) yield { from: seq, to: seq }
    const edit = carriedBy(eventAt(seq), index)
    if (edit === undefined) continue
    const stays = keptBy(edit)
    for (const inner of edit.covers.toReversed()) stack.push({ run: inner, kept: stays })
  }
}

/**
 * Whether one of these entries covers an original, by number. Needs no covered rows: a missing earlier
 * compaction counts for everything before it.
 */
export function coveredBy(ids: readonly EntryId[], eventAt: EventAt): (seq: number) => boolean {
  const spans: { readonly from: number; readonly to: number; readonly kept: KeptEntries }[] = []
  const stack: Part[] = ids.map((run) => ({ run, kept: NOTHING }))
  const seen = new Set<EntryId>()
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    const { run, kept } = part
    const [first, last] = typeof run === 'string' ? [run, run] : run
    const parsed = parseEntryId(first)
    if (parsed.original) {
      spans.push({ from: parsed.seq, to: parseEntryId(last).seq, kept })
      continue
    }
    if (seen.has(first) || isKept(first, kept)) continue
    seen.add(first)
    const event = eventAt(parsed.seq)
    if (event === undefined) spans.push({ from: 1, to: parsed.seq, kept })
    const edit = carriedBy(event, parsed.index)
    if (edit === undefined) continue
    const stays = keptBy(edit)
    for (const inner of edit.covers) stack.push({ run: inner, kept: stays })
  }
  return (seq) =>
    spans.some(({ from, to, kept }) => from <= seq && seq <= to && !isKept(originalId(seq), kept))
}

/** The originals of a range that the log has. */
function* walkRange(
  [first, last, count]: Exclude<Run, string>,
  kept: KeptEntries,
  eventAt: EventAt,
): Generator<EntryId | MissingRows> {
  const to = parseEntryId(last).seq
  let left = count
  for (let seq = parseEntryId(first).seq; seq <= to && left > 0; seq += 1) {
    let event = eventAt(seq)
    if (event === undefined) {
      yield { from: seq, to: Math.min(to, seq + ROWS_AT_ONCE - 1) }
      event = eventAt(seq)
    }
    if (event === undefined) return
    if (!bearsEntry(event)) continue
    left -= 1
    const id = originalId(seq)
    if (!isKept(id, kept)) yield id
  }
}

/** Cached per change: otherwise n rewrites would take n² steps. */
const carriers = new WeakMap<readonly Edit[], ReadonlyMap<number, Edit>>()

/** The edit the new entry at this index stands for: only the first of an edit does. */
function carriedBy(event: ThreadEvent | undefined, index: number): Edit | undefined {
  if (!event || !isChange(event)) return undefined
  const { edits } = event.data
  const known = carriers.get(edits) ?? findCarriers(edits)
  carriers.set(edits, known)
  return known.get(index)
}

function findCarriers(edits: readonly Edit[]): Map<number, Edit> {
  const found = new Map<number, Edit>()
  let next = 0
  for (const edit of edits) {
    const made = collectPuts(edit).filter(isNew).length
    if (made > 0) found.set(next, edit)
    next += made
  }
  return found
}

function keptBy(edit: Edit): KeptEntries {
  const made = new Set<EntryId>()
  const found: (readonly [number, number])[] = []
  for (const put of edit.put) {
    if (!('keep' in put)) continue
    const [first, last] = typeof put.keep === 'string' ? [put.keep, put.keep] : put.keep
    const from = parseEntryId(first)
    if (from.original) found.push([from.seq, parseEntryId(last).seq])
    else made.add(first)
  }
  const stretches: [number, number][] = []
  for (const [from, to] of found.toSorted(([one], [other]) => one - other)) {
    const before = stretches.at(-1)
    if (before && from <= before[1]) before[1] = Math.max(before[1], to)
    else stretches.push([from, to])
  }
  return { stretches, made }
}

function isKept(id: EntryId, { stretches, made }: KeptEntries): boolean {
  if (stretches.length === 0) return made.has(id)
  const parsed = parseEntryId(id)
  if (!parsed.original) return made.has(id)
  let low = 0
  let high = stretches.length
  while (low < high) {
    const middle = (low + high) >> 1
    const [, to] = stretches[middle] as readonly [number, number]
    if (to < parsed.seq) low = middle + 1
    else high = middle
  }
  const stretch = stretches[low]
  return stretch !== undefined && stretch[0] <= parsed.seq
}
