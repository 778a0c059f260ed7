// A thread as the store in memory holds it, and what is done to one.
import type { ThreadInfo } from '../core/ports.ts'
import type { Cells, SnapshotCells } from './cells.ts'
import type { Parent } from './requests.ts'

export interface MemoryThread {
  readonly life: number
  readonly rows: Cells[] // a fork holds the rows it shares: they never change
  readonly byId: Map<string, Cells>
  readonly snapshots: Map<number, SnapshotCells> // by fold version
  readonly parent?: Parent
  readonly created: Cells // the event whose time is its own
}

/** The rows with the same ids, up to a sequence number. */
export function findIn(
  thread: MemoryThread | undefined,
  rows: readonly Cells[],
  to = Infinity,
): readonly (Cells | undefined)[] {
  return rows.map((row) => {
    const found = thread?.byId.get(row[1])
    return found && found[0] <= to ? found : undefined
  })
}

export function add(
  thread: MemoryThread,
  rows: readonly Cells[],
  snapshot: SnapshotCells | undefined,
): void {
  for (const row of rows) {
    thread.rows.push(row)
    thread.byId.set(row[1], row)
  }
  if (!snapshot) return
  const { snapshots } = thread
  if ((snapshots.get(snapshot.foldVersion)?.seq ?? 0) > snapshot.seq) return
  snapshots.set(snapshot.foldVersion, snapshot)
}

export function infoOf(threadId: string, thread: MemoryThread): ThreadInfo {
  const last = thread.rows.at(-1) ?? thread.created
  return {
    threadId,
    version: thread.rows.length,
    createdAt: new Date(thread.created[4]),
    updatedAt: new Date(last[4]),
    ...(thread.parent && { parent: thread.parent }),
  }
}
