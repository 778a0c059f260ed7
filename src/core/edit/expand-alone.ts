// Restores removed content in one change: one entry, or everything a text replaced.
import { PrecisError } from '../errors.ts'
import { EVENT_VERSION, type EventAt, isChange, type ThreadEvent } from '../log/event.ts'
import { type Context, foldEvent } from '../view/context.ts'
import { findRoot, type Item, itemAt, originalId, parseEntryId, withHidden } from '../view/entry.ts'
import { runHas, runsOf } from '../view/entry-range.ts'
import { covered, coveredBy } from '../view/refs.ts'
import { indexById } from './apply.ts'
import type { Edit, EntryId } from './change.ts'
import { isHidden, keptAs } from './inverse.ts'
import { expand, findReversal, type ReversalDraft, undo } from './reverse.ts'

/**
 * Restores one entry through everything that covers it, and keeps what replaced it. A call and its results
 * come together, in log order, after their replacement. An entry that was rewritten one to one takes the
 * rewrite's place.
 */
export function expandAlone(context: Context, eventAt: EventAt, id: EntryId): ReversalDraft {
  const items = context.items.toArray()
  const rewrite = items.find((item) => item.id !== id && findRoot(item.id, eventAt) === id)
  if (rewrite) return findReversal(context, [putInPlace(rewrite, id)], readSeq(rewrite), eventAt)
  const parsed = parseEntryId(id)
  const unit = parsed.original ? findUnit(parsed.seq, eventAt) : []
  const own = new Set(unit.map((item) => item.id))
  const others = items.filter((item) => !own.has(findRoot(item.id, eventAt)))
  const [first] = unit
  const cover = first && findCover(others, parsed.seq, eventAt)
  const visible = indexById(items)
  const isThere = unit.every((item) => visible.has(item.id))
  if (!first || !cover || isThere) return expand(context, eventAt, id)
  const place = placeBehind(others, cover.at, readSeq(first), eventAt)
  const back = unit.map((item) => withHidden(item, ['thinking']))
  const edit = findDifference(items, others.toSpliced(place, 0, ...back), eventAt)
  return findReversal(context, [edit], cover.seq, eventAt)
}

/** Restores what the entry `id` replaced; entries restored earlier take their places among the others. */
export function expandWhole(context: Context, eventAt: EventAt, id: EntryId): ReversalDraft {
  const steps = new Steps(context, eventAt)
  for (const seq of listExpansions(context, parseEntryId(id).seq, eventAt)) {
    const draft = undoUnlessCovered(steps, seq)
    if (draft) steps.take(draft)
  }
  const cleared = clearedFor(steps, id)
  if (cleared) steps.take(cleared)
  steps.take(expand(steps.context, steps.eventAt, id))
  return steps.asOne()
}

/** A later change may cover what was restored: then leave it as it is. */
function undoUnlessCovered(steps: Steps, seq: number): ReversalDraft | undefined {
  try {
    return undo(steps.context, steps.eventAt, seq)
  } catch (error) {
    if (PrecisError.is(error) && error.code === 'covered-by') return undefined
    throw error
  }
}

/** Without entries that are in the context already, whole or rewritten: they would appear twice. */
function clearedFor({ context, eventAt }: Steps, id: EntryId): ReversalDraft | undefined {
  const { seq } = parseEntryId(id)
  const change = eventAt(seq)
  const inverse = change && isChange(change) ? change.data.inverse : []
  const edit = inverse.find(({ covers }) => covers.some((run) => runHas(run, id)))
  if (!edit) return undefined
  const items = context.items.toArray()
  const isBack = (item: Item) => {
    const root = findRoot(item.id, eventAt)
    const isPut = edit.put.some((put) => 'keep' in put && runHas(put.keep, root))
    return isPut && !edit.covers.some((run) => runHas(run, item.id))
  }
  if (!items.some(isBack) || !items.some((item) => item.id === id)) return undefined
  // Start with the entry that stays: a change cannot put nothing.
  const isNear = (item: Item) => item.id === id || isBack(item)
  const stretch = items.slice(items.findIndex(isNear), items.findLastIndex(isNear) + 1)
  const stays = stretch.filter((item) => !isBack(item))
  const cleared: Edit = { covers: runsOf(stretch, eventAt), put: keptAs(stays, eventAt) }
  return findReversal(context, [cleared], seq, eventAt)
}

/** The changes that restored part of a compaction, newest first. */
function listExpansions({ stack }: Context, of: number, eventAt: EventAt): number[] {
  return stack.toReversed().filter((seq) => {
    const event = seq > of ? eventAt(seq) : undefined
    return event?.type === 'CONTENT_EXPANDED' && event.data.of === of
  })
}

/** Reversals applied in memory one by one, so that they form one change and one undo. */
class Steps {
  context: Context
  readonly #start: Context
  readonly #eventAt: EventAt
  readonly #taken: ThreadEvent[] = []

  constructor(context: Context, eventAt: EventAt) {
    this.context = context
    this.#start = context
    this.#eventAt = eventAt
  }

  readonly eventAt: EventAt = (seq) =>
    this.#taken[seq - this.#start.version - 1] ?? this.#eventAt(seq)

  take(draft: ReversalDraft): void {
    const event = {
      ...draft,
      v: EVENT_VERSION,
      id: 'step',
      threadId: '',
      seq: this.context.version + 1,
      timestamp: new Date(0),
    } as ThreadEvent
    this.#taken.push(event)
    this.context = foldEvent(this.context, event, this.eventAt)
  }

  asOne(): ReversalDraft {
    const [first] = this.#taken
    if (this.#taken.length === 1 && first?.type === 'CONTENT_EXPANDED')
      return { type: first.type, data: first.data }
    // The newest one involved: undoing by its number reverts this first.
    const of = Math.max(
      ...this.#taken.map(({ type, data }) => (type === 'CONTENT_EXPANDED' ? data.of : 0)),
    )
    const [before, after] = [this.#start, this.context].map(({ items }) => items.toArray())
    const edit = findDifference(before ?? [], after ?? [], this.#eventAt)
    return findReversal(this.#start, [edit], of, this.#eventAt)
  }
}

/** One edit from the first to the last difference. */
function findDifference(before: readonly Item[], after: readonly Item[], eventAt: EventAt): Edit {
  const shorter = Math.min(before.length, after.length)
  let from = 0
  while (from < shorter && isSame(before[from], after[from])) from += 1
  let end = 0
  while (end < shorter - from && isSame(before.at(-1 - end), after.at(-1 - end))) end += 1
  // An edit must cover something: if nothing is removed, a neighbour that stays.
  if (from + end === before.length && from > 0) from -= 1
  else if (from + end === before.length) end -= 1
  return {
    covers: runsOf(before.slice(from, before.length - end), eventAt),
    put: keptAs(after.slice(from, after.length - end), eventAt),
  }
}

function isSame(one: Item | undefined, other: Item | undefined): boolean {
  return one?.id === other?.id && isHidden(one) === isHidden(other)
}

function putInPlace(rewrite: Item, id: EntryId): Edit {
  return { covers: [rewrite.id], put: [{ keep: id, hide: ['thinking'] }] }
}

/** The entry; for part of a round, the answer with all its results. */
function findUnit(seq: number, eventAt: EventAt): Item[] {
  const item = itemAt(originalId(seq), eventAt)
  if (!item) return []
  if (item.kind !== 'result' && !item.calls) return [item]
  const start = item.kind === 'result' ? findCaller(seq, eventAt) : seq
  const answer = start === undefined ? undefined : itemAt(originalId(start), eventAt)
  // A late result, or one of a lost call, stands alone.
  const isLoose = !item.calls?.some((call) => answer?.calls?.includes(call))
  if (start === undefined || !answer || isLoose) return [item]
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

interface Cover {
  readonly at: number
  readonly seq: number // of the compaction that added it
}

/** What replaces an original now. */
function findCover(items: readonly Item[], seq: number, eventAt: EventAt): Cover | undefined {
  for (const [at, { id }] of items.entries()) {
    const made = parseEntryId(id)
    if (!made.original && coveredBy([id], eventAt)(seq)) return { at, seq: made.seq }
  }
  return undefined
}

/** After everything earlier in the log, never between a call and its results. */
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
