// The cut of `keep-recent`: the summarised part, a divided turn, and the kept tail.
import type { EventAt } from '../../core/log/event.ts'
import type { Context } from '../../core/view/context.ts'
import { weightOf } from '../../core/view/context.ts'
import { type Item, newEntryAt } from '../../core/view/entry.ts'
import { isSaidByUser } from '../../core/view/last-request.ts'
import { openRoundStart, seamsOf, unansweredRoundStart } from '../../core/view/seam.ts'
import { type CutItem, findCutPoint } from './cut-point.ts'

export interface RecentCut {
  /** Everything removed: an earlier summary, what followed it, and the start of a turn. */
  readonly covered: readonly Item[]
  /** Earlier summaries at its front. */
  readonly summaries: readonly Item[]
  /** What is summarised, up to the divided turn. */
  readonly history: readonly Item[]
  /** The start of the divided turn; empty if none is divided. */
  readonly turnBeginning: readonly Item[]
  /** The user's message in that turn: stays unchanged. */
  readonly request: Item | undefined
  readonly kept: readonly Item[]
}

export interface CutLimits {
  readonly windowTokens?: number
  readonly targetTokens?: number
}

const KEEP_RECENT_TOKENS = 20_000
/** The tail takes at most a quarter of a small window; with inseparable content a half. */
const TAIL_SHARE = 4
const LIMIT_SHARE = 2

const TOLD: ReadonlySet<Item['kind']> = new Set(['user', 'answer', 'result'])

/** Undefined if nothing is old enough. */
export function cutRecent(
  context: Context,
  eventAt: EventAt,
  limits: CutLimits,
): RecentCut | undefined {
  const items = context.items.toArray()
  const start = items.findIndex((item) => !isCarriedOver(item, eventAt))
  if (start === -1) return undefined
  const { keepTokens, limitTokens } = tailRoom(context, limits)
  const cutItems = items.map(cutItem)
  const { firstKept } = findCutPoint(cutItems, keepTokens, start)
  const cut = fittingCut({ items, context, from: firstKept, start, limitTokens })
  const turnStart = dividedTurn(items, cut, start, eventAt)
  const request = turnStart === undefined ? undefined : (items[turnStart] as Item)
  const isUsers = request !== undefined && isSaidByUser(request, eventAt)
  const told = items
    .slice(start, cut)
    .filter((item) => item !== request && TOLD.has(item.kind) && !isCarriedOver(item, eventAt))
  if (told.length === 0) return undefined
  return {
    covered: items.slice(0, cut),
    summaries: items.slice(0, start).filter((item) => isSummary(item, eventAt)),
    history: items.slice(start, turnStart ?? cut),
    turnBeginning: turnStart === undefined ? [] : items.slice(turnStart, cut),
    request: isUsers ? request : undefined,
    kept: items.slice(cut),
  }
}

/** How much may stay, and the maximum if a cut would separate what belongs together. */
function tailRoom(
  context: Context,
  { windowTokens, targetTokens }: CutLimits,
): { readonly keepTokens: number; readonly limitTokens: number } {
  const headTokens = weightOf(context) - context.tokens
  const room = Math.min(
    windowTokens ?? Number.POSITIVE_INFINITY,
    // Tail and summary together must meet the target.
    targetTokens === undefined ? Number.POSITIVE_INFINITY : 2 * (targetTokens - headTokens),
  )
  return {
    keepTokens: Math.max(1, Math.min(KEEP_RECENT_TOKENS, Math.floor(room / TAIL_SHARE))),
    limitTokens: Math.max(1, Math.floor(room / LIMIT_SHARE)),
  }
}

interface CutSearch {
  readonly items: readonly Item[]
  readonly context: Context
  readonly from: number
  readonly start: number
  readonly limitTokens: number
}

/**
 * The first allowed cut whose tail fits. Unanswered content always stays, and so does everything if no later
 * cut helps.
 */
function fittingCut({ items, context, from, start, limitTokens }: CutSearch): number {
  const seams = seamsOf(items, context.open)
  const end = Math.min(openRoundStart(items, context.open), unansweredRoundStart(items))
  let first = Math.min(from, end)
  while (first > start && !seams[first]) first -= 1
  let tail = items.slice(first).reduce((sum, item) => sum + item.tokens, 0)
  for (let cut = first; cut <= end; cut += 1) {
    const isPlace = cut === end || items[cut]?.kind === 'user' || items[cut]?.kind === 'answer'
    if (isPlace && seams[cut] && tail <= limitTokens && !leavesUnanswered(items, cut)) return cut
    tail -= items[cut]?.tokens ?? 0
  }
  return first
}

/** With nothing after it, the user's last message would be summarised unanswered. */
function leavesUnanswered(items: readonly Item[], cut: number): boolean {
  const isWord = ({ kind }: Item) => kind === 'user' || kind === 'answer'
  return cut === items.length && items.findLast(isWord)?.kind === 'user'
}

/** The start of the turn that continues after the cut. */
function dividedTurn(
  items: readonly Item[],
  cut: number,
  start: number,
  eventAt: EventAt,
): number | undefined {
  const next = items.slice(cut).find((item) => item.kind !== 'gap')
  if (next === undefined || next.kind === 'user') return undefined
  const at = items
    .slice(0, cut)
    .findLastIndex((item) => item.kind === 'user' && !isCarriedOver(item, eventAt))
  return at < start ? undefined : at
}

const ROLES: Readonly<Record<Item['kind'], CutItem['role']>> = {
  user: 'user',
  answer: 'answer',
  result: 'result',
  reminder: 'result',
  checkpoint: 'result',
  gap: 'aside',
}

function cutItem({ kind, tokens }: Item): CutItem {
  return { role: ROLES[kind], tokens }
}

const CARRIED: ReadonlySet<string | undefined> = new Set(['pins', 'carried'])

/** A summary, pins or a gap: nothing to summarise. */
function isCarriedOver(item: Item, eventAt: EventAt): boolean {
  return (
    item.kind === 'gap' ||
    isSummary(item, eventAt) ||
    CARRIED.has(newEntryAt(item.id, eventAt)?.label)
  )
}

function isSummary(item: Item, eventAt: EventAt): boolean {
  const label = newEntryAt(item.id, eventAt)?.label
  return label === 'summary' || label === 'brief'
}
