// Applies a change to the items of a context: all edits in one pass, or none.
import type { EventAt } from '../log/event.ts'
import {
  collectPuts,
  gapItem,
  type Item,
  isNew,
  isNewEntry,
  itemOfNewEntry,
  newId,
  withHidden,
} from '../view/entry.ts'
import { findRuns, itemsOfRun, runHas, type Stretch } from '../view/entry-range.ts'
import type { Change, Edit, EntryId, Kept, Run } from './change.ts'

/** An edit with its current place and its result. */
export interface PlacedEdit extends Stretch {
  readonly edit: Edit
  readonly items: readonly Item[]
}

/** The result of a change. */
export interface Applied {
  readonly items: readonly Item[]
  readonly placed: readonly PlacedEdit[] // in context order
}

export type Application =
  | ({ readonly ok: true } & Applied)
  | {
      readonly ok: false
      readonly reason: 'stale' | 'malformed'
      readonly message: string
      readonly edit?: Edit
    }

/** `forward` adds new entries; a `reversal` restores logged ones. */
export type Direction = 'forward' | 'reversal'

export function applyChange(
  items: readonly Item[],
  change: Pick<Change, 'edits' | 'hide'>,
  seq: number,
  direction: Direction,
  eventAt: EventAt,
): Application {
  const index = indexById(items)
  const placed: PlacedEdit[] = []
  let made = 0
  for (const edit of change.edits) {
    const stretch = edit.covers.length === 0 ? undefined : findRuns(edit.covers, items, index)
    if (!stretch)
      return {
        ok: false,
        reason: 'stale',
        message: 'it does not cover one contiguous range of the context',
        edit,
      }
    const covered = items.slice(stretch.start, stretch.end)
    const put = putItems(edit, covered, seq, made, direction, eventAt)
    if (typeof put === 'string') return { ok: false, reason: 'malformed', message: put, edit }
    for (const one of collectPuts(edit)) if (isNew(one)) made += 1
    placed.push({ ...stretch, edit, items: put })
  }
  const ordered = placed.toSorted((a, b) => a.start - b.start)
  for (let at = 1; at < ordered.length; at += 1)
    if ((ordered[at] as PlacedEdit).start < (ordered[at - 1] as PlacedEdit).end)
      return { ok: false, reason: 'malformed', message: 'two edits cover the same entry' }
  const result = hideThinking(splice(items, ordered), change.hide ?? [], findRewrites(ordered))
  return new Set(result.map(({ id }) => id)).size === result.length
    ? { ok: true, items: result, placed: ordered }
    : { ok: false, reason: 'malformed', message: 'an entry would stand in the context twice' }
}

export function indexById(items: readonly Item[]): Map<EntryId, number> {
  return new Map(items.map((item, at) => [item.id, at]))
}

/** What an edit puts in its place, or why it cannot. */
function putItems(
  edit: Edit,
  covered: readonly Item[],
  seq: number,
  made: number,
  direction: Direction,
  eventAt: EventAt,
): Item[] | string {
  let index: Map<EntryId, number> | undefined // needed only by edits that keep something
  const items: Item[] = []
  let next = made
  let reached = -1
  for (const put of collectPuts(edit)) {
    if (!('keep' in put)) {
      if (direction === 'reversal') return 'a reversal brings in no new entry'
      const id = newId(seq, next)
      items.push(isNewEntry(put) ? itemOfNewEntry(id, put, eventAt) : gapItem(id))
      next += 1
      continue
    }
    index ??= indexById(covered)
    const kept = keptItems(put, covered, index, eventAt)
    if (!kept) return `it keeps ${runText(put.keep)}, which is not there`
    for (const item of kept) {
      const at = index.get(item.id) ?? -1
      if (direction === 'forward' && at <= reached)
        return `it keeps ${item.id} out of order or from elsewhere`
      reached = at
      items.push(item)
    }
  }
  return items
}

function keptItems(
  put: Kept,
  covered: readonly Item[],
  current: ReadonlyMap<EntryId, number>,
  eventAt: EventAt,
): Item[] | undefined {
  const here = findRuns([put.keep], covered, current)
  // Other items may be in between: each keeps its hidden state.
  const asItIs = (item: Item) => covered[current.get(item.id) ?? -1] ?? item
  const items = here
    ? covered.slice(here.start, here.end)
    : itemsOfRun(put.keep, eventAt)?.map(asItIs)
  const { hide } = put
  return hide === undefined ? items : items?.map((item) => withHidden(item, hide))
}

function splice(items: readonly Item[], ordered: readonly PlacedEdit[]): Item[] {
  const result: Item[] = []
  let from = 0
  for (const edit of ordered) {
    for (let at = from; at < edit.start; at += 1) result.push(items[at] as Item)
    for (const item of edit.items) result.push(item)
    from = edit.end
  }
  for (let at = from; at < items.length; at += 1) result.push(items[at] as Item)
  return result
}

/** The entry behind each rewrite: both hide the same. */
function findRewrites(placed: readonly PlacedEdit[]): Map<EntryId, EntryId> {
  const rewrites = new Map<EntryId, EntryId>()
  for (const { edit, items } of placed) {
    const put = edit.put[0]
    const item = items[0]
    if (put && item && isNewEntry(put) && put.of !== undefined) rewrites.set(item.id, put.of)
  }
  return rewrites
}

function hideThinking(
  items: Item[],
  runs: readonly Run[],
  rewrites: ReadonlyMap<EntryId, EntryId>,
): Item[] {
  if (runs.length === 0) return items
  const single = new Set(runs.filter((run) => typeof run === 'string'))
  const ranges = runs.filter((run) => typeof run !== 'string')
  return items.map((item) => {
    if (item.thinkingTokens === undefined) return item
    const name = rewrites.get(item.id) ?? item.id
    const hidden = single.has(name) || ranges.some((run) => runHas(run, name))
    return hidden ? withHidden(item, ['thinking']) : item
  })
}

function runText(run: Run): string {
  return typeof run === 'string' ? run : `${run[0]} to ${run[1]}`
}
