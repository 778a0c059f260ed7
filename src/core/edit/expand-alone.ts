// Brings one removed entry back alone: what stands for it and for others stays where it is.
import type { EventAt } from '../log/event.ts'
import type { Context } from '../view/context.ts'
import { type Item, itemAt, newEntryAt, originalId, parseEntryId } from '../view/entry.ts'
import { covered, coveredBy } from '../view/refs.ts'
import { runsOf } from '../view/seam.ts'
import type { Edit, EntryId } from './change.ts'
import { expand, type ReversalDraft, reversalOf } from './reverse.ts'

/**
 * A call and its results come back together, in the order of the log, behind what stands for them. What is
 * rewritten one to one comes back in the place of the rewrite, as `expand` does.
 */
export function expandAlone(context: Context, eventAt: EventAt, id: EntryId): ReversalDraft {
  const items = context.items.toArray()
  const parsed = parseEntryId(id)
  const unit = parsed.original ? findUnit(parsed.seq, eventAt) : []
  const [first] = unit
  const cover = first && findCover(items, readSeq(first), eventAt)
  if (!first || !cover || !isApart(items, unit, eventAt)) return expand(context, eventAt, id)
  const anchor = items[placeBehind(items, cover.at, readSeq(first), eventAt) - 1] as Item
  const edit: Edit = {
    covers: [anchor.id],
    put: [
      { keep: anchor.id },
      ...runsOf(unit, eventAt).map((keep) => ({ keep, hide: ['thinking'] as const })),
    ],
  }
  return reversalOf(context, [edit], cover.seq, eventAt)
}

/** The entry; with the answer that called it and all results of that answer, where it belongs to a call. */
function findUnit(seq: number, eventAt: EventAt): Item[] {
  const item = itemAt(originalId(seq), eventAt)
  if (!item) return []
  if (item.kind !== 'result' && !item.calls) return [item]
  const start = item.kind === 'result' ? findCaller(seq, eventAt) : seq
  const answer = start === undefined ? undefined : itemAt(originalId(start), eventAt)
  if (start === undefined || !answer) return []
  const unit = [answer]
  for (let at = start + 1; eventAt(at) !== undefined; at += 1) {
    const next = itemAt(originalId(at), eventAt)
    if (!next) continue
    if (next.kind !== 'result') break
    unit.push(next)
  }
  return unit
}

/** The answer right before a row of results. */
function findCaller(seq: number, eventAt: EventAt): number | undefined {
  for (let at = seq - 1; at > 0; at -= 1) {
    const item = itemAt(originalId(at), eventAt)
    if (!item || item.kind === 'result') continue
    return item.kind === 'answer' ? at : undefined
  }
  return undefined
}

/** Nothing of it is in the context, not even rewritten. */
function isApart(items: readonly Item[], unit: readonly Item[], eventAt: EventAt): boolean {
  const present = new Set<EntryId>()
  for (const { id } of items)
    for (let each: EntryId | undefined = id; each; each = newEntryAt(each, eventAt)?.of)
      present.add(each)
  return unit.every((item) => !present.has(item.id))
}

interface Cover {
  readonly at: number
  readonly seq: number // of the compaction that put it there
}

/** What stands for an original now. */
function findCover(items: readonly Item[], seq: number, eventAt: EventAt): Cover | undefined {
  for (const [at, { id }] of items.entries()) {
    const made = parseEntryId(id)
    if (!made.original && coveredBy([id], eventAt)(seq)) return { at, seq: made.seq }
  }
  return undefined
}

/** Behind everything that is earlier in the log, never between a call and its results. */
function placeBehind(items: readonly Item[], cover: number, seq: number, eventAt: EventAt): number {
  let place = cover + 1
  for (let at = place; at < items.length; at += 1) {
    const item = items[at] as Item
    const origin = covered(item.id, eventAt, 1)[0]
    if (item.kind !== 'result' && origin !== undefined && parseEntryId(origin).seq > seq) break
    if (origin !== undefined) place = at + 1
  }
  return place
}

function readSeq({ id }: Item): number {
  return parseEntryId(id).seq
}
