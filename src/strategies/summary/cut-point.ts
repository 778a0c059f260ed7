// Finds a cut that keeps about N recent tokens: between steps, never before a tool result

/**
 * `user` begins a turn; a cut may stand before it or before an `answer`. A `result` stays with what it
 * follows (reminders and checkpoints do, too). An `aside` (a setting, a label, a gap) is not a message: it
 * weighs nothing and goes with the message behind it.
 */
export interface CutItem {
  readonly role: 'user' | 'answer' | 'result' | 'aside'
  readonly tokens: number
}

/** `turnStart` is where the turn begins that the cut divides; absent if it divides none. */
export interface CutPoint {
  readonly firstKept: number
  readonly isSplitTurn: boolean
  readonly turnStart?: number
}

/**
 * Walks back until at least `keepRecentTokens` are kept and cuts at the first place that is allowed from
 * there on, so that less may stay than was asked for. Where the walk never gets there, everything stays.
 * `start` is the first item considered: what lies before it was compacted already.
 */
export function findCutPoint(
  items: readonly CutItem[],
  keepRecentTokens: number,
  start = 0,
): CutPoint {
  const cut = cutFor(items, keepRecentTokens, start)
  if (cut === undefined) return { firstKept: start, isSplitTurn: false }
  const firstKept = withAsides(items, cut, start)
  // Judged by the message at the cut, not by the aside that may stand before it.
  const turnStart = items[cut]?.role === 'user' ? undefined : turnStartBefore(items, cut, start)
  return turnStart === undefined
    ? { firstKept, isSplitTurn: false }
    : { firstKept, isSplitTurn: true, turnStart }
}

/**
 * Undefined if no cut is allowed at all. If none is allowed from the end of the walk on, the last
 * one before it counts: a huge last result stays with its call, and what is older can still go.
 */
function cutFor(
  items: readonly CutItem[],
  keepRecentTokens: number,
  start: number,
): number | undefined {
  let kept = 0
  let nearest: number | undefined // the allowed cut that the walk passed last
  let isReached = false
  for (let place = items.length - 1; place >= start; place -= 1) {
    const item = items[place] as CutItem
    if (item.role === 'user' || item.role === 'answer') nearest = place
    if (item.role !== 'aside') {
      kept += item.tokens
      isReached ||= kept >= keepRecentTokens
    }
    if (isReached && nearest !== undefined) return nearest
  }
  return nearest
}

function withAsides(items: readonly CutItem[], cut: number, start: number): number {
  let first = cut
  while (first > start && items[first - 1]?.role === 'aside') first -= 1
  return first
}

function turnStartBefore(
  items: readonly CutItem[],
  cut: number,
  start: number,
): number | undefined {
  for (let place = cut - 1; place >= start; place -= 1)
    if (items[place]?.role === 'user') return place
  return undefined
}
