// A thread as the store in memory holds it, and what is done to one.
import type { LogVerdict, Snapshot, ThreadInfo } from '../../core/ports.ts'
import { ChainCheck, hashOfCells, NO_HASH } from '../rows/hash-chain.ts'
import type { Parent } from '../rows/requests.ts'
import { ownerIn } from '../search/search-index.ts'
import type { MemoryRow } from './memory-row.ts'

export interface MemoryThread {
  readonly life: number
  readonly rows: MemoryRow[] // a fork holds the rows it shares: they never change
  /** Of its rows, where they are held as text: values that are given out again have none. */
  readonly hashes: string[]
  readonly byId: Map<string, MemoryRow>
  readonly snapshots: Map<number, HeldSnapshot> // by fold version
  readonly parent?: Parent
  readonly created: MemoryRow // the event whose time is its own
}

/** What was stored, and what is read of it. */
export interface HeldSnapshot extends Pick<Snapshot, 'seq' | 'foldVersion'> {
  read(): Snapshot | undefined
}

/** The rows with the same ids, up to a sequence number. */
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
    if (row.isText) thread.hashes.push(hashOfCells(thread.hashes.at(-1) ?? NO_HASH, row.cells))
    thread.byId.set(row.id, row)
  }
  if (!snapshot) return
  const { snapshots } = thread
  if ((snapshots.get(snapshot.foldVersion)?.seq ?? 0) > snapshot.seq) return
  snapshots.set(snapshot.foldVersion, snapshot)
}

export function verdictOf({ rows, hashes }: MemoryThread): LogVerdict {
  const check = new ChainCheck(hashOfCells)
  for (const [index, row] of rows.entries()) check.add([...row.cells, hashes[index] ?? null])
  return check.end(rows.length, hashes.at(-1) ?? null)
}

export function infoOf(threadId: string, thread: MemoryThread): ThreadInfo {
  const last = thread.rows.at(-1) ?? thread.created
  return {
    threadId,
    version: thread.rows.length,
    createdAt: new Date(thread.created.timestamp),
    updatedAt: new Date(last.timestamp),
    ...(thread.parent && { parent: thread.parent }),
  }
}

/** Of all threads, or of those that belong to certain owners. */
export function infosOf(
  threads: ReadonlyMap<string, MemoryThread>,
  owners: readonly string[] | undefined,
): ThreadInfo[] {
  return [...threads]
    .filter(([id, { rows }]) => owners?.includes(ownerIn(id, rows[0]?.cells)) !== false)
    .map(([threadId, thread]) => infoOf(threadId, thread))
}
