// Finds a cut that keeps about N recent tokens: between steps, never before a tool result.

/**
 * `user` starts a turn; a cut may precede it or an `answer`. A `result` stays with what it follows, like
 * reminders and checkpoints. An `aside` (a setting, a label, a gap) weighs nothing and goes with the next
 * message.
 */
export interface CutItem {
  readonly role: 'user' | 'answer' | 'result' | 'aside'
  readonly tokens: number
}

/** `turnStart` is the start of the turn the cut divides; absent if it divides none. */
export interface CutPoint {
  readonly firstKept: number
  readonly isSplitTurn: boolean
  readonly turnStart?: number
}

/**
 * Walks back until at least `keepRecentTokens` are kept, then cuts at the first allowed place from there, so
 * less may stay than requested. If the walk never gets there, everything stays. `start` is the first item
 * considered: earlier ones are compacted already.
 */
export function findCutPoint(
  items: readonly CutItem[],
  keepRecentTokens: number,
  start = 0,
): CutPoint {
  const cut = cutFor(items, keepRecentTokens, start)
  if (cut === undefined) return { firstKept: start, isSplitTurn: false }
  const firstKept = withAsides(items, cut, start)
  // Judged by the message at the cut, not by an aside before it.
  const turnStart = items[cut]?.role === 'user' ? undefined : turnStartBefore(items, cut, start)
  return turnStart === undefined
    ? { firstKept, isSplitTurn: false }
    : { firstKept, isSplitTurn: true, turnStart }
}

/**
 * Undefined if no cut is allowed. If none is allowed after the end of the walk, the last one before it is
 * used: a huge last result stays with its call, and older content can still go.
 */
function cutFor(
  items: readonly CutItem[],
  keepRecentTokens: number,
  start: number,
): number | undefined {
  let kept = 0
  let nearest: number | undefined // the last allowed cut the walk passed
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
