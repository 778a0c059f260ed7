// Searches in linear time: no branch is tried twice at one position.
import { RegexProblem } from './parse-regex.ts'
import { ASSERTIONS, OP, type Program } from './program.ts'

/** The remaining steps, shared by all searches of a script. */
export interface StepBudget {
  left: number
}

/** Called for each match; may throw to end the search. */
export type OnMatch = (start: number, end: number) => void

const LINE_ENDS = new Set([10, 13, 0x2028, 0x2029])

/** All matches from left to right, without overlaps. Never splits a surrogate pair. */
export function searchAll(
  program: Program,
  text: string,
  budget: StepBudget,
  found: OnMatch,
): void {
  const search = new Search(program, text, budget)
  for (let at = 0; at <= text.length && search.next(at); ) {
    const { start, end } = search
    found(start, end)
    at = end > start ? end : end + widthAt(text, end)
  }
}

class Search {
  readonly #program: Program
  readonly #text: string
  readonly #budget: StepBudget
  readonly #visited: VisitedPlaces
  /** The backtracking stack: pairs of instruction and position. */
  readonly #ways: number[] = []
  /** The last match. */
  start = 0
  end = 0

  constructor(program: Program, text: string, budget: StepBudget) {
    this.#program = program
    this.#text = text
    this.#budget = budget
    this.#visited = new VisitedPlaces(program.branches)
  }

  /** Moves to the first match at or after `from`; false if there is none. */
  next(from: number): boolean {
    const { prefix, isSticky, branches } = this.#program
    for (let start = from; start <= this.#text.length; start += widthAt(this.#text, start)) {
      if (prefix !== '' && !isSticky) {
        start = this.#text.indexOf(prefix, start)
        if (start === -1) return false
      }
      this.#visited.dropBefore(start)
      const end = this.#run(0, start)
      if (end !== -1) {
        this.start = start
        this.end = end
        // A failed branch fails again, wherever a match starts. A successful one can only recur at the end of
        // this match.
        this.#visited.forgetAt(end)
        this.#budget.left -= branches
        return true
      }
      if (isSticky) return false
    }
    return false
  }

  /** Runs the program from an instruction to its `match`; returns the end position or -1. */
  #run(instruction: number, position: number): number {
    const { ops, a, b, sets } = this.#program
    const text = this.#text
    const ways = this.#ways
    const floor = ways.length
    let [pc, at, left] = [instruction, position, this.#budget.left]
    for (;;) {
      if (left <= 0) throw this.#tooLong()
      left -= 1
      const target = a[pc] ?? 0
      let isDead = ops[pc] === OP.fail
      switch (ops[pc]) {
        case OP.char:
        case OP.set: {
          const next = text.codePointAt(at)
          isDead = next === undefined || !isWanted(ops[pc] === OP.char, target, sets, next)
          at += (next ?? 0) > 0xffff ? 2 : 1
          pc += 1
          break
        }
        case OP.charBehind:
        case OP.setBehind: {
          const previous = codePointBefore(text, at)
          isDead =
            previous === undefined || !isWanted(ops[pc] === OP.charBehind, target, sets, previous)
          at -= (previous ?? 0) > 0xffff ? 2 : 1
          pc += 1
          break
        }
        case OP.tryNext:
        case OP.trySkip: {
          const isNextFirst = ops[pc] === OP.tryNext
          isDead = !this.#visited.visit(b[pc] ?? 0, at)
          if (!isDead) ways.push(isNextFirst ? target : pc + 1, at)
          pc = isNextFirst ? pc + 1 : target
          break
        }
        case OP.jump:
          pc = target
          break
        case OP.assert: {
          const word = sets[b[pc] ?? 0]
          isDead = !holds(target, text, at, (code) => word?.has(code) === true)
          pc += 1
          break
        }
        case OP.look:
          this.#budget.left = left
          isDead = this.#look(pc + 1, at) === (b[pc] === 1)
          left = this.#budget.left
          pc = target
          break
        case OP.fail:
          break
        default: // the match
          this.#budget.left = left
          ways.length = floor
          return at
      }
      if (!isDead) continue
      if (ways.length === floor) {
        this.#budget.left = left
        return -1
      }
      at = ways.pop() ?? 0
      pc = ways.pop() ?? 0
    }
  }

  #look(instruction: number, position: number): boolean {
    const mark = this.#visited.beginTrace()
    const isFound = this.#run(instruction, position) !== -1
    // After a success its branches must be allowed again.
    this.#visited.endTrace(mark, isFound)
    return isFound
  }

  #tooLong(): RegexProblem {
    this.#budget.left = 0
    return new RegexProblem(
      'searching takes too long: the pattern tries too many ways on this text; use a simpler one',
    )
  }
}

function isWanted(isChar: boolean, target: number, sets: Program['sets'], code: number): boolean {
  return isChar ? target === code : sets[target]?.has(code) === true
}

function holds(
  assertion: number,
  text: string,
  at: number,
  isWord: (code: number) => boolean,
): boolean {
  const [before, after] = [codePointBefore(text, at), text.codePointAt(at)]
  switch (ASSERTIONS[assertion]) {
    case 'text-start':
      return before === undefined
    case 'text-end':
      return after === undefined
    case 'line-start':
      return before === undefined || LINE_ENDS.has(before)
    case 'line-end':
      return after === undefined || LINE_ENDS.has(after)
    default: {
      const isBoundary =
        (before !== undefined && isWord(before)) !== (after !== undefined && isWord(after))
      return isBoundary === (ASSERTIONS[assertion] === 'word-boundary')
    }
  }
}

function codePointBefore(text: string, at: number): number | undefined {
  if (at === 0) return undefined
  const pair = at > 1 ? (text.codePointAt(at - 2) ?? 0) : 0
  return pair > 0xffff ? pair : text.charCodeAt(at - 1)
}

/** The code units of the character at a position; 1 at the end. */
function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

const PAGE_POSITIONS = 1024
const MAX_BYTES = 128_000_000

class VisitedPlaces {
  readonly #branches: number
  readonly #pages = new Map<number, Int32Array>()
  #lowestPage = 0
  // The page of the last visit, which the next one nearly always shares.
  #lastNumber = -1
  #last: Int32Array = new Int32Array(0)
  /** During a lookaround: its visits as pairs, to be undone. */
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

  /** Allows all branches at this position again. */
  forgetAt(position: number): void {
    for (let branch = 0; branch < this.#branches; branch += 1) this.#forget(branch, position)
  }

  /** Forgets everything before this position. */
  dropBefore(position: number): void {
    const page = Math.floor(position / PAGE_POSITIONS)
    for (; this.#lowestPage < page; this.#lowestPage += 1) this.#pages.delete(this.#lowestPage)
  }

  /** Visits from here on can be undone with the returned mark. */
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
