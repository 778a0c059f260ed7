// A long read, step by step, so that nobody is blocked for long, nor holds it all twice.
import type { Row } from '../../core/ports.ts'
import { restlessThread } from '../errors.ts'
import type { Stretch } from '../follow.ts'
import { LIMITS } from './limits.ts'
import type { Range, ReadQuery } from './ranges.ts'
import { type Cells, checkName, decodeRow } from './stored-event.ts'

export interface StepAnswer {
  /** Tells a thread from a later one of the same id; undefined where there is none. */
  readonly life: number | undefined
  readonly rows: readonly Cells[]
  /** What is left to read, up to the version of now. */
  readonly rest: readonly Range[]
}

/** Reads at most `limit` rows, and fewer where these are many or long. */
export type ReadStep = (
  threadId: string,
  ranges: readonly Range[],
  limit: number,
) => Promise<StepAnswer>

/** How often a read starts anew because its thread was deleted and made again meanwhile. */
const MOST_RESTARTS = 5

export async function readInSteps(
  step: ReadStep,
  threadId: string,
  query: ReadQuery,
): Promise<Row[]> {
  checkName('a thread id', threadId)
  for (let restarts = 0; restarts <= MOST_RESTARTS; restarts += 1) {
    const rows = await tryToRead(step, threadId, query)
    if (rows) return rows
  }
  throw restlessThread(threadId)
}

/** One step, for a follower. */
export async function rowsAfter(step: ReadStep, threadId: string, seq: number): Promise<Stretch> {
  const range = [seq + 1, Number.MAX_SAFE_INTEGER] as const
  const { life, rows, rest } = await step(threadId, [range], LIMITS.stepRows)
  return { life, rows: rows.map((row) => decodeRow(threadId, row)), more: rest.length > 0 }
}

/** Events that come later are not part of a read that has begun. */
export function clipRanges(ranges: readonly Range[], version: number): readonly Range[] {
  return ranges
    .map(([from, to]): Range => [from, Math.min(to, version)])
    .filter(([from, to]) => from <= to)
}

/** Undefined where the thread was replaced by another one of its id between two steps. */
async function tryToRead(
  step: ReadStep,
  threadId: string,
  { ranges, limit }: ReadQuery,
): Promise<Row[] | undefined> {
  const rows: Row[] = []
  let rest = ranges
  let firstLife: number | undefined
  while (rest.length > 0 && rows.length < limit) {
    const answer = await step(threadId, rest, limit - rows.length)
    firstLife ??= answer.life
    if (answer.life !== firstLife) return undefined
    for (const row of answer.rows) rows.push(decodeRow(threadId, row))
    rest = answer.rest
  }
  return rows
}
