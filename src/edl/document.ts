// One file during a script: its current text, and where the original lines are now.

import { FileProblem } from './problem.ts'
import type { Position } from './script.ts'
import { type Edit, type Replaced, SurvivingText } from './surviving-text.ts'

/** From `start` to `end` (exclusive), in UTF-16 code units. */
export interface Range {
  readonly start: number
  readonly end: number
  /** Selected as whole lines: an insertion after it starts on a new line. */
  readonly isLines: boolean
}

export class Document {
  readonly original: string
  #text: string
  readonly #surviving: SurvivingText
  #lineStarts: readonly number[] | undefined

  constructor(text: string) {
    this.original = text
    this.#text = text
    this.#surviving = new SurvivingText(text.length)
  }

  get text(): string {
    return this.#text
  }

  get whole(): Range {
    return { start: 0, end: this.#text.length, isLines: false }
  }

  /** Edits must be sorted and must not overlap. Fails before building a text over the limit. */
  apply(edits: readonly Edit[], maxChars: number): void {
    let length = this.#text.length
    for (const { start, end, text } of edits) length += text.length - (end - start)
    if (length > maxChars)
      throw new FileProblem(
        `The file would have ${length} characters; at most ${maxChars} are allowed`,
      )
    const pieces: string[] = []
    let from = 0
    for (const { start, end, text } of edits) {
      pieces.push(this.#text.slice(from, start), text)
      from = end
    }
    pieces.push(this.#text.slice(from))
    this.#surviving.apply(edits)
    this.#text = pieces.join('')
  }

  /** From the start of one position to the end of the other. A line is its text without the newline. */
  resolve(from: Position, to: Position): { readonly start: number; readonly end: number } {
    const [first, last] = [this.#offsets(from), this.#offsets(to)]
    const start = first ? this.#start(first.start) : this.#edge(from)
    if (!last) return { start, end: this.#edge(to) }
    // An empty range has no last character to map.
    const isEmpty = last.end === (first?.start ?? 0)
    return { start, end: isEmpty ? this.#start(last.end) : this.#end(last.end) }
  }

  #edge({ type }: Position): number {
    return type === 'eof' ? this.#text.length : 0
  }

  /** In the original; undefined for the ends of the text, which are the current ones. */
  #offsets(position: Position): { readonly start: number; readonly end: number } | undefined {
    if (position.type === 'line') return this.#line(position.line)
    if (position.type !== 'point') return undefined
    const point = this.#point(position.line, position.column)
    return { start: point, end: point }
  }

  #line(number: number): { readonly start: number; readonly end: number } {
    this.#lineStarts ??= findLineStarts(this.original)
    const start = this.#lineStarts[number - 1]
    if (start === undefined)
      throw new FileProblem(
        `Line ${number} is out of range: the file had ${this.#lineStarts.length} lines`,
      )
    const next = this.#lineStarts[number]
    return { start, end: next === undefined ? this.original.length : next - 1 }
  }

  #point(number: number, column: number): number {
    const { start, end } = this.#line(number)
    if (column > end - start)
      throw new FileProblem(
        `Column ${column} is out of range: line ${number} had ${end - start} characters`,
      )
    if (isInsideCharacter(this.original, start + column))
      throw new FileProblem(`Column ${column} of line ${number} is in the middle of a character`)
    return start + column
  }

  #start(original: number): number {
    return existing(original, this.#surviving.startOf(original))
  }

  #end(original: number): number {
    return existing(original, this.#surviving.endOf(original))
  }
}

/** Between the two halves of a surrogate pair. */
export function isInsideCharacter(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff
}

/** The number of lines in all ranges; an empty range has none. */
export function linesIn(
  text: string,
  ranges: readonly { readonly start: number; readonly end: number }[],
): number {
  let [count, newline] = [0, -1]
  // Ranges are sorted, so one pass finds all newlines.
  for (const { start, end } of ranges) {
    if (start === end) continue
    count += 1
    if (newline < start) newline = newlineFrom(text, start)
    for (; newline < end; newline = newlineFrom(text, newline + 1)) count += 1
  }
  return count
}

function newlineFrom(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? Number.POSITIVE_INFINITY : at
}

function findLineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function existing(original: number, now: number | Replaced): number {
  if (typeof now === 'number') return now
  throw new FileProblem(
    `Cannot resolve position: original offset ${original} falls inside a previously replaced region [${now.from}, ${now.to})`,
  )
}
