// The lines among which `extract` chooses, each with its names, its price and where it would stand.

import type { EntryId } from '../../core/edit/change.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import type { Coverage } from './coverage.ts'
import type { Digest } from './digest.ts'
import { type Group, readRef } from './group.ts'
import type { Line } from './lines.ts'
import type { Candidate, CandidateGroup } from './select.ts'
import { eachTerm, TERM_KINDS } from './terms.ts'

/** What a candidate stands for: a line of the digest, or one that code wrote. */
export interface Source {
  readonly stated?: string
  readonly line?: number
  /** The masked result that the line is in; absent if it is in the brief. */
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
  /** Entries that the context shows whole, by the number of their event. */
  readonly isShown: (seq: number) => boolean
  /** Refs under which a note that stays has quoted something. */
  readonly isQuoted: (ref: EntryId) => boolean
  /** Results that the context shows in part: lines of theirs are there. */
  readonly isMasked: (seq: number) => boolean
  /** Lines that code wrote. */
  readonly stated: readonly string[]
  /** Lines that are in the brief already. */
  readonly taken: ReadonlySet<number>
  /** Without one, only masked results have a place for lines. */
  readonly hasBrief: boolean
  readonly roomTokens: number
}

const REF_TOKENS = 6
/** Beside its own: short ones are cheap, and say little by themselves. */
const LINE_TOKENS = 2
/** Longer heads are shown in part, unless they are chosen themselves. */
const SHORT_HEAD_CHARS = 100
/** So many times the room is looked at more closely; the rest has no chance. */
const POOL_FACTOR = 2.5
const LEAST_POOL_TOKENS = 20_000
const HEADING_SHARE_TOKENS = 3
const STATED_WEIGHT = 0.8
const REMINDER_WEIGHT = 0.3
const FAILED_WEIGHT = 0.3
/** What a tool gave out can be read once more, and much of it is never used. */
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
/** Where lines that code wrote are kept together. */
const STATED_GROUP = -1
/** A line of bare numbers tells nothing. */
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
  const fileWeights = new Map<number, number>() // by group: looked at once, however many lines it has
  for (const index of pool(input)) {
    const line = digest.lines[index] as Line
    const group = digest.groups[line.group] as Group
    const isInResult = line.kind === 'result' && isMasked(group.resultSeq)
    if (line.kind === 'argument' && !fileWeights.has(line.group))
      fileWeights.set(line.group, fileWeight(input, group))
    if (!isInResult && !groups.has(line.group)) groups.set(line.group, opened(input, group))
    // A short head is in the heading that the group opens with.
    const isHeading = line.kind === 'head' && line.text.length <= SHORT_HEAD_CHARS
    sources.push(isInResult ? { line: index, maskedSeq: group.resultSeq } : { line: index })
    candidates.push({
      terms: isHeading ? NO_TERMS : coverage.counted(digest.termsOf(line)),
      tokens: isHeading ? 0 : line.tokens + LINE_TOKENS,
      // Lines of a masked result are in its place, and need no heading.
      group: isInResult ? STATED_GROUP - 1 - line.group : line.group,
      weight:
        weigh(group, line) * (line.kind === 'argument' ? (fileWeights.get(line.group) ?? 1) : 1),
    })
  }
  return { sources, candidates, groups }
}

/** What a call that failed was given is rarely needed again. */
function weigh({ speaker, status }: Group, { kind }: Line): number {
  if (speaker === 'reminder') return REMINDER_WEIGHT
  if (kind === 'result') return RESULT_WEIGHT
  return kind === 'argument' && status !== 'completed' ? FAILED_WEIGHT : 1
}

/** What was written into a file counts more where the file itself is likely to be needed. */
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

/** A line about a file that says nothing else: such lines are put together by what became of the files. */
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
  // Not inside a word, unless it is all one.
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), SHORT_HEAD_CHARS / 2)).trimEnd()} …`
}

/** Names in a text that the conversation has, too, each once. */
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

/** The lines with the best chances, in the order of the conversation. */
function pool(input: CandidateInput): number[] {
  const { digest, coverage, isShown, isQuoted, isMasked, taken, hasBrief, roomTokens } = input
  const { lines } = digest
  const ratios = new Float64Array(lines.length)
  const possible: number[] = []
  let tokens = 0
  let [seq, group] = [-1, -1] // neighbours are of one event and one group for the most part
  let hasPlace = false
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as Line
    if (line.seq !== seq || line.group !== group) {
      ;[seq, group] = [line.seq, line.group]
      // A call stands under the ref of its result, also where the line is of the call itself.
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
  // Sorted as plain numbers, which takes a fraction of the time that sorting lines would.
  const sorted = Float64Array.from(possible, (index) => ratios[index] as number).sort()
  const least = sorted[Math.floor(sorted.length * (1 - share))] ?? 0
  return possible.filter((index) => (ratios[index] as number) >= least)
}
