// Stretches of a log that a read asks for, read step by step
import type { ReadRange, Row } from '../../core/ports.ts'
import { restlessThread, usageError } from '../errors.ts'
import type { Stretch } from '../follow.ts'
import { LIMITS } from './limits.ts'
import { checkName, checkNumber, decodeRow, type StoredEvent } from './stored-event.ts'

/** From the first to the last sequence number, both inclusive. */
export type Range = readonly [from: number, to: number]

export interface ReadQuery {
  readonly ranges: readonly Range[]
  readonly limit: number
}

export function readQuery(range: ReadRange): ReadQuery {
  const { from = 1, to = Number.MAX_SAFE_INTEGER, limit = Number.MAX_SAFE_INTEGER } = range
  checkNumber('the limit of a read', limit, 0)
  return { ranges: checkRanges([[from, to]]), limit }
}

/** Drops empty ranges and joins adjacent ones. */
export function checkRanges(ranges: readonly Range[]): readonly Range[] {
  if (ranges.length > LIMITS.ranges) {
    throw usageError(
      `${ranges.length} stretches are too many for one read.`,
      `Ask for at most ${LIMITS.ranges} at a time.`,
    )
  }
  const joined: Range[] = []
  for (const [from, to] of ranges) {
    checkNumber('the first number of a stretch', from, 1)
    checkNumber('the last number of a stretch', to, 0)
    if (from > to) continue
    const last = joined.at(-1)
    if (last && last[1] + 1 === from) joined[joined.length - 1] = [last[0], to]
    else joined.push([from, to])
  }
  return joined
}

/** A long read in steps: it blocks others only briefly and holds nothing twice. */
export interface StepAnswer {
  /** Tells a thread from a later one of the same id; undefined where there is none. */
  readonly life: number | undefined
  readonly rows: readonly StoredEvent[]
  /** The ranges left to read, up to the current version. */
  readonly rest: readonly Range[]
}

/** Reads at most `limit` rows, fewer if they are long. */
export type ReadStep = (
  threadId: string,
  ranges: readonly Range[],
  limit: number,
) => Promise<StepAnswer>

/** Restarts of a read whose thread was deleted and recreated meanwhile. */
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

/** Later events are not part of a read that has begun. */
export function clipRanges(ranges: readonly Range[], version: number): readonly Range[] {
  return ranges
    .map(([from, to]): Range => [from, Math.min(to, version)])
    .filter(([from, to]) => from <= to)
}

/** Undefined if another thread took the id between two steps. */
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
