// Commands that select: each takes the ranges of now and gives those of then.
import type { Document, Range } from './document.ts'
import { RegexProblem } from './regex/parse-regex.ts'
import { type StepBudget, searchAll } from './regex/search.ts'
import { FileProblem, type Pattern, patternText, type SelectCommand } from './script.ts'

export function select(
  command: SelectCommand,
  document: Document,
  ranges: readonly Range[],
  limits: FindLimits,
): readonly Range[] {
  switch (command.name) {
    case 'retain_first':
      return nth(command.name, ranges, 0)
    case 'retain_last':
      return nth(command.name, ranges, -1)
    case 'retain_nth':
      return nth(command.name, ranges, command.index)
    default: {
      const { name, pattern } = command
      const findIn = (regions: readonly Region[]) => find(pattern, document, regions, limits)
      switch (name) {
        case 'select':
          return one(name, pattern, findIn([document.whole]), document)
        case 'select_multiple':
          return some(name, pattern, findIn([document.whole]), document)
        case 'narrow':
          return one(name, pattern, findIn(ranges), document)
        case 'narrow_multiple':
          return some(name, pattern, findIn(ranges), document)
        default:
          return beside(name, pattern, document, single(ranges), findIn)
      }
    }
  }
}

export function single(ranges: readonly Range[]): Range {
  const [range, ...others] = ranges
  if (range === undefined || others.length > 0)
    throw new FileProblem(`Expected single selection, got ${ranges.length}`)
  return range
}

function beside(
  name: 'select_next' | 'select_prev' | 'extend_forward' | 'extend_back',
  pattern: Pattern,
  document: Document,
  range: Range,
  findIn: (regions: readonly Region[]) => Range[],
): Range[] {
  const isForward = name === 'select_next' || name === 'extend_forward'
  const region = isForward
    ? { start: range.end, end: document.text.length }
    : { start: 0, end: range.start }
  const found = some(name, pattern, findIn([region]), document)
  const match = (isForward ? found[0] : found.at(-1)) ?? range
  if (name === 'extend_forward') return [{ ...match, start: range.start }]
  if (name === 'extend_back') return [{ ...range, start: match.start }]
  return [match]
}

function one(name: string, pattern: Pattern, found: Range[], document: Document): Range[] {
  some(name, pattern, found, document)
  if (found.length > 1) throw new FileProblem(`${name}: expected 1 match, got ${found.length}`)
  return found
}

function some(name: string, pattern: Pattern, found: Range[], document: Document): Range[] {
  if (found.length > 0) return found
  const isCarriageReturned = pattern.type === 'lines' && document.text.includes('\r\n')
  const why = isCarriageReturned ? ' (the lines of the file end with CRLF)' : ''
  throw new FileProblem(`${name}: no matches for pattern ${patternText(pattern)}${why}`)
}

function nth(name: string, ranges: readonly Range[], index: number): Range[] {
  const range = ranges.at(index)
  if (range) return [range]
  throw new FileProblem(`${name}: index ${index} is out of range (${ranges.length} selected)`)
}

// Finds a pattern in ranges of a document

/** A part of a document: from `start` up to, not including, `end`. */
interface Region {
  readonly start: number
  readonly end: number
}

export interface FindLimits {
  readonly budget: StepBudget
  readonly ranges: number
}

/** All matches in the regions, in order; within a region they do not overlap. */
function find(
  pattern: Pattern,
  document: Document,
  regions: readonly Region[],
  limits: FindLimits,
): Range[] {
  const searchIn = searchFor(pattern, document, limits.budget)
  const found: Range[] = []
  const add: OnMatch = (start, end, isLines) => {
    if (found.length === limits.ranges)
      throw new FileProblem(`The pattern has more than ${limits.ranges} matches`)
    spendSteps(limits.budget, STEPS.perMatch)
    found.push({ start, end, isLines })
  }
  for (const region of regions) {
    spendSteps(limits.budget, STEPS.perRegion)
    searchIn(region, add)
  }
  return found
}

type OnMatch = (start: number, end: number, isLines: boolean) => void
/** Tells each match in a region, in order. Told rather than given: there may be a million. */
type SearchIn = (region: Region, found: OnMatch) => void

function searchFor(pattern: Pattern, document: Document, budget: StepBudget): SearchIn {
  switch (pattern.type) {
    case 'regex':
      return regexSearch(pattern, document.text, budget)
    case 'lines':
      return lineSearch(pattern.text, document.text, budget)
    case 'position':
      return placeSearch(document.resolve(pattern.position, pattern.position))
    case 'range': {
      const place = document.resolve(pattern.from, pattern.to)
      if (place.end < place.start)
        throw new FileProblem(`The range ${pattern.source} ends before it begins`)
      return placeSearch(place)
    }
  }
}

/** The pattern sees nothing but the region: `^` is its beginning. */
function regexSearch(
  { source, program }: Pattern & { type: 'regex' },
  text: string,
  budget: StepBudget,
): SearchIn {
  return (region, found) => {
    try {
      searchAll(program, text.slice(region.start, region.end), budget, (start, end) =>
        found(region.start + start, region.start + end, false),
      )
    } catch (error) {
      if (!(error instanceof RegexProblem)) throw error
      throw new FileProblem(`${source}: ${error.message}`)
    }
  }
}

/** Whole lines of the document, with the newline that ends them where it is in the region. */
function lineSearch(lines: string, text: string, budget: StepBudget): SearchIn {
  if (lines === '')
    throw new FileProblem(
      'Empty literal pattern will match everywhere. Use a non-empty heredoc, or bof, eof or a line number.',
    )
  spendSteps(budget, lines.length * STEPS.perComparedChar)
  const occurrences = new Occurrences(lines)
  return (region, found) => {
    spendSteps(budget, (region.end - region.start) * STEPS.perComparedChar)
    let free = region.start
    for (const end of occurrences.endsIn(text, region.start, region.end)) {
      const start = end - lines.length
      const isWhole =
        (start === 0 || text[start - 1] === '\n') && (end === text.length || text[end] === '\n')
      if (!isWhole || start < free) continue
      free = end < region.end ? end + 1 : end
      found(start, free, true)
    }
  }
}

function placeSearch({ start, end }: Region): SearchIn {
  return (region, found) => {
    if (start >= region.start && end <= region.end) found(start, end, false)
  }
}

/** Ends of all occurrences, overlapping ones included, that lie between `start` and `end`. */
class Occurrences {
  readonly #wanted: string
  /** For each length of a beginning of the wanted text: its longest beginning that is also its end. */
  readonly #overlaps: Int32Array

  constructor(wanted: string) {
    this.#wanted = wanted
    this.#overlaps = new Int32Array(wanted.length + 1)
    let matched = 0
    for (let at = 1; at < wanted.length; at += 1) {
      matched = this.#advance(matched, wanted.charCodeAt(at))
      this.#overlaps[at + 1] = matched
    }
  }

  *endsIn(text: string, start: number, end: number): Generator<number> {
    let matched = 0
    for (let at = start; at < end; at += 1) {
      matched = this.#advance(matched, text.charCodeAt(at))
      if (matched < this.#wanted.length) continue
      yield at + 1
      matched = this.#overlaps[matched] ?? 0
    }
  }

  /** How much of the wanted text is matched after one more character. */
  #advance(matched: number, code: number): number {
    let length = matched
    while (length > 0 && this.#wanted.charCodeAt(length) !== code)
      length = this.#overlaps[length] ?? 0
    return this.#wanted.charCodeAt(length) === code ? length + 1 : 0
  }
}

// The cost of work besides regular expressions, in regex steps: one budget per script

/** Measured against a step of the regular expressions, which takes some 20 to 50 nanoseconds. */
export const STEPS = {
  perMatch: 10,
  perRegion: 4,
  perEdit: 20,
  perComparedChar: 1 / 4,
  perCopiedChar: 1 / 64,
  perLine: 1,
} as const

/** Throws if the script has not so many left. Called before the work, so that it is not begun. */
export function spendSteps(budget: StepBudget, steps: number): void {
  if (budget.left >= steps) {
    budget.left -= steps
    return
  }
  budget.left = 0
  throw new FileProblem(
    'The script takes too long: its searches and edits together are over the limit regexSteps; use fewer commands or smaller selections',
  )
}
