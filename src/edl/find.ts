// Finds a pattern in ranges of a document.
import type { Document, Range } from './document.ts'
import { FileProblem } from './problem.ts'
import { RegexProblem } from './regex/parse-regex.ts'
import { type StepBudget, searchAll } from './regex/search.ts'
import type { Pattern } from './script.ts'
import { STEPS, spendSteps } from './spend-steps.ts'

/** A part of a document: from `start` to `end` (exclusive). */
export interface Region {
  readonly start: number
  readonly end: number
}

export interface FindLimits {
  readonly budget: StepBudget
  readonly ranges: number
}

/** All matches in the regions, in order, without overlaps within a region. */
export function find(
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

/** Reports each match of a region through a callback, since there may be a million. */
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

/** The pattern sees only the region: `^` is its start. */
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

/** Whole lines of the document, with their newline if it is in the region. */
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

/** The ends of all occurrences between `start` and `end`, overlapping ones included. */
class Occurrences {
  readonly #wanted: string
  /** Knuth-Morris-Pratt table: for each prefix length, its longest proper prefix that is also a suffix. */
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

  /** The matched length after one more character. */
  #advance(matched: number, code: number): number {
    let length = matched
    while (length > 0 && this.#wanted.charCodeAt(length) !== code)
      length = this.#overlaps[length] ?? 0
    return this.#wanted.charCodeAt(length) === code ? length + 1 : 0
  }
}
