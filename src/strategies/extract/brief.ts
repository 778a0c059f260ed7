// The brief as text: what the user said, what code knows, and the chosen lines under the refs of their entries.
// What a brief says before lines compete for its room: the user's words, what binds, where the work stands.

import { type Pins, pinnedText } from '../../core/edit/pins.ts'
import { originalId, parseEntryId } from '../../core/view/entry.ts'
import { indented, indentedBehind, oneLine } from '../summary/as-data.ts'
import { listedFile, nowLines, shortHead } from './candidates.ts'
import { type Group, readRef, type UserWords } from './coverage.ts'
import type { Digest } from './digest.ts'
import { OPENING, PROSE_NOTE, SUMMARY_NOTE, type Title } from './earlier-brief.ts'
import { type Line, wholeSentence } from './lines.ts'
import { boundWords, decisionLines, urgentLines } from './need.ts'
import type { Plan } from './plan.ts'
import { inert, type ShownWords, saysWhole, shownWords, withoutHeadings } from './said-words.ts'
import type { StandingSummary } from './standing-summary.ts'

export interface BriefParts {
  /** Inert already: what is elided of them carries a ref. */
  readonly words: readonly ShownWords[]
  readonly constraints: readonly string[]
  readonly stated: readonly string[]
  /** All that could be stated, whether it is or not. */
  readonly known: readonly string[]
  /** What a model had summed up before, as far as it fits. */
  readonly summaries: readonly StandingSummary[]
  /** What a model wrote for this brief. */
  readonly prose?: string
  /** Lines of the digest, by number. */
  readonly decisions: readonly number[]
  /** What comes next. */
  readonly now: readonly string[]
  readonly excerpts: readonly number[]
}

export function briefText(digest: Digest, parts: BriefParts): string {
  const goal = parts.words.filter(({ isGoal }) => isGoal)
  const others = parts.words.filter(({ isGoal }) => !isGoal)
  return [
    OPENING,
    ...section(isOver(digest, goal[0]) ? 'First request' : 'Goal', goal.map(wordsLine)),
    ...section('Summary', [
      ...(parts.prose === undefined ? [] : [PROSE_NOTE, inert(parts.prose)]),
      ...parts.summaries.flatMap((summary, at) =>
        summaryLines(summary, parts.summaries[at - 1]?.ref),
      ),
    ]),
    ...section('Constraints', parts.constraints.map(inert)),
    ...section('The user said', others.map(wordsLine)),
    ...section('State', withLists(parts.stated, parts.known).map(inertLine)),
    ...section('Now', parts.now),
    ...section('Decisions', decidedLines(digest, parts.decisions)),
    ...section('Excerpts', excerptLines(digest, parts.excerpts)),
  ]
    .join('\n')
    .toWellFormed()
}

/** What began it all was answered, and something else was asked for since. */
function isOver({ settledAt }: Digest, goal: ShownWords | undefined): boolean {
  return goal?.isFormer === true && parseEntryId(goal.ref).seq < settledAt
}

function section(title: Title, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, ...lines]
}

/** Files of one state are in one line, which says whether there are others. */
function withLists(stated: readonly string[], known: readonly string[]): string[] {
  const all = listsIn(known)
  const lists = [...listsIn(stated)].map(([state, names]) => {
    const others = (all.get(state)?.length ?? 0) > names.length ? ', among others' : ''
    return `${state}${others}: ${names.join(', ')}`
  })
  return [...stated.filter((line) => listedFile(line) === undefined), ...lists]
}

function listsIn(stated: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, string[]>()
  for (const line of stated) {
    const file = listedFile(line)
    if (file === undefined) continue
    const names = lists.get(file.state)
    if (names) names.push(file.name)
    else lists.set(file.state, [file.name])
  }
  return lists
}

function wordsLine({ ref, text }: ShownWords): string {
  return `[ref:${ref}] ${text}`
}

/** An earlier brief may hold several summaries: they stand under its ref together. */
function summaryLines({ ref, text }: StandingSummary, before: string | undefined): string[] {
  return [...(ref === before ? [] : [`[ref:${ref}] ${SUMMARY_NOTE}`]), inert(text)]
}

function decidedLines({ lines, groups }: Digest, indices: readonly number[]): string[] {
  return indices
    .toSorted((a, b) => a - b)
    .map((index) => {
      const line = lines[index] as Line
      const ref = `[ref:${readRef(groups[line.group] as Group)}]`
      return `${ref} assistant: ${indentedBehind(inert(wholeSentence(line)))}`
    })
}

function excerptLines(digest: Digest, indices: readonly number[]): string[] {
  const byGroup = new Map<number, number[]>()
  for (const index of indices.toSorted((a, b) => a - b)) {
    const { group } = digest.lines[index] as Line
    const others = byGroup.get(group)
    if (others) others.push(index)
    else byGroup.set(group, [index])
  }
  return [...byGroup.keys()]
    .sort((a, b) => a - b)
    .flatMap((group) => groupLines(digest, group, byGroup.get(group) ?? []))
}

function groupLines(digest: Digest, number: number, indices: readonly number[]): string[] {
  const group = digest.groups[number] as Group
  const ref = `[ref:${readRef(group)}]`
  if (group.head === '') {
    const [first = '', ...others] = findStretches(digest, indices)
    const label = `${ref} ${SPEAKERS[group.speaker]}:`
    return [`${label} ${indentedBehind(first)}`, ...others.map(indented)]
  }
  const others = indices.filter((index) => index !== group.headLine)
  const head = others.length < indices.length ? group.head : shortHead(group.head)
  const status = group.status === 'completed' ? '' : ` (${group.status})`
  return [`${ref} ${inertLine(head)}${status}`, ...findStretches(digest, others).map(indented)]
}

/** A result without its call, and what a client put in, are the words of neither side. */
const SPEAKERS = {
  user: 'user',
  task: 'task',
  agent: 'assistant',
  call: 'assistant',
  reminder: 'client',
  result: 'result',
} as const

// Joins adjacent chosen lines into passages

/** What lies between two lines of a stretch: ends of lines, indentation, a bracket. */
const LONGEST_GAP_CHARS = 20

/** For a brief or a result shown in part, by the numbers of the lines in their order. */
export function findStretches(digest: Digest, indices: readonly number[]): string[] {
  const stretches: string[] = []
  for (let at = 0; at < indices.length; ) {
    const first = digest.lines[indices[at] as number] as Line
    let last = first
    for (at += 1; at < indices.length; at += 1) {
      const next = digest.lines[indices[at] as number] as Line
      if (indices[at] !== (indices[at - 1] as number) + 1 || !follows(last, next)) break
      last = next
    }
    stretches.push(inertStretch(first, last))
  }
  return stretches
}

function follows(line: Line, next: Line): boolean {
  const gap = next.from - findEnd(line)
  return line.of === next.of && gap >= 0 && gap <= LONGEST_GAP_CHARS
}

function findEnd({ from, text }: Line): number {
  return from + text.length
}

/** By first line: briefs are written several times until they fit, and the stretches are mostly the same. */
const inertStretches = new WeakMap<Line, { readonly last: Line; readonly text: string }>()

function inertStretch(first: Line, last: Line): string {
  const known = inertStretches.get(first)
  if (known?.last === last) return known.text
  const text = inert(first.of.text.slice(first.from, findEnd(last)))
  inertStretches.set(first, { last, text })
  return text
}

/** Text of a conversation on one line, inert. */
export function inertLine(text: string): string {
  return withoutHeadings(oneLine(text))
}

export interface Anchors
  extends Pick<BriefParts, 'words' | 'constraints' | 'decisions' | 'known' | 'now'> {
  readonly urgent: readonly string[]
  readonly stated: readonly string[]
}

interface AnchorsInput {
  readonly digest: Digest
  readonly plan: Plan
  readonly pins: Pins
  /** What stands beside the brief and is no entry of the log. */
  readonly said?: readonly string[]
  isShown(seq: number): boolean
}

/** Of the room that the brief has, for what the user said. */
const WORDS_SHARE = 0.07
const SMALL_WORDS_SHARE = 0.14
const SMALL_WORDS_TOKENS = 1_500
const MOST_WORDS_SHARE = 0.2
const LEAST_WORDS_TOKENS = 60
/** For what older messages state, where there is room for it. */
const STATED_SHARE = 0.06
/** In less, what was said and done comes first. */
const LEAST_NOW_TOKENS = 300
const STATED_LINES = 400
export const NO_ANCHORS: Anchors = {
  words: [],
  constraints: [],
  decisions: [],
  now: [],
  known: [],
  urgent: [],
  stated: [],
}

export function findAnchors(
  { digest, plan, pins, said = [], isShown }: AnchorsInput,
  room: number,
): Anchors {
  const pinned = pinnedText(pins) ?? ''
  const beside = said.map(inOneLine)
  const isWhole = ({ entry, seq, text }: UserWords) => {
    const line = inOneLine(`[ref:${entry ?? originalId(seq)}] ${inert(text)}`)
    return beside.some((each) => each.includes(line))
  }
  const whole = new Set(digest.words.filter(isWhole).map(({ seq }) => seq))
  const words = shownWords(digest, (seq) => isShown(seq) || whole.has(seq), {
    roomTokens: wordsRoom(room),
    statedTokens: statedRoom(room),
    isSaid: (sentence) => saysWhole(pinned, sentence),
  })
  const shown = [pinned, ...words.map(({ text }) => text)]
  const away = [...digest.pinned, ...digest.words].filter(({ seq }) => !isShown(seq))
  const lines = new Set(said.flatMap((text) => text.split('\n')))
  const all = digest.senses
    .ledgerLines(digest, STATED_LINES)
    .filter((line) => !isStated(line, lines))
  const urgent = urgentLines(all, room)
  return {
    words,
    constraints: boundWords(
      away,
      (sentence) => shown.some((text) => saysWhole(text, sentence)),
      room,
    ),
    decisions: decisionLines(digest, isShown, room),
    now:
      room < LEAST_NOW_TOKENS
        ? []
        : nowLines(digest, isShown, inertLine, { roomTokens: room, isNoted: isNoted(plan) }),
    known: all,
    urgent: all.filter((line) => urgent.has(line)),
    stated: all.filter((line) => !urgent.has(line)),
  }
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

/** The note says what is answered; a request that nothing follows is open, as anyone sees. */
function isNoted({ note, items, stays, shortened }: Plan): boolean {
  const last = items.at(-1)
  const isSeen = last !== undefined && (stays.at(-1) === last || shortened?.item === last)
  return note !== undefined || (isSeen && last.kind === 'user')
}

/** Files stand in one line together. */
function isStated(stated: string, lines: ReadonlySet<string>): boolean {
  const file = listedFile(stated)
  if (!file) return lines.has(stated)
  return [...lines].some(
    (line) => line.startsWith(`${file.state}: `) && line.split(/: |, /).includes(file.name),
  )
}

/** In a small room they take a larger part: what it is all about, and what binds, must be said. */
function wordsRoom(room: number): number {
  return Math.max(
    room * WORDS_SHARE,
    Math.min(room * SMALL_WORDS_SHARE, SMALL_WORDS_TOKENS),
    Math.min(room * MOST_WORDS_SHARE, LEAST_WORDS_TOKENS),
  )
}

const statedRoom = (room: number) => (room < 2_000 ? 0 : room * STATED_SHARE)
