// Plans what stays of a context: recent turns, the last user message, masked results.
import type { EntryId, NewEntry } from '../../core/edit/change.ts'
import { GATE_MIN_TOKENS } from '../../core/edit/gate.ts'
import { type Pins, pinnedEntries, pinnedText } from '../../core/edit/pins.ts'
import type { StrategyInput } from '../../core/edit/strategy.ts'
import { tellingLine } from '../../core/ledger/output-line.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { ToolResult } from '../../core/view/content.ts'
import { type Context, weightOf } from '../../core/view/context.ts'
import { findRoot, type Item, newEntryAt, originalId, parseEntryId } from '../../core/view/entry.ts'
import { openRequests, requestNote } from '../../core/view/keep-request.ts'
import { findLastAsked } from '../../core/view/last-request.ts'
import { lastRoundStart, seamsOf } from '../../core/view/seam.ts'
import { findStaleNotes } from '../../core/view/stale-notes.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { weighUser } from '../../core/window/tokens/weigh.ts'
import { cappedEntry } from '../ladder/cap-giants.ts'
import { cutUnseen, heldStart, weigh } from '../range.ts'
import { oneLine } from '../summary/as-data.ts'
import { asRef, resultWith } from '../trim.ts'
import { inert } from './said-words.ts'

export interface Plan {
  readonly items: readonly Item[]
  /** Everything before it goes into the brief. */
  readonly cut: number
  /** The user's last message if it is before the cut: kept after the brief. */
  readonly request: Item | undefined
  /** A last message too long for the target, and how much of it may stay. */
  readonly shortened: { readonly item: Item; readonly tokens: number } | undefined
  /** Results after the cut that are shown in part. */
  readonly masked: readonly Item[]
  /** Unread results too large for any request, and how much of each may stay. */
  readonly capped?: ReadonlyMap<Item, number>
  /** Unchanged entries. */
  readonly stays: readonly Item[]
  /** Notes among these that the gate takes away for the brief, each with what is left of it. */
  readonly stale?: ReadonlyMap<Item, string>
  /** What the brief replaces: everything before the cut, except a shortened request. */
  readonly covered: readonly Item[]
  /** What else is before the cut, beyond such a request: removed, too. */
  readonly beyond: readonly Item[]
  /** The gate requires a brief smaller than what it replaces. */
  readonly mostBriefTokens: number
  /** The weight of these, with system prompts, pinned texts, and the note. */
  readonly fixedTokens: number
  /** On requests: removed ones, and what is answered. */
  readonly note?: string
}

interface PlanInput {
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins: Pins
  readonly run: StrategyInput['run']
  readonly targetTokens: number
  /** The share for recent turns without their results. */
  readonly tailShare: number
  /** The limit of a long request; default: a share of the room. */
  readonly requestTokens?: number
}

/** Up to this the user's last message stays whole; longer ones are pastes, shown in part. */
const REQUEST_SHARE = 0.75
const SHORTENED_SHARE = 0.2
/** Minimum size of a masked result; smaller results stay. */
const MASKED_TOKENS = 24
const LEAST_MASKED_TOKENS = 48
/** Smaller replacements need not shrink. */
const LEAST_BRIEF_TOKENS = GATE_MIN_TOKENS - 1

export function buildPlan(input: PlanInput): Plan {
  const { context, eventAt, pins, targetTokens, tailShare, requestTokens } = input
  const items = context.items.toArray()
  const held = pinnedEntries(items, context.open, pins)
  const pinned = pinnedText(pins)
  const headTokens =
    weightOf(context) - context.tokens + (pinned === undefined ? 0 : weighUser(pinned))
  const room = Math.max(0, targetTokens - headTokens)
  const last = findLastAsked(items, eventAt)
  const shortened = tooLong(last, held, room, requestTokens)
  const tokens = tokensAfter(items)
  const requested = shortened?.tokens ?? last?.tokens ?? 0
  const free = room - requested
  const latest = heldStart({ ...input, besideTokens: requested })
  const calls = sum(items.slice(latest).map((item) => (item.kind === 'answer' ? item.tokens : 0)))
  const capped = new Map(
    [...cutUnseen({ ...input, besideTokens: requested + calls }, latest)].filter(
      ([item, most]) => !held.has(item.id) && (cappedEntry(item, most, eventAt)?.saved ?? 0) > 0,
    ),
  )
  const isMasked = maskable({ items, eventAt, held, end: latest })
  const costs = items.map((item, at) => {
    if (item === shortened?.item) return shortened.tokens
    return isMasked(at) ? MASKED_TOKENS : (capped.get(item) ?? (tokens[at] as number))
  })
  const cut = cutFor(costs, seamsOf(items, context.open), latest, free * tailShare)
  const request = last && items.indexOf(last) < cut ? last : undefined
  const isStaying = (item: Item, at: number) =>
    item !== shortened?.item &&
    !capped.has(item) &&
    (held.has(item.id) ||
      isSealed(item, eventAt) ||
      item === request ||
      (at >= cut && !isMasked(at)))
  const fixedTokens = items.reduce(
    (sum, item, at) => sum + (isStaying(item, at) ? (tokens[at] as number) : 0),
    headTokens,
  )
  const [covered, beyond] = stretchesAround(items.slice(0, cut), shortened?.item)
  const stays = items.filter(isStaying)
  const staying = new Set(stays)
  const leaves = (stretch: readonly Item[]) => stretch.filter((item) => !staying.has(item))
  const goesTokens = weigh(leaves(covered))
  const open = openRequests(items, eventAt, GATE_MIN_TOKENS)
  // Counts like the gate, which adds the note if a request goes with either stretch.
  const isCounted = (stretch: readonly Item[]) =>
    weigh(stretch) >= GATE_MIN_TOKENS || leaves(stretch).some(({ id }) => open.has(id))
  const idsOf = (stretches: readonly (readonly Item[])[]) =>
    new Set(stretches.flatMap(leaves).map(({ id }) => id))
  const goes = idsOf([covered, beyond])
  const counted = idsOf([covered, beyond].filter(isCounted))
  const note = requestNote({ items, eventAt, goes, counted, targetTokens })?.text
  const gone = covered.filter((item) => item !== request && !isSealed(item, eventAt))
  const noteTokens = note === undefined ? 0 : weighUser(note)
  return {
    items,
    cut,
    request,
    shortened,
    masked: items.filter((item, at) => at >= cut && isMasked(at) && !held.has(item.id)),
    capped,
    stays,
    stale: findStaleNotes(items, gone, new Set([...covered, ...beyond]), eventAt),
    covered,
    beyond,
    mostBriefTokens: Math.max(LEAST_BRIEF_TOKENS, goesTokens - 1) - noteTokens,
    fixedTokens: fixedTokens + noteTokens,
    ...(note !== undefined && { note }),
  }
}

/** A summary only its provider can read cannot be replaced. */
export function isSealed({ id }: Item, eventAt: EventAt): boolean {
  return newEntryAt(id, eventAt)?.native !== undefined
}

/**
 * A rewritten entry is alone in its edit, so the brief takes the larger stretch beside it, listed first here.
 */
function stretchesAround(
  before: readonly Item[],
  shortened: Item | undefined,
): readonly [readonly Item[], readonly Item[]] {
  const at = shortened ? before.indexOf(shortened) : -1
  if (at < 0) return [before, []]
  const [left, right] = [before.slice(0, at), before.slice(at + 1)]
  return weigh(left) >= weigh(right) ? [left, right] : [right, left]
}

function tooLong(
  last: Item | undefined,
  held: ReadonlySet<EntryId>,
  room: number,
  tokens = Math.floor(room * SHORTENED_SHARE),
): Plan['shortened'] {
  if (!last || held.has(last.id) || last.tokens <= room * REQUEST_SHARE) return undefined
  return { item: last, tokens }
}

/** The weight of each entry afterwards: the gate hides all thinking but the last round's. */
function tokensAfter(items: readonly Item[]): number[] {
  const lastRound = lastRoundStart(items)
  return items.map(({ tokens, thinkingTokens = 0, hide }, at) =>
    at < lastRound && !hide ? tokens - thinkingTokens : tokens,
  )
}

interface Masking {
  readonly items: readonly Item[]
  readonly eventAt: EventAt
  readonly held: ReadonlySet<EntryId>
  readonly end: number
}

/** Not in an open round, and not before it is answered. */
function maskable({ items, eventAt, held, end }: Masking) {
  return (at: number): boolean => {
    const item = items[at]
    return (
      item?.kind === 'result' &&
      at < end &&
      item.tokens >= LEAST_MASKED_TOKENS &&
      !held.has(item.id) &&
      readResult(item, eventAt) !== undefined
    )
  }
}

/** The earliest seam with a tail of at most `most`; open content always stays. */
function cutFor(
  costs: readonly number[],
  seams: readonly boolean[],
  latest: number,
  most: number,
): number {
  let cut = latest
  let tokens = sum(costs.slice(latest))
  for (let at = latest - 1; at >= 0; at -= 1) {
    tokens += costs[at] as number
    if (tokens > most) break
    if (seams[at]) cut = at
  }
  return cut
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** A partly shown tool result: its full length, its ref, and its selected lines. */
interface OriginalResult {
  readonly seq: number
  readonly result: ToolResult
}

/** A partly shown result with its length. */
export interface MaskedResult extends OriginalResult {
  readonly item: Item
  readonly size: string
}

/** The original result; undefined if its row is not loaded. */
function readResult({ id }: Item, eventAt: EventAt): OriginalResult | undefined {
  const { seq } = parseEntryId(findRoot(id, eventAt))
  const event = eventAt(seq)
  return event?.type === 'TOOL_RESULT' ? { seq, result: event.data } : undefined
}

/** Reads the whole result, so do this once. */
export function findMaskedResults(item: Item, eventAt: EventAt): MaskedResult[] {
  const original = readResult(item, eventAt)
  return original ? [{ item, ...original, size: measureSize(original.result) }] : []
}

export function maskedEntry(
  { seq, result, size }: MaskedResult,
  stretches: readonly string[],
): NewEntry {
  const note = `${asRef(originalId(seq))} ${size}${stretches.length === 0 ? '' : ', in part:'}`
  const text = [note, ...stretches].join('\n').toWellFormed()
  return resultWith(result, [{ type: 'text', text }], 'masked')
}

/** Of one that failed also the line that says why: its first lines rarely do. */
function measureSize({ content, status }: ToolResult): string {
  let lines = 0
  let images = 0
  for (const { type, text } of content) {
    if (type === 'image') images += 1
    if (text !== undefined) lines += linesIn(text)
  }
  const parts = [counted(lines, 'line'), ...(images > 0 ? [counted(images, 'image')] : [])]
  const size = parts.join(', ')
  if (status !== 'failed') return size
  const why = tellingLine(content.map(({ text }) => text ?? '').join('\n'))
  return why === '' ? size : `${size}, failed: ${inert(oneLine(cutHead(why, WHY_CHARS)))}`
}

const WHY_CHARS = 160

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function linesIn(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
