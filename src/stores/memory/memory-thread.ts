// A thread of the store in memory, and the operations on it.
import type { NewEvent } from '../../core/log/event.ts'
import type { LogVerdict, Row, Snapshot, ThreadInfo } from '../../core/ports.ts'
import { ChainCheck, computeHashes, fitsCells, NO_HASH } from '../rows/hash-chain.ts'
import type { Parent } from '../rows/requests.ts'
import { decodeRow, encodeEvent, isoTime, type StoredEvent } from '../rows/stored-event.ts'
import { ownerIn } from '../search/search-index.ts'

export interface MemoryThread {
  readonly life: number
  readonly rows: MemoryRow[] // rows never change, so a fork holds those it shares
  /** Hashes of the rows, if these are held as text; held values have none. */
  readonly hashes: string[]
  readonly byId: Map<string, MemoryRow>
  readonly snapshots: Map<number, HeldSnapshot> // by fold version
  readonly parent?: Parent
  readonly created: MemoryRow // the event that sets the thread's own time
}

/** A snapshot; `read` decodes it if it is held as text. */
export interface HeldSnapshot extends Pick<Snapshot, 'seq' | 'foldVersion'> {
  read(): Snapshot | undefined
}

/** The rows with these ids, up to a sequence number. */
export function findIn(
  thread: MemoryThread | undefined,
  rows: readonly MemoryRow[],
  to = Infinity,
): readonly (MemoryRow | undefined)[] {
  return rows.map((row) => {
    const found = thread?.byId.get(row.id)
    return found && found.seq <= to ? found : undefined
  })
}

export function add(
  thread: MemoryThread,
  rows: readonly MemoryRow[],
  snapshot: HeldSnapshot | undefined,
): void {
  for (const row of rows) {
    thread.rows.push(row)
    if (row.isText)
      thread.hashes.push(...computeHashes(thread.hashes.at(-1) ?? NO_HASH, [row.cells]))
    thread.byId.set(row.id, row)
  }
  if (!snapshot) return
  const { snapshots } = thread
  if ((snapshots.get(snapshot.foldVersion)?.seq ?? 0) > snapshot.seq) return
  snapshots.set(snapshot.foldVersion, snapshot)
}

export function verifyHashes({ rows, hashes }: MemoryThread): LogVerdict {
  const check = new ChainCheck(fitsCells)
  for (const [index, row] of rows.entries()) check.add([...row.cells, hashes[index] ?? null])
  return check.end({ version: rows.length, head: hashes.at(-1) ?? null, forkSeq: 0 })
}

export function readInfo(threadId: string, thread: MemoryThread): ThreadInfo {
  const last = thread.rows.at(-1) ?? thread.created
  return {
    threadId,
    version: thread.rows.length,
    createdAt: new Date(thread.created.timestamp),
    updatedAt: new Date(last.timestamp),
    ...(thread.parent && { parent: thread.parent }),
  }
}

/** All threads, or those of certain owners. */
export function readInfos(
  threads: ReadonlyMap<string, MemoryThread>,
  owners: readonly string[] | undefined,
): ThreadInfo[] {
  return [...threads]
    .filter(([id, { rows }]) => owners?.includes(ownerIn(id, rows[0]?.cells)) !== false)
    .map(([threadId, thread]) => readInfo(threadId, thread))
}

/** One event in the store in memory: as JSON text, or as the values that were appended. */
export interface MemoryRow {
  readonly seq: number
  readonly id: string
  readonly timestamp: string // ISO 8601
  readonly isText: boolean
  /** The cells a database would store. */
  readonly cells: StoredEvent
  /** The row as read from this thread: a fork shares rows with its parent. */
  inThread(threadId: string): Row
}

export class TextRow implements MemoryRow {
  readonly isText = true
  readonly cells: StoredEvent

  constructor(cells: StoredEvent) {
    this.cells = cells
  }

  get seq(): number {
    return this.cells[0]
  }

  get id(): string {
    return this.cells[1]
  }

  get timestamp(): string {
    return this.cells[4]
  }

  inThread(threadId: string): Row {
    return decodeRow(threadId, this.cells)
  }
}

/** JSON is written only for a comparison or a search. */
export class ValueRow implements MemoryRow {
  readonly isText = false
  readonly seq: number
  readonly #event: NewEvent
  #cells: StoredEvent | undefined

  constructor(seq: number, event: NewEvent) {
    this.seq = seq
    this.#event = event
  }

  get id(): string {
    return this.#event.id
  }

  get timestamp(): string {
    return isoTime(this.#event.timestamp)
  }

  get cells(): StoredEvent {
    this.#cells ??= encodeEvent(this.#event, this.seq)
    return this.#cells
  }

  inThread(threadId: string): Row {
    const { v, id, type, data, origin, source } = this.#event
    const { seq, timestamp } = this
    return {
      v,
      id,
      threadId,
      seq,
      timestamp,
      type,
      data,
      ...(origin !== undefined && { origin }),
      ...(source !== undefined && { source }),
    }
  }
}
