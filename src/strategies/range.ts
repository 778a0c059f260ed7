// The part of a context a strategy covers: what the model has seen, and how much of the rest stays.
import type { StrategyInput } from '../core/edit/strategy.ts'
import { weightOf } from '../core/view/context.ts'
import type { Item } from '../core/view/entry.ts'
import { openRoundStart, unansweredRoundStart } from '../core/view/seam.ts'

/** Start of the results without an answer after them. */
export function unseenStart(items: readonly Item[]): number {
  const start = unansweredRoundStart(items)
  return items.slice(start).some(({ kind }) => kind === 'result') ? start : items.length
}

interface Cut extends Pick<StrategyInput, 'context' | 'run' | 'targetTokens'> {
  /** What stays next to such results, if only the target is known. */
  readonly besideTokens?: number
}

/** Share for unread results too large for any request, and for their calls. */
const UNSEEN_SHARE = 0.5

/** Share of the target without a known window: the rest of the conversation needs room, too. */
const WHOLE_SHARE = 0.7

/** What a request could hold besides the system prompts. */
function requestLimit(input: Cut): number {
  const { context, run, targetTokens = Number.POSITIVE_INFINITY, besideTokens = 0 } = input
  const headTokens = weightOf(context) - context.tokens
  const limit = run.capacityTokens ?? run.windowTokens
  if (limit !== undefined) return limit - headTokens
  return Math.max(0, targetTokens - headTokens - besideTokens) * WHOLE_SHARE
}

/**
 * Start of what always stays: an open round, or one with unread results. Only calls too large for any request
 * go with their results.
 */
export function heldStart(input: Cut): number {
  const { context } = input
  const items = context.items.toArray()
  const open = openRoundStart(items, context.open)
  const unseen = unseenStart(items)
  const calls = items.slice(unseen).filter(({ kind }) => kind === 'answer')
  return weigh(calls) > UNSEEN_SHARE * requestLimit(input) ? open : Math.min(open, unseen)
}

/**
 * Unread results too large for any request, with the allowed size of each. Small ones stay whole; only a too
 * small window justifies a cut.
 */
export function cutUnseen(input: Cut, from = heldStart(input)): Map<Item, number> {
  const { context, run, targetTokens } = input
  const cut = new Map<Item, number>()
  const items = context.items.toArray()
  const limit = requestLimit(input)
  const results = items.slice(from).filter(({ kind }) => kind === 'result')
  if (context.open.size > 0 || weigh(results) <= limit) return cut
  const headTokens = weightOf(context) - context.tokens
  const room = Math.max(0, Math.min(limit, (targetTokens ?? limit) - headTokens))
  // Without a known window the limit leaves room already.
  const hasWindow = (run.capacityTokens ?? run.windowTokens) !== undefined
  let left = Math.floor(hasWindow ? room * UNSEEN_SHARE : room)
  const ascending = results.toSorted((one, other) => one.tokens - other.tokens)
  for (const [at, item] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at))
    if (item.tokens > share) cut.set(item, share)
    left -= Math.min(item.tokens, share)
  }
  return cut
}

export function weigh(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.tokens, 0)
}
