// The request and the result of a search, for both implementations
import { cutHead, cutTail } from '../../core/window/tokens/cut.ts'
import { compileGlob, expandBraces } from '../files/glob.ts'

export interface SearchRequest {
  readonly root: string // the workspace
  readonly start: string // a file or folder in it, absolute
  readonly pattern: string
  readonly glob?: string
  readonly limits: SearchLimits
}

export interface SearchLimits {
  readonly hits: number
  readonly fileBytes: number // larger files are passed over
  readonly timeMs: number
  readonly lineChars: number // of a line that is shown
}

export const SEARCH_LIMITS: SearchLimits = {
  hits: 200,
  fileBytes: 1024 * 1024,
  timeMs: 20_000,
  lineChars: 300,
}

export interface Hit {
  readonly name: string // relative to the workspace
  readonly line: number // from 1
  readonly text: string
}

export interface SearchMatch {
  readonly hits: readonly Hit[]
  /** Why there may be more; absent if everything was searched. */
  readonly stopped?: 'hits' | 'time'
}

/** Which files of the workspace are searched, by their names relative to it. */
export function nameFilter(glob: string | undefined): (name: string) => boolean {
  if (glob === undefined) return () => true
  const isNegated = glob.startsWith('!')
  const globs = expandBraces(isNegated ? glob.slice(1) : glob).map(compileGlob)
  return (name) => globs.some(({ matches }) => matches(name)) !== isNegated
}

/** A line, or the part of it around the match at `start`. */
export function lineAround(line: string, start: number, maxChars: number): string {
  const text = line.trimEnd()
  if (text.length <= maxChars) return text
  const before = cutTail(text.slice(0, start), maxChars / 4)
  const after = cutHead(text.slice(start), maxChars - before.length)
  const isWhole = { start: before.length === start, end: start + after.length === text.length }
  return `${isWhole.start ? '' : '…'}${before}${after}${isWhole.end ? '' : '…'}`
}
