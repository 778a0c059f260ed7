// Places in a context: seams, where it may be cut, runs of entries between them, and checkpoints.
import type { EntryId, Run } from '../edit/change.ts'
import { bearsEntry, type EventAt, type ThreadEvent } from '../log/event.ts'
import type { Sequence } from '../log/upcast.ts'
import type { Reducer } from '../ports.ts'
import type { ProviderCheckpointContent } from './content.ts'
import { type Item, itemAt, originalId, parseEntryId } from './entry.ts'

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

// Runs: short names for stretches of entries, written for a log and found again in a context.

/** A stretch of a context: from the first index up to, not including, the last. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/**
 * Names items by runs. Neighbouring originals become one range, but only if the log has no
 * entry between them that is missing here: `nextEntry` tells the original that follows one.
 */
export function runsOf(items: readonly Item[], eventAt: EventAt): Run[] {
  const runs: Run[] = []
  let range: { first: number; last: number; count: number } | undefined
  const close = () => {
    if (!range) return
    const { first, last, count } = range
    runs.push(count === 1 ? originalId(first) : [originalId(first), originalId(last), count])
    range = undefined
  }
  for (const item of items) {
    const id = parseEntryId(item.id)
    if (!id.original) {
      close()
      runs.push(item.id)
    } else if (range && adjacent(range.last, id.seq, eventAt)) {
      range = { first: range.first, last: id.seq, count: range.count + 1 }
    } else {
      close()
      range = { first: id.seq, last: id.seq, count: 1 }
    }
  }
  close()
  return runs
}

/** Does no entry stand between these two in the log? A missing row counts as one. */
function adjacent(earlier: number, later: number, eventAt: EventAt): boolean {
  if (later <= earlier) return false
  for (let seq = earlier + 1; seq < later; seq += 1) {
    const event = eventAt(seq)
    if (event === undefined || bearsEntry(event)) return false
  }
  return true
}

/** Where these runs stand now, if they are one contiguous stretch; otherwise undefined. */
export function findRuns(
  runs: readonly Run[],
  items: readonly Item[],
  index: ReadonlyMap<EntryId, number>,
): Stretch | undefined {
  let start: number | undefined
  let end = 0
  for (const run of runs) {
    const found = findRun(run, items, index)
    if (!found || (start !== undefined && found.start !== end)) return undefined
    start ??= found.start
    end = found.end
  }
  return start === undefined ? undefined : { start, end }
}

function findRun(
  run: Run,
  items: readonly Item[],
  index: ReadonlyMap<EntryId, number>,
): Stretch | undefined {
  if (typeof run === 'string') {
    const at = index.get(run)
    return at === undefined ? undefined : { start: at, end: at + 1 }
  }
  const [first, last, count] = run
  const start = index.get(first)
  const end = index.get(last)
  if (start === undefined || end === undefined || end - start + 1 !== count) return undefined
  // Exactly `count` entries lie between them in the log, so ascending originals are all of them.
  let before = 0
  for (let at = start; at <= end; at += 1) {
    const id = parseEntryId((items[at] as Item).id)
    if (!id.original || id.seq <= before) return undefined
    before = id.seq
  }
  return { start, end: end + 1 }
}

/** The items that a run names, from the log; undefined if the log does not hold them all. */
export function itemsOfRun(run: Run, eventAt: EventAt): Item[] | undefined {
  if (typeof run === 'string') {
    const item = itemAt(run, eventAt)
    return item && [item]
  }
  const items: Item[] = []
  const [first, last, count] = run
  const end = parseEntryId(last).seq
  for (let seq = parseEntryId(first).seq; seq <= end && items.length <= count; seq += 1) {
    const event = eventAt(seq)
    if (event === undefined) return undefined
    const item = bearsEntry(event) ? itemAt(originalId(seq), eventAt) : undefined
    if (item) items.push(item)
  }
  return items.length === count ? items : undefined
}

/** Is this entry named by the run, wherever it stands? Ranges are read by sequence number. */
export function runHas(run: Run, id: EntryId): boolean {
  if (typeof run === 'string') return run === id
  const parsed = parseEntryId(id)
  return (
    parsed.original &&
    parsed.seq >= parseEntryId(run[0]).seq &&
    parsed.seq <= parseEntryId(run[1]).seq
  )
}

// Checkpoints: places in a thread that the agent can name when it replaces ranges between them.

const LENGTH = 6
const RADIX = 36
const COUNT = BigInt(RADIX) ** BigInt(LENGTH)
/** No common divisor with COUNT, so that every number up to COUNT gives another id. */
const STEP = 1_234_567_891n
const START = 1_000_003n
const WHOLE_TEXT = /^<checkpoint:([A-Za-z0-9]{6})>$/

/**
 * The id of the next checkpoint in a thread that has issued so many: none comes twice, and none has to
 * be looked up. They are no secrets: an id in someone's text names nothing.
 */
export function generateCheckpointId(issued = 0): string {
  const scattered = (START + BigInt(issued) * STEP) % COUNT
  return scattered.toString(RADIX).padStart(LENGTH, '0')
}

export function createCheckpointContent(id: string): ProviderCheckpointContent {
  return { type: 'checkpoint', id }
}

/** What a provider is sent for a checkpoint. */
export function checkpointToText(id: string): string {
  return `<checkpoint:${id}>`
}

/** The checkpoint that a text is as a whole, where the thread has issued it; otherwise it is a text. */
export function readCheckpointText(
  text: string,
  issued: ReadonlySet<string>,
): ProviderCheckpointContent | undefined {
  const id = WHOLE_TEXT.exec(text)?.[1]
  return id !== undefined && issued.has(id) ? createCheckpointContent(id) : undefined
}

/** How many checkpoints a thread has issued. */
export const checkpointsReducer: Reducer<number> = {
  name: 'checkpoints',
  version: 1,
  init: () => 0,
  step: (issued: number, event: ThreadEvent) => (event.type === 'CHECKPOINT' ? issued + 1 : issued),
  encode: (issued) => issued,
  decode(json) {
    if (typeof json !== 'number') throw new TypeError('no number of checkpoints')
    return json
  },
}
