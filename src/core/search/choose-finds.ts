// Chooses what a search shows: passages with the words close together, and names near them.

import { cutHead, cutTail } from '../window/tokens/cut.ts'
import { estimateTokens } from '../window/tokens/estimate.ts'
import { type Asked, findStretch, type Passage, rankPassages } from './matching.ts'
import { namesIn } from './words.ts'

export interface Candidate {
  readonly text: string
  /** How well the whole text matches. */
  readonly score: number
  /** Written by the asker, so its names are more likely meant. */
  readonly isOwn?: boolean
  /** The file that it is the content of: a name that the content itself does not have. */
  readonly file?: string
  /** Precedes its snippet in a list and takes room. */
  readonly label: string
  /** The short form if only names are shown. */
  readonly ref?: string
  /** Age: from 0 for the oldest to 1 for the newest. */
  readonly recency?: number
  /** Lower tiers come first, however well others match. */
  readonly tier?: number
}

export interface ChosenFind<C extends Candidate> {
  readonly candidate: C
  readonly snippet: string // one line; empty if only names are shown
  /** Names near the words, in neither the snippet nor another find, most likely first. */
  readonly names: readonly string[]
}

export interface ChoiceLimits {
  readonly finds: number
  /** How many more may show their most likely names only. */
  readonly further?: number
  /** For all lines together: unused room of one goes to others. */
  readonly tokens: number
  /** Names the asker sees already. */
  readonly known: ReadonlySet<string>
}

/** For all snippets together; a single find shows its whole passage. */
const SNIPPETS_CHARS = 300
const FEWEST_SNIPPET_CHARS = 60
/** A name in more texts than this says little. */
const COMMON_SHARE = 0.5
/** Cost of a passage or snippet that repeats known names. */
const REPEATED_COST = 8
/** Cost of a passage without names. */
const NAMELESS_COST = 3

/** Larger than any score. */
const TIER_COST = 1e6
const LETTER = /[\p{L}\p{N}_]/u

/** Best first. A text that only repeats another's names comes after those that add something. */
export function chooseFinds<C extends Candidate>(
  candidates: readonly C[],
  asked: Asked,
  limits: ChoiceLimits,
): ChosenFind<C>[] {
  const finds = Math.min(limits.finds, candidates.length)
  const chars = Math.max(FEWEST_SNIPPET_CHARS, SNIPPETS_CHARS / Math.max(1, finds))
  const rest = candidates.map((candidate) => {
    const passages = withFile(rankPassages(candidate, asked), candidate.file)
    const [best] = passages
    return { candidate, passages, snippet: best ? cutSnippet(candidate, best, asked, chars) : '' }
  })
  const spread = countNames(rest.flatMap(({ passages }) => passages))
  const evidence = weighEvidence(rest)
  const given = new Set(limits.known)
  const chosen: Shown<C>[] = []
  while (chosen.length < finds + (limits.further ?? 0)) {
    const worths = rest.map(({ candidate, passages, snippet }) => {
      const isRepeated = chosen.some((other) => other.snippet === snippet)
      const cost = (isRepeated ? REPEATED_COST : 0) + TIER_COST * (candidate.tier ?? 0)
      return weighPassages(passages, given) - cost
    })
    const [next] = rest.splice(worths.indexOf(Math.max(...worths)), 1)
    if (!next) break
    const { candidate, passages } = next
    const snippet = chosen.length < finds ? next.snippet : undefined
    const worthOfName = (name: string) =>
      (candidate.isOwn || name === candidate.file ? OWN_WORTH : 0) +
      (evidence.get(name) ?? 0) -
      (MEASURE.test(name) ? MEASURE_COST : 0) -
      COMMON_SHARE * Math.log(spread.get(name) ?? 1)
    const found = rankNames(passages, worthOfName).filter(({ name }) => !limits.known.has(name))
    for (const name of namesIn(snippet ?? '')) given.add(name)
    for (const { name } of found.slice(0, NAMES_AT_HAND)) given.add(name)
    chosen.push({ candidate, snippet, found })
  }
  return withNames(chosen, limits)
}

/** The agent named the file in its call; the result rarely does. */
function withFile([best, ...rest]: readonly Passage[], file: string | undefined): Passage[] {
  if (!best) return []
  const names = file === undefined ? best.names : [...new Set([file, ...best.names])]
  return [{ ...best, names }, ...rest]
}

interface Shown<C extends Candidate> {
  readonly candidate: C
  readonly snippet: string | undefined // without one only names are shown
  readonly found: readonly RankedName[]
}

/** Weight of names in the asker's own texts. */
const OWN_WORTH = 3
/** How long something took is rarely asked for. */
const MEASURE = /^\d+(?:\.\d+)?(?:m?s|%|[kKMG]?B)$|^[A-Z]\/[A-Z]$/
const MEASURE_COST = 3
/** This many names of a find will probably be shown. */
const NAMES_AT_HAND = 8
/** Weight of names the asker used in several texts, or recently. */
const USED_WORTH = 2
const RECENT_WORTH = 2

/** Evidence for a name besides its passages. */
function weighEvidence(
  all: readonly { readonly candidate: Candidate; readonly passages: readonly Passage[] }[],
): ReadonlyMap<string, number> {
  const used = new Map<string, number>()
  const latest = new Map<string, number>()
  for (const { candidate, passages } of all)
    for (const name of new Set(passages.flatMap(({ names }) => names))) {
      if (candidate.isOwn) used.set(name, (used.get(name) ?? 0) + 1)
      latest.set(name, Math.max(latest.get(name) ?? 0, candidate.recency ?? 0))
    }
  const worth = ([name, recency]: readonly [string, number]) =>
    [name, USED_WORTH * Math.log1p(used.get(name) ?? 0) + RECENT_WORTH * recency] as const
  return new Map([...latest].map(worth))
}

function countNames(passages: readonly Passage[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { names } of passages)
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function weighPassages(passages: readonly Passage[], given: ReadonlySet<string>): number {
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
  worthOfName: (name: string) => number,
): readonly RankedName[] {
  const best = new Map<string, number>()
  for (const { names, score } of passages)
    for (const name of names) {
      const own = score + worthOfName(name)
      if (own > (best.get(name) ?? Number.NEGATIVE_INFINITY)) best.set(name, own)
    }
  return [...best]
    .map(([name, score]) => ({ name, score }))
    .sort((one, other) => other.score - one.score)
}

/** The part of a cut word; endless words stay cut. */
const wordEnd = (text: string) => /(?<!\S)\S{0,60}$/.exec(text)?.[0] ?? ''
const wordStart = (text: string) => /^\S{0,60}(?!\S)/.exec(text)?.[0] ?? ''

/** One line around the words of a passage. */
function cutSnippet(
  { text }: Candidate,
  { text: passage }: Passage,
  asked: Asked,
  chars: number,
): string {
  const isShort = passage.length <= chars
  const found = isShort ? 0 : findStretch(passage, asked, chars)
  // Words near the end show more before them.
  const at = Math.min(found, Math.max(0, passage.length - chars))
  const wordsBefore = at < found ? '' : cutTail(passage.slice(0, at), chars / 5)
  const wordsAfter = cutHead(passage.slice(at), chars - wordsBefore.length)
  // Never half a word: half a number would be a different one.
  const before = `${wordEnd(passage.slice(0, at - wordsBefore.length))}${wordsBefore}`
  const after = `${wordsAfter}${wordStart(passage.slice(at + wordsAfter.length))}`
  const start = text.startsWith(`${before}${after}`) ? '' : '…'
  const end = text.endsWith(`${before}${after}`) ? '' : '…'
  return `${start}${`${before}${after}`.replace(/\s+/g, ' ').trim()}${end}`
}

/** The most likely names of all finds, as far as there is room. */
function withNames<C extends Candidate>(
  chosen: readonly Shown<C>[],
  { tokens }: ChoiceLimits,
): ChosenFind<C>[] {
  const lines = chosen.map(({ candidate, snippet }) =>
    snippet === undefined ? '' : `- ${candidate.label}: ${snippet}`,
  )
  let shown = chosen.map(({ snippet }) => snippet ?? '').join('\n')
  let room = lines.reduce(
    (sum, line) => sum - (line === '' ? 0 : estimateTokens(`${line}\n`)),
    tokens,
  )
  const names: string[][] = chosen.map(() => [])
  const ranked = chosen
    .flatMap(({ found }, index) => found.map((each) => ({ ...each, index })))
    .sort((one, other) => other.score - one.score || one.index - other.index)
  for (const { name, index } of ranked) {
    if (hasWord(shown, name)) continue
    const line = lines[index] ?? ''
    const longer = withName(line, chosen[index]?.candidate, names[index]?.length === 0, name)
    const cost = estimateTokens(longer) - estimateTokens(line) + (line === '' ? 1 : 0)
    if (cost > room) continue
    shown += `\n${name}`
    room -= cost
    lines[index] = longer
    names[index]?.push(name)
  }
  return chosen.flatMap(({ candidate, snippet }, index) => {
    const own = names[index] ?? []
    return snippet === undefined && own.length === 0
      ? []
      : [{ candidate, snippet: snippet ?? '', names: own }]
  })
}

function withName(line: string, of: Candidate | undefined, isFirst: boolean, name: string): string {
  if (line === '') return `- ${of?.ref ?? of?.label}: ${name}`
  return `${line}${isFirst ? ' · names: ' : ', '}${name}`
}

/** Whole, or at an end of a longer name, never inside a word. */
function hasWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!LETTER.test(text[at - 1] ?? ' ') && !LETTER.test(text[at + name.length] ?? ' '))
      return true
  return false
}
