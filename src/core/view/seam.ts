// Seams: the places where a context may be cut.
import type { EntryId } from '../edit/change.ts'
import type { Sequence } from '../log/upcast.ts'
import type { Item } from './entry.ts'

/** Ordered items: an array, or a context's sequence. */
export type Items = readonly Item[] | Sequence<Item>

/** An answer with calls, up to its last result. */
export interface Round {
  readonly start: number // index of the answer
  readonly end: number // after its last paired result; after everything while calls are open
  readonly answer: EntryId
  readonly results: ReadonlyMap<string, readonly number[]> // call → indices of its results
  readonly missing: readonly string[] // calls without a result
}

/**
 * The rounds of a context. Results belong to the answer directly before them; a gap ends a round. So a reused
 * call id in a later answer is another call, and a late result stays late.
 */
export function roundsOf(items: Items, open: ReadonlySet<string>): Round[] {
  const rounds: Round[] = []
  for (let index = 0; index < items.length; index += 1) {
    const item = items.at(index)
    if (item?.kind === 'answer' && item.calls) rounds.push(roundAt(items, index, item, open))
  }
  return rounds
}

function roundAt(items: Items, start: number, answer: Item, open: ReadonlySet<string>): Round {
  const calls = answer.calls ?? []
  const results = new Map<string, number[]>()
  let end = start + 1
  let index = start + 1
  for (; index < items.length; index += 1) {
    const item = items.at(index)
    if (item?.kind !== 'result') break
    const call = item.calls?.[0]
    if (call === undefined || !calls.includes(call)) continue
    const known = results.get(call)
    if (known) known.push(index)
    else results.set(call, [index])
    end = index + 1
  }
  const missing = calls.filter((call) => !results.has(call))
  const waiting = index === items.length && missing.some((call) => open.has(call))
  return { start, end: waiting ? items.length + 1 : end, answer: answer.id, results, missing }
}

/** For each place before, between and after the items: whether a cut is allowed. */
export function seamsOf(items: Items, open: ReadonlySet<string>): boolean[] {
  const seams = new Array<boolean>(items.length + 1).fill(true)
  for (const round of roundsOf(items, open))
    for (let place = round.start + 1; place < round.end && place < seams.length; place += 1)
      seams[place] = false
  return seams
}

/** Open calls of the last answer, from the items alone. */
export function findOpenCalls(items: Items): Set<string> {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items.at(index)
    if (item?.kind === 'result') continue
    if (item?.kind !== 'answer' || !item.calls) return new Set()
    return new Set(roundAt(items, index, item, new Set(item.calls)).missing)
  }
  return new Set()
}

/** The start of the open round; the length if there is none. */
export function openRoundStart(items: Items, open: ReadonlySet<string>): number {
  if (open.size === 0) return items.length
  for (let index = items.length - 1; index >= 0; index -= 1)
    if (items.at(index)?.kind === 'answer') return index
  return items.length
}

/**
 * The last answer, if it called tools: its thinking is sent with the results, whatever else followed.
 * Otherwise the length. Calls in `closes` are about to be withdrawn.
 */
export function lastRoundStart(items: Items, closes: readonly string[] = []): number {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items.at(index)
    if (item?.kind !== 'answer') continue
    return item.calls?.some((call) => !closes.includes(call)) ? index : items.length
  }
  return items.length
}

/** The start of the last round without an answer after it; the length if there is none. */
export function unansweredRoundStart(items: Items): number {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items.at(index)
    if (item?.kind === 'answer') return item.calls ? index : items.length
  }
  return items.length
}
