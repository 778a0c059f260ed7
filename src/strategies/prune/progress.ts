// `progress`: removes progress lines, and lines that differ only in numbers.
import { asRef } from '../trim.ts'
import { isFileRead, type Prune, withText } from './tool-uses.ts'

export function template(line: string): string {
  return line.replace(/\d+/g, '0')
}

const LEAST_CHARS = 400

/** A run of this many similar lines is reduced to first and last. */
const RUN_LINES = 4

export const progress: Prune = {
  name: 'progress',
  isSingle: true,
  find({ uses, until }) {
    return uses.flatMap((use) => {
      if (use.at >= until || use.isElided || use.text.length < LEAST_CHARS || isFileRead(use))
        return []
      const text = withoutProgress(use.text, asRef(use.ref))
      return text === undefined ? [] : [withText(use, text)]
    })
  },
}

/** Undefined if nothing would be removed. */
function withoutProgress(text: string, ref: string): string | undefined {
  const raw = text.split('\n')
  const lines = raw.map(lastState)
  // CRLF does not mean an overwritten line.
  let isShorter = lines.some((line, at) => line.length < (raw[at] as string).length - 1)
  const kept: string[] = []
  for (let at = 0; at < lines.length; ) {
    const end = runEnd(lines, at)
    const isRun = end - at >= RUN_LINES
    isShorter ||= isRun
    const shown = isRun
      ? [lines[at] as string, `[… ${end - at - 2} lines like these …]`, lines[end - 1] as string]
      : lines.slice(at, end)
    for (const line of shown) kept.push(line)
    at = end
  }
  return isShorter ? [...kept, `[The whole: ${ref}]`].join('\n') : undefined
}

/** The final state of an overwritten line. */
function lastState(line: string): string {
  const shown = line.endsWith('\r') ? line.slice(0, -1) : line
  return shown.slice(shown.lastIndexOf('\r') + 1)
}

/** Progress lines that differ only in numbers, or identical lines. */
function runEnd(lines: readonly string[], start: number): number {
  const first = lines[start] as string
  if (first.trim() === '') return start + 1
  const kindOf = PROGRESS.test(first.slice(0, LONGEST_CHARS)) ? lineTemplate : asItIs
  const kind = kindOf(first)
  let end = start + 1
  while (end < lines.length && kindOf(lines[end] as string) === kind) end += 1
  return end
}

const LONGEST_CHARS = 2_000

const PROGRESS =
  /\d ?%|\d\/\d|[█▓▒░━=#>]{2}|[kKMG]i?B\/s|\b(?:eta|elapsed|remaining|downloading|fetching|fetch|pulling|pulled|extracting|installing|compiling|building|resolving|waiting|progress|retrying)\b|\.{3}$/i

function asItIs(line: string): string {
  return line
}

/** Without numbers, bars and dots. */
function lineTemplate(line: string): string {
  if (line.length > LONGEST_CHARS) return line
  return line
    .replace(/\d+/g, '0')
    .replace(/[█▓▒░▏▎▍▌▋▊▉━─=#>.·•⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏|/\\-]{2,}/g, '-')
    .trim()
}
