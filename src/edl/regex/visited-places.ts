// Visited states of a search: one bit per branch and position, in pages
import { RegexProblem } from './parse-regex.ts'

const PAGE_POSITIONS = 1024
const MAX_BYTES = 128_000_000

export class VisitedPlaces {
  readonly #branches: number
  readonly #pages = new Map<number, Int32Array>()
  #lowestPage = 0
  // The page of the last visit: the next one is nearly always in it.
  #lastNumber = -1
  #last: Int32Array = new Int32Array(0)
  /** While something is looked for ahead or behind: what it visited, as pairs, to be undone. */
  #trace: number[] | undefined

  constructor(branches: number) {
    this.#branches = branches
  }

  /** False if this branch was tried at this position before. */
  visit(branch: number, position: number): boolean {
    const page = this.#pageOf(position)
    const bit = (position % PAGE_POSITIONS) * this.#branches + branch
    const word = page[bit >> 5] ?? 0
    const mask = 1 << (bit & 31)
    if ((word & mask) !== 0) return false
    page[bit >> 5] = word | mask
    this.#trace?.push(branch, position)
    return true
  }

  /** All branches may be tried again at this position. */
  forgetAt(position: number): void {
    for (let branch = 0; branch < this.#branches; branch += 1) this.#forget(branch, position)
  }

  /** Nothing before this position will be asked about again. */
  dropBefore(position: number): void {
    const page = Math.floor(position / PAGE_POSITIONS)
    for (; this.#lowestPage < page; this.#lowestPage += 1) this.#pages.delete(this.#lowestPage)
  }

  /** What is visited from here on can be undone, by the number that is given back. */
  beginTrace(): number {
    if (this.#trace) return this.#trace.length
    this.#trace = []
    return -1
  }

  endTrace(mark: number, isUndone: boolean): void {
    const visited = isUndone ? (this.#trace?.splice(Math.max(0, mark)) ?? []) : []
    for (let at = 0; at < visited.length; at += 2)
      this.#forget(visited[at] ?? 0, visited[at + 1] ?? 0)
    if (mark === -1) this.#trace = undefined
  }

  #forget(branch: number, position: number): void {
    const page = this.#pageOf(position)
    const bit = (position % PAGE_POSITIONS) * this.#branches + branch
    page[bit >> 5] = (page[bit >> 5] ?? 0) & ~(1 << (bit & 31))
  }

  #pageOf(position: number): Int32Array {
    const number = Math.floor(position / PAGE_POSITIONS)
    if (number === this.#lastNumber) return this.#last
    let page = this.#pages.get(number)
    if (page === undefined) {
      page = new Int32Array(Math.ceil((PAGE_POSITIONS * this.#branches) / 32))
      if (this.#pages.size * page.byteLength > MAX_BYTES)
        throw new RegexProblem('searching takes too much memory: use a simpler pattern')
      this.#pages.set(number, page)
    }
    this.#lastNumber = number
    this.#last = page
    return page
  }
}
