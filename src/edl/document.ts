// One file while a script works on it: its text now, and where the lines of its first text are in it.

import { FileProblem } from './problem.ts'
import type { Position } from './script.ts'
import { type Edit, type Replaced, SurvivingText } from './surviving-text.ts'

/** From `start` up to, not including, `end`, in UTF-16 code units. */
export interface Range {
  readonly start: number
  readonly end: number
  /** Whole lines were asked for: what is inserted after them begins on a new line. */
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

  /** The edits are in order and do not overlap. Fails before anything is built that would be too long. */
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

  /** From where one position begins to where the other ends. A line is its text without the newline. */
  resolve(from: Position, to: Position): { readonly start: number; readonly end: number } {
    const [first, last] = [this.#offsets(from), this.#offsets(to)]
    const start = first ? this.#start(first.start) : this.#edge(from)
    if (!last) return { start, end: this.#edge(to) }
    // What is empty has no last character that could tell where it ends.
    const isEmpty = last.end === (first?.start ?? 0)
    return { start, end: isEmpty ? this.#start(last.end) : this.#end(last.end) }
  }

  #edge({ type }: Position): number {
    return type === 'eof' ? this.#text.length : 0
  }

  /** In the original; undefined for the ends of the text, which are those of now. */
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

/** Between the two halves of a character beyond U+FFFF. */
export function isInsideCharacter(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff
}

/** The lines of all ranges: newlines and one more for each, but none if it is empty. */
export function linesIn(
  text: string,
  ranges: readonly { readonly start: number; readonly end: number }[],
): number {
  let [count, newline] = [0, -1]
  // The ranges are in order, so that one pass finds the newlines of all of them.
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
