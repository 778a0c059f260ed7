// Undo, redo and expand: changes that restore what earlier changes removed.
import { PrecisError } from '../errors.ts'
import { type ChangeType, type EventAt, type EventOf, isChange } from '../log/event.ts'
import type { Context } from '../view/context.ts'
import type { Item } from '../view/entry.ts'
import { findRuns, runHas, runsOf } from '../view/entry-range.ts'
import { lastRoundStart } from '../view/seam.ts'
import { applyChange, indexById } from './apply.ts'
import type { Change, Edit, EntryId, Put, Reversal, Run } from './change.ts'
import { computeInverse, hidesOnly } from './inverse.ts'

/** A reversal ready to append. */
export interface ReversalDraft {
  readonly type: 'COMPACTION_UNDONE' | 'COMPACTION_REDONE' | 'CONTENT_EXPANDED'
  readonly data: Reversal
}

/** Undoes the newest change, or `target`. Throws `covered-by` if impossible. */
export function undo(
  context: Context,
  eventAt: EventAt,
  target = context.stack.at(-1),
): ReversalDraft {
  if (target === undefined) throw nothingToUndo(context)
  if (!context.stack.includes(target))
    throw new PrecisError('nothing-to-undo', `Event ${target} is not an active change.`, {
      where: `event ${target}`,
      hint: `Active changes, newest last: ${context.stack.join(', ') || 'none'}.`,
    })
  return takeBack(context, changeAt(target, eventAt), eventAt)
}

function nothingToUndo({ undone }: Context): PrecisError {
  const what = 'There is no compaction to undo'
  if (undone.length === 0)
    return new PrecisError('nothing-to-undo', `${what}: nothing was compacted here.`)
  const all = undone.length === 1 ? 'the only one is' : `all ${undone.length} are`
  return new PrecisError('nothing-to-undo', `${what}: ${all} already undone.`, {
    hint: 'Redo brings the last one back.',
  })
}

/** Reverts the latest undo, or the one at `target`. */
export function redo(
  context: Context,
  eventAt: EventAt,
  target = context.undone.at(-1),
): ReversalDraft {
  if (target === undefined || !context.undone.includes(target))
    throw new PrecisError('nothing-to-redo', 'There is no undone compaction to redo.', {
      hint:
        context.undone.length === 0
          ? 'Nothing was undone, or everything was redone.'
          : `Undone and not redone, by the events: ${context.undone.join(', ')}.`,
    })
  return takeBack(context, changeAt(target, eventAt), eventAt)
}

/**
 * Restores what the entry `id` replaced, or the stretch a gap stands for. If several compactions cover it,
 * one at a time, newest first.
 */
export function expand(context: Context, eventAt: EventAt, id: EntryId): ReversalDraft {
  const visible = indexById(context.items.toArray())
  for (const seq of context.active.toReversed()) {
    const change = changeAt(seq, eventAt)
    const edit = change.data.inverse.find(
      (inverse) => !hidesOnly(inverse) && restores(inverse, id, visible),
    )
    if (!edit) continue
    // Covered again since: restore the cover first.
    const hidden = findCover(edit, id, visible)
    if (hidden) return expand(context, eventAt, hidden)
    return findReversal(context, [withThinkingHidden(edit)], seq, eventAt)
  }
  throw new PrecisError('unknown-entry', `No entry of the context replaces ${id}.`, {
    where: id,
    hint: 'Name an entry that a compaction added or removed.',
  })
}

/** Edits that restore part of what the compaction `of` removed. */
export function findReversal(
  context: Context,
  edits: readonly Edit[],
  of: number,
  eventAt: EventAt,
): ReversalDraft {
  const data = reversal(context, changeAt(of, eventAt), edits, of, eventAt)
  return { type: 'CONTENT_EXPANDED', data: { ...data, of, reverts: of } }
}

/** How many entries the edits restore. */
export function countRestored(edits: readonly Edit[]): number {
  const sizeOf = (run: Run) => (typeof run === 'string' ? Number(!isMade(run)) : run[2])
  return edits.reduce((sum, { covers, put }) => {
    const kept = put.reduce((all, each) => all + ('keep' in each ? sizeOf(each.keep) : 0), 0)
    return sum + kept - covers.reduce((all, run) => all + sizeOf(run), 0)
  }, 0)
}

/** Whether this inverse edit would replace `id` or restore it. */
function restores(inverse: Edit, id: EntryId, visible: ReadonlyMap<EntryId, number>): boolean {
  if (inverse.covers.some((run) => runHas(run, id)) && isMade(id)) return visible.has(id)
  return !visible.has(id) && inverse.put.some((put) => 'keep' in put && runHas(put.keep, id))
}

/** The entry that has replaced what this edit would remove. */
function findCover(
  { covers }: Edit,
  id: EntryId,
  visible: ReadonlyMap<EntryId, number>,
): EntryId | undefined {
  return covers.find(
    (run): run is EntryId =>
      typeof run === 'string' && isMade(run) && run !== id && !visible.has(run),
  )
}

function isMade(id: EntryId): boolean {
  return id.startsWith('c')
}

function takeBack(context: Context, change: EventOf<ChangeType>, eventAt: EventAt): ReversalDraft {
  const top = context.stack.at(-1) ?? 0
  const newest = top === change.seq || (context.undone.at(-1) === change.seq && top < change.seq)
  // An older change cannot show thinking again: its prefix has changed.
  const edits = newest
    ? change.data.inverse
    : change.data.inverse.filter((edit) => !showsOnly(edit)).map(withThinkingHidden)
  const data = reversal(context, change, edits, change.seq, eventAt)
  const undoing = change.type !== 'COMPACTION_UNDONE'
  const of =
    change.type === 'COMPACTION' || change.type === 'CONTENT_EXPANDED' ? change.seq : change.data.of
  return {
    type: undoing ? 'COMPACTION_UNDONE' : 'COMPACTION_REDONE',
    data: { ...data, of, reverts: change.seq },
  }
}

/** Whether this edit only shows thinking. */
function showsOnly(edit: Edit): boolean {
  return hidesOnly(edit) && edit.put.every((put) => 'keep' in put && put.hide?.length === 0)
}

function withThinkingHidden(edit: Edit): Edit {
  return {
    ...edit,
    put: edit.put.map((put): Put => ('keep' in put ? { ...put, hide: ['thinking'] } : put)),
  }
}

function reversal(
  context: Context,
  change: EventOf<ChangeType>,
  edits: readonly Edit[],
  since: number,
  eventAt: EventAt,
): Change {
  const before = context.items.toArray()
  const hide = answersSince(before, since, eventAt)
  const applied = applyChange(before, { edits, hide }, context.version + 1, 'reversal', eventAt)
  if (!applied.ok) throw covered(context, change, edits, eventAt)
  return {
    basedOn: context.version,
    edits,
    inverse: computeInverse(before, applied.items, applied.placed, eventAt),
    ...(hide.length > 0 && { hide }),
  }
}

/** Answers after a change had its output as their prefix, so their thinking must go with it. */
function answersSince(items: readonly Item[], since: number, eventAt: EventAt): Run[] {
  const end = lastRoundStart(items)
  const later = items.filter(
    (item, at) =>
      at < end && item.thinkingTokens !== undefined && !item.hide && readSeq(item.id) > since,
  )
  return later.length === 0 ? [] : runsOf(later, eventAt)
}

function readSeq(id: EntryId): number {
  return Number.parseInt(id.slice(1), 10)
}

function covered(
  context: Context,
  change: EventOf<ChangeType>,
  edits: readonly Edit[],
  eventAt: EventAt,
): PrecisError {
  const items = context.items.toArray()
  const index = indexById(items)
  const lost = edits
    .filter((edit) => !findRuns(edit.covers, items, index))
    .flatMap((edit) => edit.covers)
  const later = [...context.stack, ...context.undone]
    .filter((seq) => seq > change.seq)
    .toSorted((a, b) => a - b)
  const by =
    later.find((seq) =>
      changeAt(seq, eventAt).data.edits.some((edit) => touches(edit.covers, lost)),
    ) ??
    later.at(-1) ??
    change.seq
  return new PrecisError(
    'covered-by',
    `Event ${change.seq} cannot be undone: event ${by} covers its replacement.`,
    {
      where: `event ${change.seq}`,
      hint: `${eventAt(by)?.type === 'COMPACTION_UNDONE' ? 'Redo' : 'Undo'} event ${by} first; newest first always works.`,
      details: { change: change.seq, coveredBy: by },
    },
  )
}

function touches(covers: readonly Run[], lost: readonly Run[]): boolean {
  return lost.some((run) =>
    (typeof run === 'string' ? [run] : [run[0], run[1]]).some((id) =>
      covers.some((cover) => runHas(cover, id)),
    ),
  )
}

function changeAt(seq: number, eventAt: EventAt): EventOf<ChangeType> {
  const event = eventAt(seq)
  if (event && isChange(event)) return event
  throw new PrecisError('store-corrupt', `event ${seq} is missing; it should be a change`, {
    where: `event ${seq}`,
  })
}
