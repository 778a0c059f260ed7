// Splits text into lines of limited length, the pieces of a brief.

import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import type { Author } from './vocabulary.ts'

/** Longer lines are cut at a blank. Short enough for one topic per line. */
const LONGEST_CHARS = 160
/** How far back to look for a blank. */
const LOOK_BACK_CHARS = 40
/** How far back to look for a sentence end, or a mark in text without blanks. */
const SENTENCE_CHARS = 90
const ENDS = '.;:?!'
const JOINTS = ',;&|)}]"'
/** Pieces kept from the start and end of an endless line. */
const HEAD_PIECES = 96
const TAIL_PIECES = 32

/** Called with each non-empty trimmed line and its start. */
type LineVisitor = (line: string, from: number) => void

export function eachLine(text: string, visit: LineVisitor): void {
  let from = 0
  while (from <= text.length) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    eachPiece(text, from, end, visit)
    from = end + 1
  }
}

function eachPiece(text: string, from: number, to: number, visit: LineVisitor): void {
  const most = (HEAD_PIECES + TAIL_PIECES) * LONGEST_CHARS
  if (to - from <= most) {
    cutPieces(text, from, to, visit)
    return
  }
  cutPieces(text, from, boundary(text, from + HEAD_PIECES * LONGEST_CHARS), visit)
  cutPieces(text, boundary(text, to - TAIL_PIECES * LONGEST_CHARS), to, visit)
}

function cutPieces(text: string, from: number, to: number, visit: LineVisitor): void {
  let start = from
  while (start < to) {
    const end = to - start <= LONGEST_CHARS ? to : pieceEnd(text, start)
    const line = text.slice(start, end).trim()
    if (line !== '') visit(line, text.indexOf(line, start))
    start = withoutEscapes(text, end, to)
  }
}

/** In long JSON lines, the line ends of contained text are two characters: a backslash and an n. */
function pieceEnd(text: string, start: number): number {
  const limit = start + LONGEST_CHARS
  for (let at = start + 1; at < limit; at += 1)
    if (text.charCodeAt(at) === BACKSLASH && text.charCodeAt(at + 1) === LETTER_N) return at
  for (let at = limit; at > limit - SENTENCE_CHARS; at -= 1)
    if (text.charCodeAt(at - 1) === BLANK && ENDS.includes(text[at - 2] as string)) return at
  for (let at = limit; at > limit - LOOK_BACK_CHARS; at -= 1)
    if (text.charCodeAt(at - 1) === BLANK) return at
  for (let at = limit; at > limit - SENTENCE_CHARS; at -= 1)
    if (JOINTS.includes(text[at - 1] as string)) return at
  return boundary(text, limit)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals read their colours from them
const COLOURS = /\u001b\[[\d;]*m/g

/** Terminal colours say nothing and stick to the next word. */
export function withoutColours(text: string): string {
  return text.includes('\u001b[') ? text.replace(COLOURS, '') : text
}

const BLANK = 32
const BACKSLASH = 92
const LETTER_N = 110
const LETTER_R = 114
const LETTER_T = 116

/** Skips escaped line ends and indentation. */
function withoutEscapes(text: string, from: number, to: number): number {
  let at = from
  while (at + 1 < to && text.charCodeAt(at) === BACKSLASH) {
    const sign = text.charCodeAt(at + 1)
    if (sign !== LETTER_N && sign !== LETTER_R && sign !== LETTER_T) break
    at += 2
  }
  return at
}

/** Never inside a surrogate pair. */
function boundary(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}

export type LineKind = 'said' | 'head' | 'argument' | 'result'

/** The source text shared by its lines. */
export interface LineSource {
  readonly seq: number // of its event
  readonly group: number
  readonly kind: LineKind
  readonly author: Author
  readonly text: string
}

/** A line of the conversation; lines share data, because a million tokens have a hundred thousand. */
export class Line {
  readonly of: LineSource
  readonly text: string
  readonly from: number // start in its source
  readonly firstTerm: number
  readonly termCount: number
  readonly tokens: number
  isRepeated: boolean // a later line says the same

  constructor(of: LineSource, text: string, from: number, firstTerm: number, termCount: number) {
    this.of = of
    this.text = text
    this.from = from
    this.firstTerm = firstTerm // in `Digest.terms`: what it names
    this.termCount = termCount
    this.tokens = estimateTokens(text)
    this.isRepeated = false
  }

  get seq(): number {
    return this.of.seq
  }

  get group(): number {
    return this.of.group
  }

  get kind(): LineKind {
    return this.of.kind
  }
}

const SENTENCE_START = /(?:[.!?:][)\]"'*_]*\s+|\n\s*)(?=[^\s.!?][^\n]*$)/g
const SENTENCE_END = /[.!?](?=[)\]"'*_]*(?:\s|$))|(?=\n)|$/
const MOST_BESIDE_CHARS = 240

/** The text of a line, completed to its sentence if it was cut inside one. */
export function wholeSentence({ of, from, text }: Line): string {
  const before = of.text.slice(Math.max(0, from - MOST_BESIDE_CHARS), from)
  const starts = [...before.matchAll(SENTENCE_START)].at(-1)
  const isStart = from === 0 || /(?:[.!?:][)\]"'*_]*\s+|\n\s*)$/.test(before)
  const cut = from <= MOST_BESIDE_CHARS ? 0 : before.length
  const start = isStart ? before.length : starts ? starts.index + starts[0].length : cut
  const rest = of.text.slice(from + text.length, from + text.length + MOST_BESIDE_CHARS)
  const found = /[.!?][)\]"'*_]*$/.test(text) ? undefined : SENTENCE_END.exec(rest)
  const end = found ? found.index + found[0].length : 0
  return `${before.slice(start)}${text}${rest.slice(0, end)}`.trimEnd()
}
