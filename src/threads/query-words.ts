// The words of a query, their counts in a text, and the best matching line
import { singular } from '../core/search/words.ts'
import { cutHead, cutTail } from '../core/window/tokens/cut.ts'

const MOST_WORDS = 16
/** More of the same word say nothing more about a text. */
const MOST_COUNTED = 32

/** Written without blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const WORD = /[\p{L}\p{M}\p{N}_]+/gu
const LETTER = /[\p{L}\p{N}]/u
const LOWER = /[\p{Ll}\p{N}]/u
const UPPER = /\p{Lu}/u

/** Each once, in lower case; what is written without blanks becomes pairs of characters. */
export function queryWords(query: string): string[] {
  const words = (query.toLowerCase().match(WORD) ?? []).flatMap((word) =>
    UNSPACED.test(word) ? pairsOf([...word]) : [word],
  )
  return [...new Set(words)].slice(0, MOST_WORDS)
}

/** How often each word begins a word of the text, or a part of one as in `readRow`. */
export function countWords(text: string, words: readonly string[]): number[] {
  const lower = text.toLowerCase()
  // A few letters change their length with their case: then only the lower case can be looked at.
  const written = lower.length === text.length ? text : lower
  return words.map((word) => {
    let count = 0
    for (const _ of placesOf(lower, written, word)) {
      count += 1
      if (count === MOST_COUNTED) break
    }
    return count
  })
}

/** One line around the first of the words that is there; words are given with the rarest first. */
export function snippetAround(text: string, words: readonly string[], maxChars: number): string {
  const lower = text.toLowerCase()
  const written = lower.length === text.length ? text : lower
  const places = words.map((word) => placesOf(lower, written, word).next().value)
  const at = places.find((place) => place !== undefined) ?? 0
  const before = cutTail(text.slice(0, at), maxChars / 3)
  const after = cutHead(text.slice(at), maxChars - before.length)
  const start = before.length < at ? '…' : ''
  const end = at + after.length < text.length ? '…' : ''
  return `${start}${before}${after}${end}`.replace(/\s+/g, ' ').trim()
}

function* placesOf(lower: string, written: string, word: string): Generator<number> {
  const isUnspaced = UNSPACED.test(word)
  for (const form of formsOf(word))
    for (let at = lower.indexOf(form); at !== -1; at = lower.indexOf(form, at + form.length))
      if (isUnspaced || isWordStart(written, at)) yield at
}

/** How one of it and several of it begin: neither begins the other where `query` becomes `queries`. */
function formsOf(word: string): readonly string[] {
  const one = singular(word)
  return one.endsWith('y') ? [one, `${one.slice(0, -1)}ie`] : [one]
}

function isWordStart(text: string, at: number): boolean {
  const before = text[at - 1] ?? ' '
  if (!LETTER.test(before)) return true
  return LOWER.test(before) && UPPER.test(text[at] ?? '')
}

function pairsOf(characters: readonly string[]): string[] {
  if (characters.length < 2) return [...characters]
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}
