// Finds query words in a text: by stem, at the start of a word or of a part of a name.
import { cutHead } from '../window/tokens/cut.ts'
import { namesIn, queryWords, tellingText } from './words.ts'

/** The query's words and their rarity. */
export interface Asked {
  readonly words: readonly string[]
  readonly rarity: readonly number[]
}

/** More repetitions say nothing more. */
const MOST_COUNTED = 32
const SHORTEST_STEM = 4
/** Scripts without blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const LETTER = /[\p{L}\p{N}]/u
const LOWER = /[\p{Ll}\p{N}]/u
const UPPER = /\p{Lu}/u
const ACCENTED = /[\u00aa-\u04ff]/g
const ENGLISH = /^[a-z]+$/

/** Each once: `querying` and `queries` become `quer`, `parseConfig` also its parts. */
export function computeStems(query: string): string[] {
  return [...new Set(queryWords(tellingText(query)).map(({ word }) => cutStem(word)))]
}

const ENDINGS = [
  ...['ations', 'ation', 'ating', 'ated', 'ates', 'ate', 'ments', 'ment', 'ings', 'ing', 'ions'],
  ...['ion', 'ers', 'er', 'ed', 'es', 'ly', 's', 'e', 'y'],
]

/** The common start of an English word's forms; need not be a word. */
function cutStem(word: string): string {
  if (!ENGLISH.test(word)) return word
  const ending = ENDINGS.find(
    (each) => word.endsWith(each) && word.length - each.length >= SHORTEST_STEM,
  )
  const stem = ending === undefined ? word : word.slice(0, -ending.length)
  const plain = ending !== 'y' && stem.endsWith('y') ? stem.slice(0, -1) : stem
  const isDoubled = ending !== undefined && plain.at(-1) === plain.at(-2)
  return isDoubled && plain.length >= SHORTEST_STEM ? plain.slice(0, -1) : plain
}

/** The number of each word's occurrences. */
export function countWords(text: string, words: readonly string[]): number[] {
  const folded = foldText(text)
  return words.map((word) => {
    let count = 0
    for (const at of findPlaces(folded, word)) {
      count += isForm(folded, at + word.length) ? 1 : BEGINNING_SHARE
      if (count >= MOST_COUNTED) break
    }
    return count
  })
}

/** Weight of a longer word that only starts with the query word. */
const BEGINNING_SHARE = 0.2
const REST = /[a-z]*/y
const FORM = new Set(['', ...ENDINGS, 'ies', 'ied', 'able', 'al', 'or', 'ors', 'ness', 'ive'])

/** Whether the rest is an ending of the same word: `queries`, but `user` is not a form of `use`. */
function isForm({ lower, written }: FoldedText, at: number): boolean {
  REST.lastIndex = at
  const rest = REST.exec(written)?.[0] ?? ''
  return FORM.has(rest) || (rest.length > 1 && rest[0] === lower[at - 1] && FORM.has(rest.slice(1)))
}

/** BM25: how fast repeated words stop counting. */
const SATURATION = 1.2

/** BM25; `lengthShare` is the weight of a text's length. */
function computeScore(
  counts: readonly number[],
  rarity: readonly number[],
  relativeLength: number,
  lengthShare: number,
): number {
  const damping = SATURATION * (1 - lengthShare + lengthShare * relativeLength)
  return counts.reduce(
    (sum, count, word) =>
      sum + ((rarity[word] ?? 0) * count * (SATURATION + 1)) / (count + damping),
    0,
  )
}

export interface CountedText {
  readonly counts: readonly number[] // of each word
  readonly chars: number
}

/** Weight of a text's length. */
const TEXT_LENGTH_SHARE = 0.75

/** The rarity of each word among `all` texts, and the score of each matching text. */
export function weighTexts(
  texts: readonly CountedText[],
  words: readonly string[],
  all: { readonly texts: number; readonly chars: number },
): { readonly asked: Asked; readonly scores: readonly number[] } {
  const meanChars = Math.max(1, all.chars / Math.max(1, all.texts))
  const rarity = words.map((_, word) => {
    const holders = texts.filter(({ counts }) => (counts[word] ?? 0) > 0).length
    return Math.log(1 + (all.texts - holders + 0.5) / (holders + 0.5))
  })
  const scores = texts.map(({ counts, chars }) =>
    computeScore(counts, rarity, chars / meanChars, TEXT_LENGTH_SHARE),
  )
  return { asked: { words, rarity }, scores }
}

/** The start of the part with most of the query, close together. */
export function findStretch(text: string, { words, rarity }: Asked, chars: number): number {
  const folded = foldText(text)
  const places = words
    .flatMap((word, index) =>
      [...findPlaces(folded, word)].slice(0, MOST_COUNTED).map((at) => ({ at, index })),
    )
    .sort((one, other) => one.at - other.at)
  let best = { at: 0, weight: 0, span: 0 }
  for (const [first, { at }] of places.entries()) {
    const held = new Set<number>()
    let span = 0
    for (const place of places.slice(first)) {
      if (place.at > at + chars) break
      if (!held.has(place.index)) span = place.at - at
      held.add(place.index)
    }
    const weight = [...held].toSorted().reduce((sum, index) => sum + (rarity[index] ?? 0) + 1e-9, 0)
    const isCloser = weight === best.weight && span < best.span
    if (weight > best.weight || isCloser) best = { at, weight, span }
  }
  return best.at
}

interface FoldedText {
  readonly lower: string
  /** With capitals, which separate the parts of a name. */
  readonly written: string
}

/** Without accents and case, each character at its place. */
function foldText(text: string): FoldedText {
  const plain = text.replace(ACCENTED, (letter) => letter.normalize('NFKD').charAt(0))
  const lower = plain.toLowerCase()
  // A few letters change length with case: then use lower case only.
  return { lower, written: lower.length === plain.length ? plain : lower }
}

function* findPlaces({ lower, written }: FoldedText, word: string): Generator<number> {
  const isUnspaced = UNSPACED.test(word)
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length))
    if (isUnspaced || isWordStart(written, at)) yield at
}

function isWordStart(text: string, at: number): boolean {
  const before = text[at - 1] ?? ' '
  if (!LETTER.test(before)) return true
  return LOWER.test(before) && UPPER.test(text[at] ?? '')
}

const PASSAGE_CHARS = 300
/** Longer texts are searched only this far. */
const MOST_PASSAGES = 4_000
/** A score combines the passage, its better neighbour, and the whole text. */
const NEIGHBOUR_SHARE = 0.5
const TEXT_SHARE = 0.3
const LENGTH_SHARE = 0.3

export interface Passage {
  readonly text: string
  readonly score: number
  readonly names: readonly string[]
}

/** Passages with any of the words, best first. */
export function rankPassages(
  { text, score }: { readonly text: string; readonly score: number },
  { words, rarity }: Asked,
): Passage[] {
  const texts = splitPassages(text)
  const own = texts.map((passage) =>
    computeScore(countWords(passage, words), rarity, passage.length / PASSAGE_CHARS, LENGTH_SHARE),
  )
  return texts
    .flatMap((passage, index) => {
      const beside = Math.max(own[index - 1] ?? 0, own[index + 1] ?? 0)
      const near = (own[index] ?? 0) + NEIGHBOUR_SHARE * beside
      if (near === 0) return []
      return [{ text: passage, score: near + TEXT_SHARE * score, names: namesIn(passage) }]
    })
    .sort((one, other) => other.score - one.score)
}

/** Whole lines, as many as fit. */
function splitPassages(text: string): string[] {
  const passages: string[] = []
  let passage = ''
  for (const line of text.split('\n')) {
    if (passages.length >= MOST_PASSAGES) break
    if (passage.length + line.length >= PASSAGE_CHARS) {
      if (passage !== '') passages.push(passage)
      passage = line
      while (passage.length > PASSAGE_CHARS && passages.length < MOST_PASSAGES) {
        const blank = passage.lastIndexOf(' ', PASSAGE_CHARS)
        const piece = cutHead(passage, blank > PASSAGE_CHARS / 2 ? blank : PASSAGE_CHARS)
        passages.push(piece)
        passage = passage.slice(Math.max(1, piece.length))
      }
    } else passage = passage === '' ? line : `${passage}\n${line}`
  }
  if (passage.trim() !== '') passages.push(passage)
  return passages
}
