// A search through the events of a thread, newest first, in bounded work: linear, without an index.
import type { EntryId } from '../core/edit/change.ts'
import { readRow } from '../core/log/codec.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import type { Store } from '../core/ports.ts'
import { singular } from '../core/search/words.ts'
import { originalId } from '../core/view/entry.ts'
import { cutHead, cutTail } from '../core/window/tokens/cut.ts'
import { readBody, textOfCall } from './render-event.ts'

// The words of a query, their counts in a text, and the best matching line

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
    UNSPACED.test(word) ? findPairs([...word]) : [word],
  )
  return [...new Set(words)].slice(0, MOST_WORDS)
}

/** How often each word begins a word of the text, or a part of one as in `readRow`. */
function countWords(text: string, words: readonly string[]): number[] {
  const lower = text.toLowerCase()
  // A few letters change their length with their case: then only the lower case can be looked at.
  const written = lower.length === text.length ? text : lower
  return words.map((word) => {
    let count = 0
    for (const _ of findPlaces(lower, written, word)) {
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
  const places = words.map((word) => findPlaces(lower, written, word).next().value)
  const at = places.find((place) => place !== undefined) ?? 0
  const before = cutTail(text.slice(0, at), maxChars / 3)
  const after = cutHead(text.slice(at), maxChars - before.length)
  const start = before.length < at ? '…' : ''
  const end = at + after.length < text.length ? '…' : ''
  return `${start}${before}${after}${end}`.replace(/\s+/g, ' ').trim()
}

function* findPlaces(lower: string, written: string, word: string): Generator<number> {
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

function findPairs(characters: readonly string[]): string[] {
  if (characters.length < 2) return [...characters]
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

export interface SearchLimits {
  readonly events: number // the newest ones
  readonly chars: number
}

export interface ScannedThread {
  readonly matches: readonly MatchingEntry[] // best first
  readonly words: readonly string[] // rarest first
  readonly searchedFrom: number
  readonly left: SearchLimits // what was not used up
}

export interface MatchingEntry {
  readonly ref: EntryId
  readonly seq: number
  readonly tool?: string // whose result it is
  readonly score: number
  /** Part of it was never shown to the model. */
  readonly isShownInPart: boolean
  /** It opens a thread, and says again what was said in the one before. */
  readonly isCopy: boolean
}

/** A row may hold megabytes: not too many at a time. */
const PAGE_ROWS = 100
/** What it reads from the archive is in the archive already; and a question is not an answer. */
const RECALL = 'recall'

export async function searchThread(
  store: Pick<Store, 'read' | 'info'>,
  threadId: string,
  words: readonly string[],
  limits: SearchLimits,
  upTo = Number.POSITIVE_INFINITY,
): Promise<ScannedThread> {
  const scan = new Scan(words)
  const last = Math.min((await store.info(threadId))?.version ?? 0, upTo)
  const first = Math.max(1, last - limits.events + 1)
  let to = last
  while (to >= first && scan.chars < limits.chars) {
    const from = Math.max(first, to - PAGE_ROWS + 1)
    const rows = await store.read(threadId, { from, to })
    for (const row of rows.toReversed()) scan.add(readRow(row))
    to = from - 1
  }
  const left = { events: limits.events - (last - to), chars: limits.chars - scan.chars }
  return { ...scan.ranked(), searchedFrom: to + 1, left }
}

interface Weighed {
  readonly seq: number
  readonly counts: readonly number[]
  readonly chars: number
  readonly isShownInPart: boolean
  readonly isCopy: boolean
  tool?: string
}

/** Takes events backwards: a result comes before its call, calls before their answer. */
class Scan {
  readonly #words: readonly string[]
  readonly #matching = new Map<number, Weighed>()
  readonly #results = new Map<string, number>() // call → its result, until the call is met
  readonly #calls = new Map<number, string[]>() // answer → what its calls say
  #entries = 0
  chars = 0

  constructor(words: readonly string[]) {
    this.#words = words
  }

  add(event: ThreadEvent): void {
    switch (event.type) {
      case 'TOOL_CALL':
        this.#addCall(event.data)
        return
      case 'AGENT_MESSAGE': {
        const calls = this.#calls.get(event.seq) ?? []
        this.#calls.delete(event.seq)
        this.#weigh(event.seq, [event.data.content, ...calls].join('\n'))
        return
      }
      case 'TOOL_RESULT':
        if (event.data.id !== undefined) this.#results.set(event.data.id, event.seq)
        this.#weigh(event.seq, readBody(event, []), {
          isShownInPart: event.data.shown !== undefined,
        })
        return
      case 'USER_MESSAGE':
        this.#weigh(event.seq, readBody(event, []), { isCopy: event.origin === 'summary' })
    }
  }

  #addCall(call: Extract<ThreadEvent, { type: 'TOOL_CALL' }>['data']): void {
    const result = this.#results.get(call.id)
    this.#results.delete(call.id)
    if (call.name === RECALL) {
      if (result !== undefined) this.#matching.delete(result)
      return
    }
    const weighed = result === undefined ? undefined : this.#matching.get(result)
    if (weighed) weighed.tool = call.name
    const others = this.#calls.get(call.answer) ?? []
    this.#calls.set(call.answer, [textOfCall(call), ...others])
  }

  #weigh(
    seq: number,
    text: string,
    {
      isShownInPart = false,
      isCopy = false,
    }: Partial<Pick<Weighed, 'isShownInPart' | 'isCopy'>> = {},
  ): void {
    this.#entries += 1
    this.chars += text.length
    const counts = countWords(text, this.#words)
    if (counts.every((count) => count === 0)) return
    this.#matching.set(seq, { seq, counts, chars: text.length, isShownInPart, isCopy })
  }

  /** By BM25 over the entries that were looked at; of equals, the newer one first. */
  ranked(): Pick<ScannedThread, 'matches' | 'words'> {
    const matching = [...this.#matching.values()]
    const meanChars = Math.max(1, this.chars / Math.max(1, this.#entries))
    const rarity = this.#words.map((_, word) => {
      const holders = matching.filter(({ counts }) => (counts[word] ?? 0) > 0).length
      return Math.log(1 + (this.#entries - holders + 0.5) / (holders + 0.5))
    })
    const matches = matching
      .map(({ counts, chars, ...entry }) => ({
        ...entry,
        ref: originalId(entry.seq),
        score: score(counts, rarity, chars / meanChars),
      }))
      .sort((a, b) => b.score - a.score || b.seq - a.seq)
    const byRarity = this.#words.map((word, index) => ({ word, rarity: rarity[index] ?? 0 }))
    return {
      matches,
      words: byRarity.sort((a, b) => b.rarity - a.rarity).map(({ word }) => word),
    }
  }
}

/** How soon more of the same word stops to count, and how much the length of an entry counts. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

function score(
  counts: readonly number[],
  rarity: readonly number[],
  relativeLength: number,
): number {
  const damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relativeLength)
  return counts.reduce(
    (sum, count, word) =>
      sum + ((rarity[word] ?? 0) * count * (SATURATION + 1)) / (count + damping),
    0,
  )
}
