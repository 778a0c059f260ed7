// Stretches of a log: which sequence numbers a read asks for.
import type { ReadRange } from '../../core/ports.ts'
import { usageError } from '../errors.ts'
import { LIMITS } from './limits.ts'
import { checkNumber } from './stored-event.ts'

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

/** Leaves out empty stretches and joins those that touch, so that few are left to read. */
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
