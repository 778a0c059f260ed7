// The informative lines of an output: its start, its end, and its errors
import { cutHead } from '../core/window/tokens/cut.ts'

export interface TellingLines {
  readonly head: readonly string[]
  readonly tail: readonly string[]
}

export interface TellingOptions {
  readonly head: number
  readonly tail: number
  /** Lines that complain come before others at the end. */
  readonly prefersErrors?: boolean
}

/** It is the ends of an output that tell; more of a huge one is not looked at. */
const END_CHARS = 16_000
const LINE_CHARS = 200

/** Verbatim, except for lines that are cut. Takes the same time for a text of any length. */
export function tellingLines(text: string, options: TellingOptions): TellingLines {
  const first = linesOf(text.slice(0, END_CHARS))
  const head = first.slice(0, options.head)
  const rest =
    text.length > END_CHARS
      ? linesOf(text.slice(-END_CHARS)).slice(1) // of the first one only the end is there
      : first.slice(options.head)
  const errors = options.prefersErrors ? rest.filter(complains).slice(-options.tail) : []
  const tail = errors.length > 0 ? errors : rest.slice(-options.tail)
  return { head: head.map(cut), tail: options.tail > 0 ? tail.map(cut) : [] }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(tells)
}

/** Not a rule, a bracket or a blank. */
function tells(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line.length > LINE_CHARS ? line.slice(0, LINE_CHARS) : line)
}

const COMPLAINT =
  /\b(?:error|errors|fail|failed|failing|failure|fatal|panic|exception|traceback|assert|expected|cannot|denied|undefined|warning|not found|no such)\b|[a-z]Error\b|✗|✘|✖|×/i

export function complains(line: string): boolean {
  return COMPLAINT.test(line.length > 4 * LINE_CHARS ? line.slice(0, 4 * LINE_CHARS) : line)
}

function cut(line: string): string {
  const head = cutHead(line, LINE_CHARS)
  return head === line ? line : `${head}…`
}
