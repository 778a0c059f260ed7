// Ties a log that was read from a store to its messages again: parts that stayed whole are written as they were
import type { EntryId } from '../core/edit/change.ts'
import { bearsEntry, isChange } from '../core/log/event.ts'
import { findRoot, isNewEntry, originalId } from '../core/view/entry.ts'
import { type AnyMessage, linkIfNew, originalOf, type Piece } from './dialect.ts'
import type { MessageLog } from './message-log.ts'

/** Does nothing for messages that are not known yet. */
export function relink(log: MessageLog): void {
  for (const event of log.events) {
    if (bearsEntry(event)) link(log, originalId(event.seq), event.data)
    if (!isChange(event)) continue
    for (const put of event.data.edits.flatMap((edit) => edit.put))
      if (isNewEntry(put) && put.of) link(log, findRoot(put.of, log.eventAt), put.data)
  }
}

/** A part is known by what it says, among those of the messages that it came from. */
function link(log: MessageLog, root: EntryId, data: unknown): void {
  const parts = partsIn(data)
  if (parts.length === 0) return
  const numbers = new Set((log.places.get(root) ?? []).map(({ message }) => message))
  const known = new Map<string, unknown>()
  for (const number of numbers) {
    const message: AnyMessage | undefined = log.messages[number]
    const pieces = message ? log.dialect.read(message) : []
    for (const part of pieces.flatMap(partsOfPiece))
      known.set(JSON.stringify(part), originalOf(part))
  }
  for (const part of parts) linkIfNew(part, known.get(JSON.stringify(part)))
}

function partsOfPiece(piece: Piece): readonly object[] {
  if (piece.kind === 'user') return partsIn(piece.content)
  if (piece.kind === 'answer') return piece.parts
  return piece.kind === 'result' ? piece.result.content : []
}

/** Of the data of an event: the content of a user, of a result, or of an answer. */
function partsIn(data: unknown): readonly object[] {
  if (Array.isArray(data)) return data
  const { content, parts } = Object(data)
  if (Array.isArray(content)) return content
  return Array.isArray(parts) ? parts : []
}
