// Chooses what a search shows: passages that hold the words close together, and the names around them.
import { cutHead, cutTail } from '../window/tokens/cut.ts'
import { estimateTokens } from '../window/tokens/estimate.ts'
import { type Asked, countWords, findStretch, scoreOf } from './matching.ts'
import { namesIn } from './names.ts'

export interface Candidate {
  readonly text: string
  /** How well the whole of it matches. */
  readonly score: number
}

export interface ChosenFind<C extends Candidate> {
  readonly candidate: C
  readonly snippet: string // one line
  /** Names near the words that are neither in the snippet nor in another find, the likeliest first. */
  readonly names: readonly string[]
}

export interface ChoiceLimits {
  readonly finds: number
  /** For snippets and names: what one find does not use, the others may. */
  readonly tokensPerFind: number
  /** Names that need not be given: the one who asks sees them. */
  readonly known: ReadonlySet<string>
}

const PASSAGE_CHARS = 300
const SNIPPET_CHARS = 80
/** Longer texts are looked through from their beginning so far. */
const MOST_PASSAGES = 4_000
/** What counts: the passage itself, the better one beside it, and the whole text. */
const NEIGHBOUR_SHARE = 0.5
const TEXT_SHARE = 0.3
const LENGTH_SHARE = 0.3
/** A name that stands everywhere says little. */
const COMMON_SHARE = 0.5
/** Of a passage that names only what was given already. */
const REPEATED_COST = 8
/** Of one that names nothing. */
const NAMELESS_COST = 3

interface Passage {
  readonly text: string
  readonly score: number
  readonly names: readonly string[]
}

/** The best first. A text that only repeats the names of another comes after those that add something. */
export function chooseFinds<C extends Candidate>(
  candidates: readonly C[],
  asked: Asked,
  limits: ChoiceLimits,
): ChosenFind<C>[] {
  const rest = candidates.map((candidate) => ({
    candidate,
    passages: rankPassages(candidate, asked),
  }))
  const spread = countNames(rest.flatMap(({ passages }) => passages))
  const given = new Set(limits.known)
  const chosen: { candidate: C; snippet: string; found: readonly RankedName[] }[] = []
  while (chosen.length < limits.finds && rest.length > 0) {
    const worths = rest.map(({ passages }) => worthOf(passages, given))
    const [next] = rest.splice(worths.indexOf(Math.max(...worths)), 1)
    if (!next) break
    const [best] = next.passages
    const snippet = best ? snippetOf(next.candidate.text, best.text, asked) : ''
    const found = rankNames(next.passages, spread).filter(({ name }) => !limits.known.has(name))
    for (const name of namesIn(snippet)) given.add(name)
    for (const { name } of found.slice(0, NAMES_AT_HAND)) given.add(name)
    chosen.push({ candidate: next.candidate, snippet, found })
  }
  return withNames(chosen, limits)
}

/** So many names of a find are likely to be shown with it. */
const NAMES_AT_HAND = 8

/** With any of the words, the best first. */
function rankPassages({ text, score }: Candidate, { words, rarity }: Asked): Passage[] {
  const texts = passagesOf(text)
  const own = texts.map((passage) =>
    scoreOf(countWords(passage, words), rarity, passage.length / PASSAGE_CHARS, LENGTH_SHARE),
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

/** Whole lines as far as they fit. */
function passagesOf(text: string): string[] {
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

function countNames(passages: readonly Passage[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { names } of passages)
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function worthOf(passages: readonly Passage[], given: ReadonlySet<string>): number {
  const worths = passages.map(({ names, score }) => {
    if (names.length === 0) return score - NAMELESS_COST
    return names.every((name) => given.has(name)) ? score - REPEATED_COST : score
  })
  return Math.max(Number.NEGATIVE_INFINITY, ...worths)
}

interface RankedName {
  readonly name: string
  readonly score: number
}

function rankNames(
  passages: readonly Passage[],
  spread: ReadonlyMap<string, number>,
): readonly RankedName[] {
  const best = new Map<string, number>()
  for (const { names, score } of passages)
    for (const name of names) {
      const own = score - COMMON_SHARE * Math.log(spread.get(name) ?? 1)
      if (own > (best.get(name) ?? Number.NEGATIVE_INFINITY)) best.set(name, own)
    }
  return [...best]
    .map(([name, score]) => ({ name, score }))
    .sort((one, other) => other.score - one.score)
}

/** One line around the words of a passage. */
function snippetOf(text: string, passage: string, asked: Asked): string {
  const at = passage.length <= SNIPPET_CHARS ? 0 : findStretch(passage, asked, SNIPPET_CHARS)
  // Never half a word.
  const before = cutTail(passage.slice(0, at), SNIPPET_CHARS / 5).replace(/^\S*(?=\s)/, '')
  const after = cutHead(passage.slice(at), SNIPPET_CHARS - before.length)
  const start = text.startsWith(`${before}${after}`) ? '' : '…'
  const end = text.endsWith(`${before}${after}`) ? '' : '…'
  return `${start}${`${before}${after}`.replace(/\s+/g, ' ').trim()}${end}`
}

/** The likeliest names of all finds, each with the find that it stands in, as far as there is room. */
function withNames<C extends Candidate>(
  chosen: readonly { candidate: C; snippet: string; found: readonly RankedName[] }[],
  { tokensPerFind }: ChoiceLimits,
): ChosenFind<C>[] {
  const shown = new Set(chosen.flatMap(({ snippet }) => namesIn(snippet)))
  let room = chosen.reduce((sum, { snippet }) => sum + tokensPerFind - estimateTokens(snippet), 0)
  const names: string[][] = chosen.map(() => [])
  const ranked = chosen
    .flatMap(({ found }, index) => found.map((each) => ({ ...each, index })))
    .sort((one, other) => other.score - one.score || one.index - other.index)
  for (const { name, index } of ranked) {
    const cost = estimateTokens(`${name}, `)
    if (shown.has(name) || cost > room) continue
    shown.add(name)
    room -= cost
    names[index]?.push(name)
  }
  return chosen.map(({ candidate, snippet }, index) => ({
    candidate,
    snippet,
    names: names[index] ?? [],
  }))
}
