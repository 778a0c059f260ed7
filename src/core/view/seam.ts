// Seams: the places where a context may be cut
import type { EntryId } from '../edit/change.ts'
import type { Sequence } from '../log/upcast.ts'
import type { Item } from './entry.ts'

/** Anything that holds items in order: an array, or the sequence of a context. */
export type Items = readonly Item[] | Sequence<Item>

/** An answer with calls, from its place to behind its last result. */
export interface Round {
  readonly start: number // index of the answer
  readonly end: number // index behind its last paired result; behind everything while calls are open
  readonly answer: EntryId
  readonly results: ReadonlyMap<string, readonly number[]> // call → indices of its results, in order
  readonly missing: readonly string[] // calls without a result
}

/**
 * The rounds of a context. Results count for the answer right before them, with nothing between: a gap
 * ends a round like what was deleted there. So a call id that comes back in a later answer is another
 * call, and a result that came too late stays so.
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

/** For each place before, between and behind the items: may a cut be made there? */
export function seamsOf(items: Items, open: ReadonlySet<string>): boolean[] {
  const seams = new Array<boolean>(items.length + 1).fill(true)
  for (const round of roundsOf(items, open))
    for (let place = round.start + 1; place < round.end && place < seams.length; place += 1)
      seams[place] = false
  return seams
}

/** The calls of the last answer that still wait for a result, seen from the items alone. */
export function findOpenCalls(items: Items): Set<string> {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items.at(index)
    if (item?.kind === 'result') continue
    if (item?.kind !== 'answer' || !item.calls) return new Set()
    return new Set(roundAt(items, index, item, new Set(item.calls)).missing)
  }
  return new Set()
}

/** Where the round that is still open begins, or the length if none is. */
export function openRoundStart(items: Items, open: ReadonlySet<string>): number {
  if (open.size === 0) return items.length
  for (let index = items.length - 1; index >= 0; index -= 1)
    if (items.at(index)?.kind === 'answer') return index
  return items.length
}

/**
 * Where the last answer stands, if it called tools: its thinking goes back with the results, whatever
 * else was said since. Otherwise the length. Calls in `closes` are about to be withdrawn.
 */
export function lastRoundStart(items: Items, closes: readonly string[] = []): number {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items.at(index)
    if (item?.kind !== 'answer') continue
    return item.calls?.some((call) => !closes.includes(call)) ? index : items.length
  }
  return items.length
}

/** Where the last round begins whose results no answer has taken up yet, or the length if none is. */
export function unansweredRoundStart(items: Items): number {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items.at(index)
    if (item?.kind === 'answer') return item.calls ? index : items.length
  }
  return items.length
}
