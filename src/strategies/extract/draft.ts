// From a digest and a plan to texts that fit: the brief, and the entries that are shown in part.
import type { Edit, Put } from '../../core/edit/change.ts'
import { type Pins, pinnedText } from '../../core/edit/pins.ts'
import { ledgerLines } from '../../core/ledger/ledger-lines.ts'
import type { EventAt } from '../../core/log/event.ts'
import { findRoot, type Item, isNewEntry, parseEntryId } from '../../core/view/entry.ts'
import { weighUser } from '../../core/window/tokens/weigh.ts'
import { cappedEntry } from '../ladder/edits.ts'
import { type Rewrite, rewriteOf } from '../trim.ts'
import { type BriefParts, briefText, findStretches, inertLine, shownWords } from './brief.ts'
import { type Candidates, findCandidates, knownTerms } from './candidates.ts'
import { Coverage } from './coverage.ts'
import type { Digest } from './digest.ts'
import { type NamesAt, namesIndex } from './names.ts'
import { boundWords, decisionLines, isBinding, needsOf, TELLING, urgentLines } from './need.ts'
import { type MaskedResult, maskedEntry, maskedOf, type Plan } from './plan.ts'
import { ageIn, currentLedger, nowLines } from './progress.ts'
import { Selection } from './select.ts'
import {
  fitSummaries,
  proseTokens,
  type StandingSummary,
  summaryTokens,
} from './standing-summary.ts'

export interface DraftInput {
  readonly digest: Digest
  readonly plan: Plan
  readonly eventAt: EventAt
  readonly pins: Pins
  readonly targetTokens: number
  /** What is asked for next: names in it are needed. */
  readonly asked: string
  /** What stands beside the brief and is no entry of the log: names in it need not be said again. */
  readonly said?: readonly string[]
  /** Summaries by a model among what goes: the brief keeps them. */
  readonly summaries?: readonly StandingSummary[]
  /** What a model wrote for this brief; it stays whole. */
  readonly prose?: string
}

export interface Draft {
  readonly brief: string // empty if nothing goes
  readonly briefTokens: number
  readonly rewritten: readonly Rewritten[]
  readonly tokens: number // of the whole context afterwards
  readonly counts: { readonly lines: number; readonly userMessages: number; readonly names: number }
}

interface Rewritten {
  readonly edit: Edit
  readonly tokens: number
}

/** Of the room that the brief has, for what the user said. */
const WORDS_SHARE = 0.07
const SMALL_WORDS_SHARE = 0.14
const SMALL_WORDS_TOKENS = 1_500
const MOST_WORDS_SHARE = 0.2
const LEAST_WORDS_TOKENS = 60
/** In less, what was said and done comes first. */
const LEAST_NOW_TOKENS = 300
const NAMES_SHARE = 0.05
const STATED_LINES = 400
/** What the frame takes before anything is in it. */
const FRAME_TOKENS = 52
const MASKED_TOKENS = 14
/** How often what is left over is filled again; each time it is much less. */
const FILLINGS = 2
const LEAST_SLACK_TOKENS = 12
const LEAST_SLACK_SHARE = 0.004

export function buildDraft(input: DraftInput): Draft {
  const { digest, plan, targetTokens } = input
  const hasBrief = plan.covered.length > 0
  const rest = targetTokens - plan.fixedTokens - plan.masked.length * MASKED_TOKENS
  const inPart = [...(plan.capped?.values() ?? [])].reduce(
    (sum, tokens) => sum + tokens,
    plan.shortened?.tokens ?? 0,
  )
  const whole = Math.max(0, rest - inPart - (hasBrief ? FRAME_TOKENS : 0))
  const briefRoom = Math.min(whole, plan.mostBriefTokens - FRAME_TOKENS)
  const summaries = hasBrief ? fitSummaries(input.summaries ?? [], briefRoom) : []
  const told = summaryTokens(summaries) + proseTokens(input.prose)
  const room = Math.max(0, whole - told)
  const view = buildView(input)
  const coverage = computeCoverage(input, view)
  const fixed = hasBrief ? findAnchors(input, view, Math.max(0, briefRoom - told)) : NO_ANCHORS
  coverTexts(coverage, digest, [
    ...(input.said ?? []),
    ...(input.prose === undefined ? [] : [input.prose]),
    ...summaries.map(({ text }) => text),
    ...fixed.words.map(({ text }) => text),
    ...fixed.constraints,
    ...fixed.urgent,
    ...fixed.now,
  ])
  const found = findCandidates({
    digest,
    coverage,
    ...view,
    roomTokens: room,
    stated: hasBrief ? fixed.stated : [],
    taken: new Set(fixed.decisions),
    hasBrief,
  })
  const selection = new Selection(found.candidates, found.groups, coverage)
  const masked = plan.masked.flatMap((item) => maskedOf(item, input.eventAt))
  const build = (names: readonly NamesAt[]) =>
    built(input, { ...found, ...fixed, summaries, masked, names, chosen: selection.chosen })
  const namesRoom = hasBrief ? room * NAMES_SHARE : 0
  const slackOf = ({ tokens, briefTokens }: Draft) =>
    Math.min(targetTokens - tokens, plan.mostBriefTokens - briefTokens)
  let made = build([])
  selection.fill(slackOf(made) - namesRoom)
  const names = namesRoom > 0 ? namesIndex(digest, coverage, namesRoom) : []
  made = build(names)
  for (let filling = 0; filling < FILLINGS; filling += 1) {
    if (slackOf(made) < Math.max(LEAST_SLACK_TOKENS, room * LEAST_SLACK_SHARE)) break
    selection.fill(slackOf(made))
    made = build(names)
  }
  while (slackOf(made) < 0 && selection.chosen.length > 0) {
    selection.drop(-slackOf(made))
    made = build(names)
  }
  return made
}

/** What the context shows anyhow, by the numbers of the original events. */
interface View {
  readonly shown: ReadonlySet<number>
  isShown(seq: number): boolean
  isMasked(seq: number): boolean
}

function buildView({ plan, eventAt }: DraftInput): View {
  const seqOf = ({ id }: Item) => parseEntryId(findRoot(id, eventAt)).seq
  const shown = new Set(plan.stays.map(seqOf))
  const masked = new Set(plan.masked.map(seqOf))
  return { shown, isShown: (seq) => shown.has(seq), isMasked: (seq) => masked.has(seq) }
}

/** How likely it is that the agent needs again what the user asks for now. */
const ASKED_NEED = 0.6

function computeCoverage({ digest, asked }: DraftInput, { shown }: View): Coverage {
  const needs = needsOf(digest.vocabulary, digest.turn)
  for (const number of knownTerms(digest, asked))
    needs[number] = Math.max(ASKED_NEED, needs[number] as number)
  const { vocabulary, lines } = digest
  const coverage = new Coverage({
    needs,
    tellingOf: (number) => TELLING[vocabulary.kinds[number] as number] as number,
    isBinding: (number) => isBinding(vocabulary, number, lines.length),
  })
  for (const seq of shown)
    for (const line of digest.linesOf(seq)) coverage.take(coverage.counted(digest.termsOf(line)))
  return coverage
}

function coverTexts(coverage: Coverage, digest: Digest, texts: readonly string[]): void {
  for (const text of texts)
    for (const line of text.split('\n')) coverage.take(coverage.counted(knownTerms(digest, line)))
}

interface Anchors
  extends Pick<BriefParts, 'words' | 'constraints' | 'decisions' | 'known' | 'now'> {
  readonly urgent: readonly string[]
  readonly stated: readonly string[]
}

/** In a small room they take a larger part: what it is all about, and what binds, must be said. */
function wordsRoom(room: number): number {
  return Math.max(
    room * WORDS_SHARE,
    Math.min(room * SMALL_WORDS_SHARE, SMALL_WORDS_TOKENS),
    Math.min(room * MOST_WORDS_SHARE, LEAST_WORDS_TOKENS),
  )
}

const NO_ANCHORS: Anchors = {
  words: [],
  constraints: [],
  decisions: [],
  now: [],
  known: [],
  urgent: [],
  stated: [],
}

function findAnchors({ digest, pins }: DraftInput, { isShown }: View, room: number): Anchors {
  const words = shownWords(digest.words, isShown, wordsRoom(room))
  const shown = [pinnedText(pins) ?? '', ...words.map(({ text }) => text)]
  const away = [...digest.pinned, ...digest.words].filter(({ seq }) => !isShown(seq))
  const all = ledgerLines(currentLedger(digest), STATED_LINES, ageIn(digest))
  const urgent = urgentLines(all, room)
  return {
    words,
    constraints: boundWords(
      away,
      (sentence) => shown.some((text) => text.includes(sentence)),
      room,
    ),
    decisions: decisionLines(digest, isShown, room),
    now: room < LEAST_NOW_TOKENS ? [] : nowLines(digest, isShown, inertLine, room),
    known: all,
    urgent: all.filter((line) => urgent.has(line)),
    stated: all.filter((line) => !urgent.has(line)),
  }
}

interface Chosen
  extends Anchors,
    Pick<Candidates, 'sources'>,
    Pick<BriefParts, 'names' | 'summaries'> {
  readonly chosen: readonly number[]
  readonly masked: readonly MaskedResult[]
}

function built(
  { digest, plan, eventAt, prose }: DraftInput,
  { sources, chosen, masked, urgent, ...fixed }: Chosen,
): Draft {
  const stated = [...urgent]
  const excerpts: number[] = []
  const inResults = new Map<number, number[]>()
  for (const at of chosen.toSorted((a, b) => a - b)) {
    const source = sources[at]
    if (source?.stated !== undefined) stated.push(source.stated)
    if (source?.line === undefined) continue
    if (source.maskedSeq === undefined) excerpts.push(source.line)
    else {
      const lines = inResults.get(source.maskedSeq) ?? []
      lines.push(source.line)
      inResults.set(source.maskedSeq, lines)
    }
  }
  const inPart = [
    ...masked.map((each) => {
      const entry = maskedEntry(each, findStretches(digest, inResults.get(each.seq) ?? []))
      return rewritten(each.item, rewriteOf(each.item, entry, eventAt))
    }),
    ...shortenedEntries(plan, eventAt),
  ]
  const parts = { ...fixed, stated, excerpts, ...(prose !== undefined && { prose }) }
  const brief = plan.covered.length > 0 ? briefText(digest, parts) : ''
  const briefTokens = brief === '' ? 0 : weighUser(brief)
  const tokens = inPart.reduce((sum, each) => sum + each.tokens, plan.fixedTokens)
  const counts = {
    lines: chosen.length,
    userMessages: fixed.words.length,
    names: fixed.names.reduce((sum, { names: found }) => sum + found.length, 0),
  }
  return { brief, briefTokens, rewritten: inPart, tokens: tokens + briefTokens, counts }
}

function shortenedEntries({ shortened, capped }: Plan, eventAt: EventAt): Rewritten[] {
  const entries = [
    ...(capped ?? []),
    ...(shortened ? [[shortened.item, shortened.tokens] as const] : []),
  ]
  return entries.flatMap(([item, tokens]) => {
    const rewrite = cappedEntry(item, tokens, eventAt)
    return rewrite ? [rewritten(item, rewrite)] : []
  })
}

function rewritten({ tokens }: Item, { edit, saved }: Rewrite): Rewritten {
  return { edit: { ...edit, put: edit.put.map(wellFormed) }, tokens: tokens - saved }
}

/** Half of a pair may be at either end of what a user sent; what we write has none. */
function wellFormed(put: Put): Put {
  const isText = isNewEntry(put) && put.type === 'USER_MESSAGE' && typeof put.data === 'string'
  return isText ? { ...put, data: String(put.data).toWellFormed() } : put
}
