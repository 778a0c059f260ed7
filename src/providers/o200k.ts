// Exact counts in OpenAI's o200k vocabulary. The vocabulary is large, so it is loaded when first asked for.
import { importPeer } from '../core/errors.ts'
import type { TokenCounter } from '../core/window/tokens/counter.ts'

/** The tokenizer's time grows with the square of longer runs of one class. */
export const LONGEST_RUN_CHARS = 256

// The tokenizer throws on names of special tokens unless none is forbidden.
const OPTIONS = { disallowedSpecial: new Set<string>() }

export async function loadO200k(): Promise<TokenCounter> {
  const { countTokens } = await importPeer(
    'gpt-tokenizer',
    () => import('gpt-tokenizer/encoding/o200k_base'),
  )
  return {
    id: 'o200k',
    count: (text) => cutLongRuns(text).reduce((sum, piece) => sum + countTokens(piece, OPTIONS), 0),
  }
}

// The character classes of the tokenizer's splitter. A combining mark joins letters and marks, a line end
// joins spaces and marks.
const LETTER = 1

const MARK = 2

const COMBINING = LETTER | MARK

const SPACE = 4

const LINE_END = MARK | SPACE

const NUMBER = 8

/**
 * Splits a text inside runs of one class longer than `LONGEST_RUN_CHARS`, never inside a surrogate pair.
 * Nearly every text has no such run and is returned whole.
 */
export function cutLongRuns(text: string): string[] {
  const pieces: string[] = []
  let start = 0
  let letters = 0
  let marks = 0
  let spaces = 0
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) as number
    const units = code > 0xffff ? 2 : 1
    const classes = findClasses(code)
    letters = (classes & LETTER) === 0 ? 0 : letters + units
    marks = (classes & MARK) === 0 ? 0 : marks + units
    spaces = (classes & SPACE) === 0 ? 0 : spaces + units
    if (letters > LONGEST_RUN_CHARS || marks > LONGEST_RUN_CHARS || spaces > LONGEST_RUN_CHARS) {
      pieces.push(text.slice(start, at))
      start = at
      letters = (classes & LETTER) === 0 ? 0 : units
      marks = (classes & MARK) === 0 ? 0 : units
      spaces = (classes & SPACE) === 0 ? 0 : units
    }
    at += units
  }
  pieces.push(start === 0 ? text : text.slice(start))
  return pieces
}

/** Filled on demand; 0 means not computed yet. */
const known = new Uint8Array(0x10000)

function findClasses(code: number): number {
  if (code > 0xffff) return classify(code)
  const met = known[code] as number
  if (met !== 0) return met
  const classes = classify(code)
  known[code] = classes
  return classes
}

function classify(code: number): number {
  const character = String.fromCodePoint(code)
  if (/[\r\n]/.test(character)) return LINE_END
  if (/\s/.test(character)) return SPACE
  if (/\p{M}/u.test(character)) return COMBINING
  if (/\p{L}/u.test(character)) return LETTER
  return /\p{N}/u.test(character) ? NUMBER : MARK
}
