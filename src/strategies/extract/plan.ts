// Plans what stays of a context: recent turns, the last user message, masked results
import type { EntryId, NewEntry } from '../../core/edit/change.ts'
import { GATE_MIN_TOKENS } from '../../core/edit/gate.ts'
import { type Pins, pinnedEntries, pinnedText } from '../../core/edit/pins.ts'
import type { StrategyInput } from '../../core/edit/strategy.ts'
import { tellingLine } from '../../core/ledger/running.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { ToolResult } from '../../core/view/content.ts'
import { type Context, weightOf } from '../../core/view/context.ts'
import { findRoot, type Item, newEntryAt, originalId, parseEntryId } from '../../core/view/entry.ts'
import { openRequests, requestNote } from '../../core/view/keep-request.ts'
import { findLastAsked } from '../../core/view/last-request.ts'
import { lastRoundStart, seamsOf } from '../../core/view/seam.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { weighUser } from '../../core/window/tokens/weigh.ts'
import { cappedEntry } from '../ladder/cap-giants.ts'
import { cutUnseen, heldStart, weigh } from '../range.ts'
import { oneLine } from '../summary/as-data.ts'
import { asRef, resultWith } from '../trim.ts'
import { inert } from './said-words.ts'

export interface Plan {
  readonly items: readonly Item[]
  /** What precedes it goes into the brief. */
  readonly cut: number
  /** What the user said last, where that is before the cut: it stays behind the brief. */
  readonly request: Item | undefined
  /** Where what the user said last is too long for the target: how much of it may be shown. */
  readonly shortened: { readonly item: Item; readonly tokens: number } | undefined
  /** Results behind the cut that are shown in part. */
  readonly masked: readonly Item[]
  /** Results that the model has not seen and that no request could hold: how much of each may be shown. */
  readonly capped?: ReadonlyMap<Item, number>
  /** Entries that stay as they are. */
  readonly stays: readonly Item[]
  /** What the brief is in place of: all before the cut, except for a request that is shown in part. */
  readonly covered: readonly Item[]
  /** What else is before the cut, on the other side of such a request: it goes, too. */
  readonly beyond: readonly Item[]
  /** The gate wants a brief that is smaller than what goes. */
  readonly mostBriefTokens: number
  /** What these weigh, with the system prompts, the pinned texts, and the note. */
  readonly fixedTokens: number
  /** On requests: those that go, and what is answered. */
  readonly note?: string
}

interface PlanInput {
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins: Pins
  readonly run: StrategyInput['run']
  readonly targetTokens: number
  /** Of the room that there is: for the recent turns, without their results. */
  readonly tailShare: number
  /** What a request that is too long may take; absent: a share of the room. */
  readonly requestTokens?: number
}

/** What the user said last stays whole within this; a longer text is a paste, and shown in part. */
const REQUEST_SHARE = 0.75
const SHORTENED_SHARE = 0.2
/** What a masked result takes at least; smaller ones stay. */
const MASKED_TOKENS = 24
const LEAST_MASKED_TOKENS = 48
/** Less need not be smaller than what it replaces. */
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
  // As the gate counts: it adds the note where a request goes with either stretch.
  const isCounted = (stretch: readonly Item[]) =>
    weigh(stretch) >= GATE_MIN_TOKENS || leaves(stretch).some(({ id }) => open.has(id))
  const idsOf = (stretches: readonly (readonly Item[])[]) =>
    new Set(stretches.flatMap(leaves).map(({ id }) => id))
  const goes = idsOf([covered, beyond])
  const counted = idsOf([covered, beyond].filter(isCounted))
  const note = requestNote({ items, eventAt, goes, counted, targetTokens })?.text
  const noteTokens = note === undefined ? 0 : weighUser(note)
  return {
    items,
    cut,
    request,
    shortened,
    masked: items.filter((item, at) => at >= cut && isMasked(at) && !held.has(item.id)),
    capped,
    stays,
    covered,
    beyond,
    mostBriefTokens: Math.max(LEAST_BRIEF_TOKENS, goesTokens - 1) - noteTokens,
    fixedTokens: fixedTokens + noteTokens,
    ...(note !== undefined && { note }),
  }
}

/** A summary that its provider alone can read: nothing can be put in its place. */
export function isSealed({ id }: Item, eventAt: EventAt): boolean {
  return newEntryAt(id, eventAt)?.native !== undefined
}

/** A rewritten entry stands alone; the brief takes the larger stretch on one side of it, which comes first here. */
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

/** What each entry weighs afterwards: the gate hides the thinking of all but the last round. */
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

/** Nothing of an open round is touched, and nothing that is not answered yet. */
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

/** The earliest seam whose tail takes no more than `most`; what is still open stays in any case. */
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

/** A tool result shown in part: how long it was, its ref, and the lines that were chosen of it. */
interface OriginalResult {
  readonly seq: number
  readonly result: ToolResult
}

/** A result that is shown in part, with how long it is. */
export interface MaskedResult extends OriginalResult {
  readonly item: Item
  readonly size: string
}

/** As it came, whatever was made of it since; undefined if its row is not at hand. */
function readResult({ id }: Item, eventAt: EventAt): OriginalResult | undefined {
  const { seq } = parseEntryId(findRoot(id, eventAt))
  const event = eventAt(seq)
  return event?.type === 'TOOL_RESULT' ? { seq, result: event.data } : undefined
}

/** Looks at the whole of it, which is to be done once. */
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
