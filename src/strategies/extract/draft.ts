// Turns a digest and a plan into texts that fit: the brief, and partly shown entries.
import type { Edit, Put } from '../../core/edit/change.ts'
import type { Pins } from '../../core/edit/pins.ts'
import type { EventAt } from '../../core/log/event.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import {
  findRoot,
  type Item,
  isEntryId,
  isNewEntry,
  originalId,
  parseEntryId,
} from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { findRequests } from '../../core/view/last-request.ts'
import { readNote } from '../../core/view/request-note.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { weighUser } from '../../core/window/tokens/weigh.ts'
import { cappedEntry } from '../ladder/cap-giants.ts'
import { measureRewrite, type Rewrite } from '../trim.ts'
import { type Anchors, findAnchors, NO_ANCHORS } from './anchors.ts'
import { type BriefParts, briefText } from './brief.ts'
import { type Candidates, findCandidates, knownTerms } from './candidates.ts'
import { Coverage } from './coverage.ts'
import type { Digest } from './digest.ts'
import { SUMMARY_FRAME_TOKENS } from './earlier-brief.ts'
import { isBinding, predictNeeds, TELLING } from './need.ts'
import { findMaskedResults, type MaskedResult, maskedEntry, type Plan } from './plan.ts'
import { Selection } from './select.ts'
import type { StandingSummary } from './standing-summary.ts'
import { findStretches } from './stretches.ts'

export interface DraftInput {
  readonly digest: Digest
  readonly plan: Plan
  readonly eventAt: EventAt
  readonly pins: Pins
  readonly targetTokens: number
  /** The next request: its names are needed. */
  readonly asked: string
  /** Text next to the brief that is not a log entry: its names need not be repeated. */
  readonly said?: readonly string[]
  /** The entries that text is about, by event number. */
  readonly isSaid?: (seq: number) => boolean
  /** Model summaries among the removed entries: the brief keeps them. */
  readonly summaries?: readonly StandingSummary[]
  /** A model's part of this brief; kept whole. */
  readonly prose?: string
}

export interface Draft {
  readonly brief: string // empty if nothing goes
  readonly briefTokens: number
  readonly rewritten: readonly Rewritten[]
  readonly tokens: number // of the whole context afterwards
  readonly counts: { readonly lines: number; readonly userMessages: number }
}

interface Rewritten {
  readonly edit: Edit
  readonly tokens: number
}

/** The frame of an empty brief. */
const FRAME_TOKENS = 52
const MASKED_TOKENS = 14
/** How often leftover room is refilled; each time there is much less. */
const FILLINGS = 3
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
  const summaries = hasBrief
    ? digest.senses.fitSummaries(input.summaries ?? [], briefRoom, input.prose)
    : []
  const told = [
    ...summaries.map(({ text }) => text),
    ...(input.prose === undefined ? [] : [input.prose]),
  ].reduce((sum, text) => sum + estimateTokens(text) + SUMMARY_FRAME_TOKENS, 0)
  const room = Math.max(0, whole - told)
  const view = buildView(input)
  const coverage = computeCoverage(input, view)
  const fixed = hasBrief
    ? findAnchors(
        {
          ...input,
          said: [...(input.said ?? []), ...view.notes],
          isShown: view.isShown,
          isCarried: (ref) => view.requests.has(ref),
        },
        Math.max(0, briefRoom - told),
      )
    : NO_ANCHORS
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
    isMasked: view.isMasked,
    isShown: (seq) => view.isShown(seq) || view.quoted.has(originalId(seq)),
    isQuoted: (ref) => view.quoted.has(ref),
    roomTokens: room,
    stated: hasBrief ? fixed.stated : [],
    taken: new Set([...fixed.decisions, ...saidAlready(digest, fixed.words)]),
    hasBrief,
  })
  const selection = new Selection(found.candidates, found.groups, coverage)
  const masked = plan.masked.flatMap((item) => findMaskedResults(item, input.eventAt))
  const build = () =>
    built(input, { ...found, ...fixed, summaries, masked, chosen: selection.chosen })
  const slackOf = ({ tokens, briefTokens }: Draft) =>
    Math.min(targetTokens - tokens, plan.mostBriefTokens - briefTokens)
  let made = build()
  for (let filling = 0; filling < FILLINGS; filling += 1) {
    if (slackOf(made) < Math.max(LEAST_SLACK_TOKENS, room * LEAST_SLACK_SHARE)) break
    selection.fill(slackOf(made))
    made = build()
  }
  while (slackOf(made) < 0 && selection.chosen.length > 0) {
    selection.drop(-slackOf(made))
    made = build()
  }
  return made
}

/** Lines shown within the user's words. */
function* saidAlready(digest: Digest, words: Anchors['words']): Generator<number> {
  for (const { ref, text } of words) {
    const { original, seq } = parseEntryId(ref)
    const shown = new Set(original ? text.split('\n').map((line) => line.trim()) : [])
    for (const [index, line] of digest.numberedLinesOf(seq)) if (shown.has(line.text)) yield index
  }
}

/** What the context shows anyway, by original event numbers. */
interface View {
  readonly shown: ReadonlySet<number>
  /** Summaries, briefs and notes that stay, as they will stand there. */
  readonly notes: readonly string[]
  /** By refs: requests that these carry over. */
  readonly requests: ReadonlySet<string>
  /** These, and what else is shown in part: not to be quoted once more. */
  readonly quoted: ReadonlySet<string>
  isShown(seq: number): boolean
  isMasked(seq: number): boolean
}

function buildView({ plan, eventAt, isSaid = () => false }: DraftInput): View {
  const seqOf = ({ id }: Item) => parseEntryId(findRoot(id, eventAt)).seq
  // A note that stays, or its replacement, contains requests word for word.
  const ids = new Set<string>(plan.items.map(({ id }) => id))
  const noted = readNote(plan.note ?? '').sections.filter(({ ref }) => !ids.has(ref))
  const carried = [...findRequests(plan.stays, eventAt).shown, ...noted].flatMap(({ ref }) =>
    isEntryId(ref) ? [parseEntryId(ref).seq] : [],
  )
  const shown = new Set([...plan.stays.map(seqOf), ...carried])
  const masked = new Set(plan.masked.map(seqOf))
  const notes = plan.stays.flatMap((item) => plan.stale?.get(item) ?? noteIn(item, eventAt))
  const requests = notes.flatMap((note) => readNote(note).sections.map(({ ref }) => ref))
  return {
    shown,
    notes,
    requests: new Set(requests),
    quoted: new Set([...notes.flatMap(quotedIn), ...requests]),
    isShown: (seq) => shown.has(seq) || isSaid(seq),
    isMasked: (seq) => masked.has(seq),
  }
}

function noteIn({ kind, id }: Item, eventAt: EventAt): readonly string[] {
  if (kind !== 'user' || parseEntryId(id).original) return []
  const content = contentOf(id, eventAt)
  return content?.kind === 'user' ? [textOfUserContent(content.content)] : []
}

/** By the refs that its lines begin with. */
function quotedIn(note: string): string[] {
  return Array.from(note.matchAll(/^\[ref:([ec][\d.]+)\] /gm), ([, ref = '']) => ref)
}

/** How likely the agent needs what the user asks for now. */
const ASKED_NEED = 0.6

function computeCoverage({ digest, asked }: DraftInput, { shown }: View): Coverage {
  const needs = predictNeeds(digest.vocabulary, digest.turn)
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

interface Chosen extends Anchors, Pick<Candidates, 'sources'>, Pick<BriefParts, 'summaries'> {
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
      return rewritten(each.item, measureRewrite(each.item, entry, eventAt))
    }),
    ...shortenedEntries(plan, eventAt),
  ]
  const parts = { ...fixed, stated, excerpts, ...(prose !== undefined && { prose }) }
  const brief = plan.covered.length > 0 ? briefText(digest, parts) : ''
  const briefTokens = brief === '' ? 0 : weighUser(brief)
  const tokens = inPart.reduce((sum, each) => sum + each.tokens, plan.fixedTokens)
  const counts = { lines: chosen.length, userMessages: fixed.words.length }
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

/** User text may be cut inside a surrogate pair; ours must not be. */
function wellFormed(put: Put): Put {
  const isText = isNewEntry(put) && put.type === 'USER_MESSAGE' && typeof put.data === 'string'
  return isText ? { ...put, data: String(put.data).toWellFormed() } : put
}
