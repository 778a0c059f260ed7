// The lines `extract` chooses from, with names, price and place.

import type { EntryId } from '../../core/edit/change.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import type { Coverage } from './coverage.ts'
import type { Digest } from './digest.ts'
import { type Group, readRef } from './group.ts'
import type { Line } from './lines.ts'
import type { Candidate, CandidateGroup } from './select.ts'
import { eachTerm, TERM_KINDS } from './terms.ts'

/** The origin of a candidate: a line of the digest, or one by code. */
export interface Source {
  readonly stated?: string
  readonly line?: number
  /** The masked result of the line; absent if it goes into the brief. */
  readonly maskedSeq?: number
}

export interface Candidates {
  readonly sources: readonly Source[]
  readonly candidates: readonly Candidate[]
  readonly groups: ReadonlyMap<number, CandidateGroup>
}

export interface CandidateInput {
  readonly digest: Digest
  readonly coverage: Coverage
  /** Entries fully visible in the context, by event number. */
  readonly isShown: (seq: number) => boolean
  /** Refs quoted in a note that stays. */
  readonly isQuoted: (ref: EntryId) => boolean
  /** Results partly visible in the context: their lines go there. */
  readonly isMasked: (seq: number) => boolean
  /** Lines by code. */
  readonly stated: readonly string[]
  /** Lines already in the brief. */
  readonly taken: ReadonlySet<number>
  /** Without a brief, lines fit only into masked results. */
  readonly hasBrief: boolean
  readonly roomTokens: number
}

const REF_TOKENS = 6
/** Overhead per line: short lines are cheap and say little. */
const LINE_TOKENS = 2
/** Longer heads are shortened unless selected themselves. */
const SHORT_HEAD_CHARS = 100
/** How many times the room is examined closely; the rest has no chance. */
const POOL_FACTOR = 2.5
const LEAST_POOL_TOKENS = 20_000
const HEADING_SHARE_TOKENS = 3
const STATED_WEIGHT = 0.8
const REMINDER_WEIGHT = 0.3
const FAILED_WEIGHT = 0.3
/** Tool output can be produced again, and most of it is never used. */
const RESULT_WEIGHT = 0.8
const FILE_WEIGHT = 1
const FILE_KINDS = new Set([TERM_KINDS.indexOf('path'), TERM_KINDS.indexOf('argument')])
const PLAIN_KINDS = new Set([
  TERM_KINDS.indexOf('word'),
  TERM_KINDS.indexOf('capital'),
  TERM_KINDS.indexOf('number'),
])
/** What a call is for, as some agents say it beside a command. */
const PROSE = /^\p{Lu}\p{Ll}+(?: [\p{L}\d'’-]+)+$/u
/** The group of lines by code. */
const STATED_GROUP = -1
/** A line of bare numbers says nothing. */
const LETTER = /\p{L}/u
const NO_TERMS = new Int32Array(0)

export function findCandidates(input: CandidateInput): Candidates {
  const { digest, coverage, stated, isMasked } = input
  const sources: Source[] = []
  const candidates: Candidate[] = []
  const groups = new Map<number, CandidateGroup>()
  for (const text of stated) {
    sources.push({ stated: text })
    const terms = coverage.counted(knownTerms(digest, text))
    const tokens = estimateTokens(listedFile(text)?.name ?? text) + LINE_TOKENS
    candidates.push({ terms, tokens, group: STATED_GROUP, weight: STATED_WEIGHT })
  }
  const fileWeights = new Map<number, number>() // by group: computed once for all its lines
  for (const index of pool(input)) {
    const line = digest.lines[index] as Line
    const group = digest.groups[line.group] as Group
    const isInResult = line.kind === 'result' && isMasked(group.resultSeq)
    if (line.kind === 'argument' && !fileWeights.has(line.group))
      fileWeights.set(line.group, fileWeight(input, group))
    if (!isInResult && !groups.has(line.group)) groups.set(line.group, opened(input, group))
    // A short head is in the group's heading.
    const isHeading = line.kind === 'head' && line.text.length <= SHORT_HEAD_CHARS
    sources.push(isInResult ? { line: index, maskedSeq: group.resultSeq } : { line: index })
    candidates.push({
      terms: isHeading ? NO_TERMS : coverage.counted(digest.termsOf(line)),
      tokens: isHeading ? 0 : line.tokens + LINE_TOKENS,
      // Lines of a masked result stay there and need no heading.
      group: isInResult ? STATED_GROUP - 1 - line.group : line.group,
      weight:
        weigh(group, line) * (line.kind === 'argument' ? (fileWeights.get(line.group) ?? 1) : 1),
    })
  }
  return { sources, candidates, groups }
}

/** The input of a failed call is rarely needed again. */
function weigh({ speaker, status }: Group, { kind }: Line): number {
  if (speaker === 'reminder') return REMINDER_WEIGHT
  if (kind === 'result') return RESULT_WEIGHT
  return kind === 'argument' && status !== 'completed' ? FAILED_WEIGHT : 1
}

/** Content written to a file counts more if the file will probably be needed. */
function fileWeight({ digest, coverage }: CandidateInput, { headLine }: Group): number {
  const head = digest.lines[headLine]
  if (!head) return 1
  let most = 0
  for (const number of digest.termsOf(head))
    if (FILE_KINDS.has(digest.vocabulary.kinds[number] as number))
      most = Math.max(most, coverage.needOf(number))
  return 1 + FILE_WEIGHT * most
}

function opened({ digest, coverage }: CandidateInput, group: Group): CandidateGroup {
  const { head, headLine, isBrief } = group
  if (head === '') return { openTokens: REF_TOKENS, headTerms: NO_TERMS, isUnlimited: isBrief }
  const line = head.length <= SHORT_HEAD_CHARS ? digest.lines[headLine] : undefined
  if (line)
    return {
      openTokens: REF_TOKENS + line.tokens,
      headTerms: coverage.counted(digest.termsOf(line)),
    }
  const short = shortHead(head)
  return {
    openTokens: REF_TOKENS + estimateTokens(short),
    headTerms: coverage.counted(knownTerms(digest, short)),
  }
}

/** A line that only names a file: such lines are grouped by what happened to the files. */
export interface ListedFile {
  readonly state: string
  readonly name: string
}

const LISTED =
  /^(read|modified|created|deleted): (\S+)((?: \(in [^()\n]+\))?(?: \((?:or \w+|if it was there)\))?)$/

export function listedFile(stated: string): ListedFile | undefined {
  const [, state, name, doubt = ''] = LISTED.exec(stated) ?? []
  return state === undefined || name === undefined ? undefined : { state: `${state}${doubt}`, name }
}

export function shortHead(head: string): string {
  if (head.length <= SHORT_HEAD_CHARS) return head
  const cut = cutHead(head, SHORT_HEAD_CHARS)
  // Cut between words if possible.
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), SHORT_HEAD_CHARS / 2)).trimEnd()} …`
}

/** Known names in a text, each once. */
export function knownTerms({ vocabulary }: Digest, text: string): ReadonlySet<number> {
  const found = new Set<number>()
  eachTerm(text, (from, to) => {
    const number = vocabulary.numberOf(text.slice(from, to))
    if (number !== undefined) found.add(number)
  })
  return found
}

/** “Bash View the output” alone tells neither what ran nor what came of it. */
function namesAnything(digest: Digest, line: Line): boolean {
  const { kinds, names } = digest.vocabulary
  for (const number of digest.termsOf(line))
    if (!PLAIN_KINDS.has(kinds[number] as number) && !PROSE.test(names[number] ?? '')) return true
  return false
}

/** The most promising lines, in conversation order. */
function pool(input: CandidateInput): number[] {
  const { digest, coverage, isShown, isQuoted, isMasked, taken, hasBrief, roomTokens } = input
  const { lines } = digest
  const ratios = new Float64Array(lines.length)
  const possible: number[] = []
  let tokens = 0
  let [seq, group] = [-1, -1] // neighbours usually share event and group
  let hasPlace = false
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as Line
    if (line.seq !== seq || line.group !== group) {
      ;[seq, group] = [line.seq, line.group]
      // A call is under its result's ref, even for lines of the call.
      const isSaid = isShown(seq) || isQuoted(readRef(digest.groups[group] as Group))
      hasPlace = !isSaid && (hasBrief || isMasked(seq))
    }
    if (!hasPlace || line.isRepeated || taken.has(index) || !LETTER.test(line.text)) continue
    if (line.kind === 'head' && !namesAnything(digest, line)) continue
    const end = line.firstTerm + line.termCount
    const worth = coverage.worthOf(digest.terms, line.firstTerm, end)
    ratios[index] = worth / (line.tokens + HEADING_SHARE_TOKENS)
    possible.push(index)
    tokens += line.tokens
  }
  const share = Math.max(LEAST_POOL_TOKENS, POOL_FACTOR * roomTokens) / Math.max(1, tokens)
  if (share >= 1) return possible
  // Sorting plain numbers is much faster than sorting lines.
  const sorted = Float64Array.from(possible, (index) => ratios[index] as number).sort()
  const least = sorted[Math.floor(sorted.length * (1 - share))] ?? 0
  return possible.filter((index) => (ratios[index] as number) >= least)
}
