// Text for a terminal: transcripts cannot control it, and columns align in any script.
import { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import { escapeTexts, printableJson } from '../../core/text/visible.ts'
import { secretsOf } from '../../redact/known.ts'
import { redactValues } from '../../redact/redact-values.ts'
import type { Io, Output } from '../process-io.ts'
import type { Environment } from '../settings/places.ts'
import { writeStream } from './io.ts'

/** Control characters, and marks that reverse text direction. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g
/** Scripts with double-width letters, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** One line of harmless text with limited width. */
export function oneLine(text: string, columns: number): string {
  // Cut long texts before looking at each letter.
  const line = text
    .slice(0, columns * 4)
    .replace(CONTROLS, ' ')
    .trim()
  const whole = text.length <= columns * 4
  let width = 0
  let shown = ''
  for (const { segment } of segmenter.segment(line)) {
    width += measureWidth(segment)
    if (width > columns - (whole && shown.length + segment.length === line.length ? 0 : 1))
      return `${shown.trimEnd()}…`
    shown += segment
  }
  return whole ? shown : `${shown}…`
}

/** Text in backticks is copied as a whole, so it is not broken. */
const WRAPPED_WORD = /`[^`]*`\S*|\S+/g
/** Remarks are shorter; quoted documents may be longer. */
const LONGEST_REMARK = 2_000

/**
 * Wraps harmless text to a width; only a single long word may exceed it. `indent` precedes the first line,
 * `hanging` the others.
 */
export function wrapLines(
  text: string,
  columns: number,
  indent = '  ',
  hanging = `${indent}  `,
): string[] {
  const lines: string[] = []
  let line = indent
  for (const [word] of oneLine(text, LONGEST_REMARK).matchAll(WRAPPED_WORD)) {
    const longer = line.endsWith(' ') || line === '' ? `${line}${word}` : `${line} ${word}`
    if (line.trim() !== '' && countColumns(longer) > columns) {
      lines.push(line.trimEnd())
      line = `${hanging}${word}`
    } else line = longer
  }
  return [...lines, line]
}

function countColumns(text: string): number {
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += measureWidth(segment)
  return width
}

export function padColumns(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - countColumns(text)))
}

function measureWidth(segment: string): number {
  return WIDE.test(segment) ? 2 : 1
}

/** A bar of `share` (0 to 1) in eighths of a column; anything above zero is visible. */
export function bar(share: number, columns: number): string {
  const eighths = share > 0 ? Math.max(1, Math.round(share * columns * 8)) : 0
  const rest = eighths % 8
  return '█'.repeat(Math.floor(eighths / 8)) + (rest > 0 ? (' ▏▎▍▌▋▊▉'[rest] ?? '') : '')
}

export function thousands(value: number): string {
  return value.toLocaleString('en-US')
}

export function counted(count: number, word: string): string {
  return `${thousands(count)} ${word}${count === 1 ? '' : 's'}`
}

export interface Style {
  bold(text: string): string
  dim(text: string): string
  good(text: string): string
}

/** At least sixteen colours. */
const COLOUR_BITS = 4

export function hasColours({ isTTY }: Output, environment: Environment): boolean {
  if (!isTTY && environment.FORCE_COLOR === undefined) return false
  // Node only uses this of the stream.
  return WriteStream.prototype.getColorDepth(environment) >= COLOUR_BITS
}

/** Colours on terminals that want them; respects NO_COLOR and the like. */
export function buildStyle(stream: Output, environment: Environment): Style {
  const isColoured = hasColours(stream, environment)
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    isColoured ? styleText(format, text, { validateStream: false }) : text
  return { bold: style('bold'), dim: style('dim'), good: style('green') }
}

const DEFAULT_COLUMNS = 100

/** Prints the result of a command as JSON or lines, redacted. */
export async function print<Told>(
  { stdout, environment }: Pick<Io, 'stdout' | 'environment'>,
  told: Told,
  json: boolean | undefined,
  render: (told: Told, style: Style, columns: number) => string,
): Promise<void> {
  const clean = redactValues(told, secretsOf(environment)).value
  const columns = (stdout.isTTY && stdout.columns) || DEFAULT_COLUMNS
  const text = json
    ? `${printableJson(clean, 2)}\n`
    : render(escapeTexts(clean), buildStyle(stdout, environment), columns)
  await writeStream(stdout, text)
}

/** Quotes a word for a shell. */
export function quoted(word: string): string {
  return /^[\w./@:+%=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
