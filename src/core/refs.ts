// Refs: what an entry stands for, down to the originals of the log.
import type { Edit, EntryId } from './change.ts'
import { isNew, parseEntryId, putsOf } from './entry.ts'
import { type EventAt, isChange } from './event.ts'
import { itemsOfRun, runHas } from './run.ts'

/**
 * The original entries that an entry covers, in order; an original covers itself. In an edit the first
 * new entry carries everything that was covered and not kept, a rewrite what it rewrites.
 */
export function covered(id: EntryId, eventAt: EventAt): EntryId[] {
  const parsed = parseEntryId(id)
  if (parsed.original) return [id]
  const edit = editOf(parsed.seq, parsed.index, eventAt)
  return edit === undefined
    ? []
    : dropped(edit, eventAt).flatMap((entry) => covered(entry, eventAt))
}

/** The edit whose dropped entries the new entry at this index carries: only the first of an edit does. */
function editOf(seq: number, index: number, eventAt: EventAt): Edit | undefined {
  const event = eventAt(seq)
  if (!event || !isChange(event)) return undefined
  let next = 0
  for (const edit of event.data.edits) {
    const made = putsOf(edit).filter(isNew).length
    if (made > 0 && next === index) return edit
    next += made
  }
  return undefined
}

function dropped(edit: Edit, eventAt: EventAt): EntryId[] {
  return edit.covers
    .flatMap((run) => itemsOfRun(run, eventAt) ?? [])
    .map((item) => item.id)
    .filter((id) => !edit.put.some((put) => 'keep' in put && runHas(put.keep, id)))
}
