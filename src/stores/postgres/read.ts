// All queries that do not change the database.

import { type ChainAnswer, type HashedCells, NO_CHAIN } from '../rows/hash-chain.ts'
import { LIMITS } from '../rows/limits.ts'
import type { ListQuery, ThreadCells, ThreadRow } from '../rows/pages.ts'
import { clipRanges, type Range, type StepAnswer } from '../rows/read-in-steps.ts'
import type { SnapshotCells, StoredEvent } from '../rows/stored-event.ts'
import type { Session, Statement } from './database.ts'
import { findParent } from './fork.ts'
import {
  FIND_THREAD,
  FIRST_PAGE,
  NEXT_PAGE,
  NEXT_ROW,
  OWNERS_PAGE,
  READ,
  READ_CHAIN,
  SNAPSHOT,
} from './statements.ts'

type FoundRow = readonly [
  life: number,
  version: number,
  total: number | null,
  place: number | null, // in its range; null if no row was found
  ...cells: StoredEvent,
]

/** Where a step ended. */
type FoundPlace = readonly [
  life: number,
  version: number,
  total: number | null,
  place: number | null,
  seq: number,
  ...cells: readonly unknown[],
]

type FoundHashedRow = readonly [
  head: string | null,
  forkSeq: number | null,
  life: number,
  version: number,
  total: number | null,
  place: number | null,
  ...cells: HashedCells,
]

export async function read(
  session: Session,
  threadId: string,
  ranges: readonly Range[],
  limit: number,
): Promise<StepAnswer> {
  const { now, later } = firstRows(ranges, Math.min(limit, LIMITS.stepRows))
  const values = [threadId, now.map(([from]) => from), now.map(([, to]) => to), LIMITS.stepLength]
  const found = await session.tuples<FoundRow>(READ, values)
  const [first] = found
  if (!first) return { life: undefined, rows: [], rest: [] }
  const [life, version, total] = first
  const rows = found.flatMap(([, , , place, ...cells]) => (place === null ? [] : [cells]))
  const rest = rows.length < (total ?? 0) ? restAfter(found.at(-1), now) : []
  const left = clipRanges([...rest, ...later], version)
  return { life, rows, rest: rows.length > 0 ? left : await fromNextRow(session, threadId, left) }
}

export async function readChain(
  session: Session,
  threadId: string,
  ranges: readonly Range[],
): Promise<ChainAnswer> {
  const { now, later } = firstRows(ranges, LIMITS.stepRows)
  const values = [threadId, now.map(([from]) => from), now.map(([, to]) => to), LIMITS.stepLength]
  const answer = await session.tuples<FoundHashedRow>(READ_CHAIN, values)
  const [first] = answer
  if (!first) return NO_CHAIN
  const [head, forkSeq, life, version, total] = first
  const rows = answer.flatMap(([, , , , , place, ...cells]) => (place === null ? [] : [cells]))
  const [, , ...last] = answer.at(-1) ?? first
  const rest = rows.length < (total ?? 0) ? restAfter(last, now) : []
  const end = { version, head, forkSeq: forkSeq ?? 0 }
  const left = clipRanges([...rest, ...later], version)
  const isFound = rows.length > 0 || ranges.length === 0
  return { life, ...end, rows, rest: isFound ? left : await fromNextRow(session, threadId, left) }
}

/** If rows are missing, continue with the next one that exists: as many steps as rows. */
async function fromNextRow(
  session: Session,
  threadId: string,
  ranges: readonly Range[],
): Promise<readonly Range[]> {
  const [first] = ranges
  if (!first) return []
  const [next] = await session.rows<{ seq: number }>(NEXT_ROW, [threadId, first[0]])
  if (!next) return []
  return ranges
    .map(([from, to]): Range => [Math.max(from, next.seq), to])
    .filter(([from, to]) => from <= to)
}

export async function info(session: Session, threadId: string): Promise<ThreadCells | undefined> {
  const [thread] = await session.rows<ThreadRow>(FIND_THREAD, [threadId])
  return thread && threadCells(thread)
}

export async function snapshot(
  session: Session,
  threadId: string,
  foldVersion: number,
): Promise<SnapshotCells | undefined> {
  return (await session.rows<SnapshotCells>(SNAPSHOT, [threadId, foldVersion]))[0]
}

export async function list(session: Session, query: ListQuery): Promise<readonly ThreadCells[]> {
  return (await session.rows<ThreadRow>(...pageStatement(query))).map(threadCells)
}

function pageStatement({ after, limit, owners }: ListQuery): readonly [Statement, unknown[]] {
  if (owners) return [OWNERS_PAGE, [owners, ...(after ?? [null, null]), limit]]
  return after ? [NEXT_PAGE, [...after, limit]] : [FIRST_PAGE, [limit]]
}

/** Numbers have no gaps, so this many numbers give this many rows. */
function firstRows(ranges: readonly Range[], limit: number) {
  const now: Range[] = []
  let left = limit
  for (const [index, [from, to]] of ranges.entries()) {
    const last = Math.min(to, from + left - 1)
    now.push([from, last])
    left -= last - from + 1
    if (left > 0) continue
    const cut: readonly Range[] = last < to ? [[last + 1, to]] : []
    return { now, later: [...cut, ...ranges.slice(index + 1)] }
  }
  return { now, later: [] }
}

/** What is left of a step whose rows were too long. */
function restAfter(last: FoundPlace | undefined, ranges: readonly Range[]): readonly Range[] {
  const [, , , place, seq] = last ?? []
  const range = ranges[(place ?? 0) - 1]
  if (!range || !place || seq === undefined) return []
  return [[seq + 1, range[1]], ...ranges.slice(place)]
}

function threadCells(thread: ThreadRow): ThreadCells {
  const { threadId, version, createdAt, updatedAt } = thread
  const parent = findParent(thread)
  return { threadId, version, createdAt, updatedAt, ...(parent && { parent }) }
}
