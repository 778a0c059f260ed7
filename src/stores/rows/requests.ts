// What a store is asked to write, checked and encoded first: appends, repeated appends and forks
import type { NewEvent } from '../../core/log/event.ts'
import type { Appended, AppendOptions, Row, Snapshot } from '../../core/ports.ts'
import { idConflict } from '../errors.ts'
import {
  checkName,
  checkNumber,
  decodeRow,
  encodeEvents,
  encodeSnapshot,
  type SnapshotCells,
  type StoredEvent,
} from './stored-event.ts'

export interface AppendRequest {
  readonly threadId: string
  readonly expectedVersion: number
  readonly rows: readonly StoredEvent[]
  readonly snapshot?: SnapshotCells
  readonly length: number // characters of JSON
}

export interface ForkRequest {
  readonly parentId: string
  readonly seq: number
  readonly threadId: string
  readonly rows: readonly StoredEvent[]
  readonly snapshot?: SnapshotCells
  readonly length: number // characters of JSON
}

/** Where a thread was forked. Known even after the parent was deleted. */
export interface Parent {
  readonly threadId: string
  readonly seq: number
}

/** The existing rows; undefined if the append wrote its own. */
export interface WriteAnswer {
  readonly stored?: readonly StoredEvent[]
}

export function appendRequest(
  threadId: string,
  events: readonly NewEvent[],
  { expectedVersion, snapshot }: AppendOptions,
): AppendRequest {
  checkName('a thread id', threadId)
  checkNumber('expectedVersion', expectedVersion, 0)
  const encoded = encode(threadId, events, expectedVersion, snapshot)
  return { threadId, expectedVersion, ...encoded }
}

export function forkRequest(
  parentId: string,
  seq: number,
  threadId: string,
  first: readonly NewEvent[],
  snapshot?: Snapshot,
): ForkRequest {
  checkName('a thread id', parentId)
  checkName('a thread id', threadId)
  checkNumber('the number to fork at', seq, 1)
  return { parentId, seq, threadId, ...encode(threadId, first, seq, snapshot) }
}

/**
 * The answer to an append after `before`: the rows it wrote or found. They are decoded from the stored form,
 * to equal what a read returns, and only on request, since most callers know what they appended.
 */
export function appended(
  threadId: string,
  cells: readonly StoredEvent[],
  before: number,
  repeated: boolean,
): Appended {
  let rows: readonly Row[] | undefined
  return {
    version: cells.at(-1)?.[0] ?? before,
    get rows() {
      rows ??= cells.map((row) => decodeRow(threadId, row))
      return rows
    },
    repeated,
  }
}

/** The rows of a fork made earlier by the same request; any other thread is a conflict. */
export function recogniseFork(
  request: Pick<ForkRequest, 'parentId' | 'seq' | 'threadId' | 'rows'>,
  parent: Parent | undefined,
  found: readonly (StoredEvent | undefined)[],
): readonly StoredEvent[] {
  const { threadId, rows, seq } = request
  if (parent?.threadId === request.parentId && parent.seq === seq) {
    const stored = rows.length === 0 ? [] : recognise(threadId, rows, found)
    if (stored && (stored[0]?.[0] ?? seq + 1) === seq + 1) return stored
  }
  throw idConflict(threadId, threadId, `There is another thread ${threadId} already.`)
}

/** An id may occur once in a log, in a shared row or an own one. */
export function checkForkIds(threadId: string, found: readonly (StoredEvent | undefined)[]): void {
  const shared = found.find((cells) => cells !== undefined)
  if (shared === undefined) return
  throw idConflict(threadId, shared[1], `The fork shares an event ${shared[1]} already.`)
}

function encode(
  threadId: string,
  events: readonly NewEvent[],
  before: number,
  snapshot: Snapshot | undefined,
) {
  const { rows, length } = encodeEvents(threadId, events, before + 1)
  if (!snapshot) return { rows, length }
  const cells = encodeSnapshot(threadId, snapshot, before + rows.length)
  return { rows, snapshot: cells, length: length + cells.state.length }
}

/**
 * Compares events with those of the log that have their ids (`found`, in the same order). Returns the stored
 * rows if all exist, consecutive and with equal content; undefined if none exists. Anything in between is an
 * `id-conflict`.
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

/**
 * Compares everything but the sequence number, which the log assigned. Content is equal if its JSON text is.
 */
function sameContent(one: StoredEvent, other: StoredEvent): boolean {
  return one.every((cell, column) => column === 0 || cell === other[column])
}
