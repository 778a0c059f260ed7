// What an append brings into the store in memory: as JSON text, as a database has it, or as the values themselves.
import type { NewEvent } from '../../core/log/event.ts'
import type { Snapshot } from '../../core/ports.ts'
import {
  checkEvents,
  checkNumber,
  decodeSnapshot,
  encodeEvents,
  encodeSnapshot,
} from '../rows/stored-event.ts'
import { type MemoryRow, TextRow, ValueRow } from './memory-row.ts'
import type { HeldSnapshot } from './memory-thread.ts'

export interface Held {
  readonly rows: readonly MemoryRow[]
  readonly snapshot?: HeldSnapshot
}

/** Checks everything, and throws before anything is held. */
export type Hold = (
  threadId: string,
  events: readonly NewEvent[],
  before: number,
  snapshot?: Snapshot,
) => Held

export const holdText: Hold = (threadId, events, before, snapshot) => {
  const rows = encodeEvents(threadId, events, before + 1).rows.map((cells) => new TextRow(cells))
  if (!snapshot) return { rows }
  const cells = encodeSnapshot(threadId, snapshot, before + rows.length)
  return { rows, snapshot: { ...cells, read: () => decodeSnapshot(cells) } }
}

export const holdValues: Hold = (threadId, events, before, snapshot) => {
  checkEvents(threadId, events)
  const rows = events.map((event, index) => new ValueRow(before + 1 + index, event))
  if (!snapshot) return { rows }
  const { seq, foldVersion } = snapshot
  checkNumber('the sequence number of a snapshot', seq, 1, before + rows.length)
  checkNumber('a fold version', foldVersion, 0)
  return { rows, snapshot: { seq, foldVersion, read: () => snapshot } }
}
