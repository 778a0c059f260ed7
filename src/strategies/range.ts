// Which part of a context a strategy covers: what the model has seen, and how much of the rest is held.
import type { StrategyInput } from '../core/edit/strategy.ts'
import { weightOf } from '../core/view/context.ts'
import type { Item } from '../core/view/entry.ts'
import { openRoundStart, unansweredRoundStart } from '../core/view/seam.ts'

/** Where results begin that no answer has taken up yet. */
export function unseenStart(items: readonly Item[]): number {
  const start = unansweredRoundStart(items)
  return items.slice(start).some(({ kind }) => kind === 'result') ? start : items.length
}

interface Cut extends Pick<StrategyInput, 'context' | 'run' | 'targetTokens'> {
  /** What stays beside such results in any case, where the target is all that is known of the window. */
  readonly besideTokens?: number
}

/** Of the room, for results that the model has not seen and that no request could hold; and for their calls. */
const UNSEEN_SHARE = 0.5

/** Of the target, where no window is known: the rest of the conversation needs room, too. */
const WHOLE_SHARE = 0.7

/** What a request could hold beside the system prompts. */
function requestLimit(input: Cut): number {
  const { context, run, targetTokens = Number.POSITIVE_INFINITY, besideTokens = 0 } = input
  const headTokens = weightOf(context) - context.tokens
  const limit = run.capacityTokens ?? run.windowTokens
  if (limit !== undefined) return limit - headTokens
  return Math.max(0, targetTokens - headTokens - besideTokens) * WHOLE_SHARE
}

/**
 * Where begins what stays in any case: a round that is open, or whose results the model has not seen. Only calls that
 * no request could hold go with their results.
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
 * Results that the model has not seen and that no request could hold, with what may be shown of each: a window that
 * is too small for them is the only reason to cut them. Small ones stay whole.
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
  // Where no window is known the limit leaves room for the rest already.
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
