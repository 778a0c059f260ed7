// Everything that is asked of the database without changing it.
import type { ListQuery } from '../rows/cursor.ts'
import type { ChainAnswer, HashedCells } from '../rows/hash-chain.ts'
import { LIMITS } from '../rows/limits.ts'
import type { Range } from '../rows/ranges.ts'
import { clipRanges, type StepAnswer } from '../rows/read-steps.ts'
import type { Parent } from '../rows/requests.ts'
import type { Cells, SnapshotCells } from '../rows/stored-event.ts'
import type { ThreadCells } from '../rows/stored-thread.ts'
import { findById, type Segment, segments } from './chain.ts'
import type { ReadRequest } from './protocol.ts'
import type { Tables, ThreadRow } from './tables.ts'

/** One step of a read: it stops at a limit, and says what is left. */
export function read(tables: Tables, request: ReadRequest): StepAnswer {
  const thread = tables.threads.find(request.threadId)
  if (!thread) return { life: undefined, rows: [], rest: [] }
  const rowsOf = ({ key, from, to }: Segment) => tables.events.iterate(key, from, to)
  return { life: thread.key, ...readStep<Cells>(tables, thread, request, rowsOf) }
}

/** The same with the hashes. */
export function readChain(tables: Tables, request: ReadRequest): ChainAnswer {
  const thread = tables.threads.find(request.threadId)
  if (!thread) return { life: undefined, version: 0, head: null, rows: [], rest: [] }
  const { key: life, version, head } = thread
  const rowsOf = ({ key, from, to }: Segment) => tables.events.iterateHashed(key, from, to)
  return { life, version, head, ...readStep<HashedCells>(tables, thread, request, rowsOf) }
}

function readStep<R extends Cells | HashedCells>(
  tables: Tables,
  thread: ThreadRow,
  { ranges, limit }: ReadRequest,
  rowsOf: (segment: Segment) => Iterable<R>,
): { readonly rows: readonly R[]; readonly rest: readonly Range[] } {
  const rows: R[] = []
  let length = 0
  for (const [index, [from, to]] of ranges.entries()) {
    for (const segment of segments(tables, thread, from, to)) {
      for (const row of rowsOf(segment)) {
        rows.push(row)
        length += (row[5]?.length ?? 0) + (row[7]?.length ?? 0)
        if (rows.length < limit && rows.length < LIMITS.stepRows && length < LIMITS.stepLength) {
          continue
        }
        const rest = clipRanges([[row[0] + 1, to], ...ranges.slice(index + 1)], thread.version)
        return { rows, rest }
      }
    }
  }
  return { rows, rest: [] }
}

export function findEvent(
  tables: Tables,
  { threadId, id }: { readonly threadId: string; readonly id: string },
): Cells | undefined {
  const thread = tables.threads.find(threadId)
  return thread && findById(tables, thread, id)
}

export function info(tables: Tables, { threadId }: { readonly threadId: string }) {
  const thread = tables.threads.find(threadId)
  return thread && threadCells(thread)
}

export function snapshot(
  tables: Tables,
  request: { readonly threadId: string; readonly foldVersion: number },
): SnapshotCells | undefined {
  const thread = tables.threads.find(request.threadId)
  return thread && tables.snapshots.find(thread.key, request.foldVersion)
}

export function list(tables: Tables, query: ListQuery): readonly ThreadCells[] {
  const { after, limit, owners } = query
  if (!owners) return tables.threads.page(after, limit).map(threadCells)
  const keys = tables.owners.page(owners, after, limit)
  return keys.flatMap((key) => tables.threads.get(key) ?? []).map(threadCells)
}

export function parentOf({ parentId, parentSeq }: ThreadRow): Parent | undefined {
  return parentId === null || parentSeq === null
    ? undefined
    : { threadId: parentId, seq: parentSeq }
}

function threadCells(thread: ThreadRow): ThreadCells {
  const { threadId, version, createdAt, updatedAt } = thread
  const parent = parentOf(thread)
  return { threadId, version, createdAt, updatedAt, ...(parent && { parent }) }
}
