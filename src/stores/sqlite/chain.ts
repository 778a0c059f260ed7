// Forks share rows: where the rows of a thread really are.
import { NO_HASH } from '../rows/hash-chain.ts'
import type { Cells } from '../rows/stored-event.ts'
import type { Tables, ThreadRow } from './tables.ts'

/** A stretch of rows that stand under one key. */
export interface Segment {
  readonly key: number
  readonly from: number
  readonly to: number
}

/** The rows from `from` to `to` of a thread, oldest first. */
export function segments(
  tables: Tables,
  thread: ThreadRow,
  from: number,
  to: number,
): readonly Segment[] {
  const found: Segment[] = []
  let last = Math.min(to, thread.version)
  let owner: ThreadRow | undefined = thread
  while (owner && from <= last) {
    const first = Math.max(from, owner.baseSeq + 1)
    if (first <= last) found.push({ key: owner.key, from: first, to: last })
    last = Math.min(last, owner.baseSeq)
    owner = owner.baseKey === null ? undefined : tables.threads.get(owner.baseKey)
  }
  return found.reverse()
}

/** The thread under whose key row `seq` stands: forking at a shared row shares with its owner. */
export function ownerOf(tables: Tables, thread: ThreadRow, seq: number): ThreadRow {
  let owner = thread
  while (seq <= owner.baseSeq && owner.baseKey !== null) {
    const base = tables.threads.get(owner.baseKey)
    if (!base) break
    owner = base
  }
  return owner
}

/** The hash of the last event up to a sequence number that has one. */
export function lastHash(tables: Tables, thread: ThreadRow, upToSeq: number): string {
  for (const { key, from, to } of segments(tables, thread, 1, upToSeq).toReversed()) {
    const hash = tables.events.lastHash(key, from, to)
    if (hash !== undefined) return hash
  }
  return NO_HASH
}

/** The rows of a log that have these ids, up to a sequence number, in the order of `rows`. */
export function findByIds(
  tables: Tables,
  thread: ThreadRow,
  rows: readonly Cells[],
  upToSeq: number,
): readonly (Cells | undefined)[] {
  const places = segments(tables, thread, 1, upToSeq)
  return rows.map(([, id]) => findIn(tables, places, id))
}

/** The row of a log that has this id. */
export function findById(tables: Tables, thread: ThreadRow, id: string): Cells | undefined {
  return findIn(tables, segments(tables, thread, 1, thread.version), id)
}

function findIn(tables: Tables, places: readonly Segment[], id: string): Cells | undefined {
  for (const { key, to } of places) {
    const found = tables.events.find(key, id, to)
    if (found) return found
  }
  return undefined
}
