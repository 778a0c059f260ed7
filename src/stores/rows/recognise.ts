// Whether an append was made before: how a caller who missed the answer may simply repeat it.
import { idConflict } from '../errors.ts'
import type { StoredEvent } from './stored-event.ts'

/**
 * Compares events with those of the log that have their ids (`found`, in the same order).
 * Gives the stored rows where all are there, with equal content and one after the other;
 * undefined where none is. Anything between is an `id-conflict`.
 */
export function recognise(
  threadId: string,
  rows: readonly StoredEvent[],
  found: readonly (StoredEvent | undefined)[],
): readonly StoredEvent[] | undefined {
  const stored = found.filter((cells) => cells !== undefined)
  if (stored.length === 0) return undefined
  const first = stored[0]?.[0] ?? 0
  rows.forEach((row, index) => {
    const twin = found[index]
    const id = row[1]
    if (twin === undefined) {
      throw idConflict(threadId, id, `Some events of the append are in the log, but ${id} is not.`)
    }
    if (!sameContent(row, twin)) {
      throw idConflict(threadId, id, `The log has an event ${id} with other content.`)
    }
    if (twin[0] !== first + index) {
      throw idConflict(threadId, id, `The log has event ${id} in another place.`)
    }
  })
  return stored
}

/** All but the sequence number, which the log gave. Content is equal where its JSON text is. */
function sameContent(one: StoredEvent, other: StoredEvent): boolean {
  return one.every((cell, column) => column === 0 || cell === other[column])
}
