// Commands that select: each maps the current ranges to new ones.
import type { Document, Range } from './document.ts'
import { type FindLimits, find, type Region } from './find.ts'
import { FileProblem } from './problem.ts'
import { type Pattern, patternText, type SelectCommand } from './script.ts'

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
