// How many rows of a log are read at a time: fewer where they are long, so that a page fits into memory.
import type { Row } from '../../core/ports.ts'

const FIRST_ROWS = 16
const MOST_ROWS = 500
/** Characters that a page should have, about. */
const PAGE_LENGTH = 4 * 1024 * 1024

export class PageRows {
  #rows = FIRST_ROWS

  /** Of the next page. */
  get rows(): number {
    return this.#rows
  }

  /** Learns from a page that was read. Rows become longer all at once: so pages grow step by step. */
  learn(page: readonly Row[]): void {
    const length = page.reduce(
      (sum, { data, source }) => sum + lengthOf(data) + lengthOf(source),
      0,
    )
    const fitting = Math.floor((page.length * PAGE_LENGTH) / Math.max(1, length))
    this.#rows = Math.max(1, Math.min(fitting, 2 * this.#rows, MOST_ROWS))
  }
}

/** Characters of all texts in a value: near enough to those of its JSON. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, each) => sum + lengthOf(each), 1)
}
