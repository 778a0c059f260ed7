// The checks of the gate, one function each; a check returns a refusal or nothing.
import type { EventAt } from '../log/event.ts'
import { textOfParts, textOfUserContent } from '../view/content.ts'
import { collectPuts, type Item, isNew, isNewEntry, newEntryAt } from '../view/entry.ts'
import { roundsOf, seamsOf } from '../view/seam.ts'
import type { PlacedEdit } from './apply.ts'
import type { Edit, EntryId, NewEntry, Put } from './change.ts'
import { isRewrite, type Pins, pinnedEntries, pinnedText, saysAll } from './pins.ts'
import type { Proposal, WrittenSummary } from './strategy.ts'

/** The context around an uncommitted change. */
interface Draft {
  readonly before: readonly Item[]
  readonly after: readonly Item[]
  readonly placed: readonly PlacedEdit[]
  readonly open: ReadonlySet<string> // calls that stay open
}

/** A rewrite is alone in its edit, names its original, and keeps kind and calls. */
export function checkRewrites(draft: Draft, closes: readonly string[]): Refusal | undefined {
  const callsOf = (item: Item) => (item.calls ?? []).filter((call) => !closes.includes(call))
  for (const { edit, start, end, items } of draft.placed) {
    const entry = edit.put.find((put) => isNewEntry(put) && put.of !== undefined)
    if (!entry || !isNewEntry(entry)) continue
    const was = draft.before[start] as Item
    const is = items[0] as Item
    const alone = isRewrite(edit) && end - start === 1
    if (!alone || entry.of !== was.id || was.kind !== is.kind || !isSame(callsOf(was), callsOf(is)))
      return {
        reason: 'malformed',
        message: `The rewrite of ${entry.of} must stand alone and keep its kind and calls.`,
      }
  }
  return undefined
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((call, at) => call === other[at])
}

/** A deletion must leave something that can be found and restored. */
export function checkCarriers(draft: Draft): Refusal | undefined {
  const bare = draft.placed.find(({ edit, start, end, items }) => {
    if (collectPuts(edit).some(isNew)) return false
    const staying = new Set(items.map((item) => item.id))
    return draft.before.slice(start, end).some((item) => !staying.has(item.id))
  })
  return (
    bare && {
      reason: 'malformed',
      message: 'An edit that drops entries must insert an entry or a gap.',
    }
  )
}

/** Edits begin and end on seams. */
export function checkSeams(draft: Draft): Refusal | undefined {
  const replacing = draft.placed.filter(({ edit }) => !isRewrite(edit))
  if (replacing.length === 0) return undefined
  const seams = seamsOf(draft.before, draft.open)
  const split = replacing.find(({ start, end }) => !(seams[start] && seams[end]))
  return split && splitsRound((draft.before[split.start] as Item).id)
}

/** No result may lose its call, and no call its result; earlier unpaired ones are allowed. */
export function checkPairing(draft: Draft): Refusal | undefined {
  const rewrites = new Map<EntryId, EntryId>()
  for (const { edit, items } of draft.placed)
    for (const put of edit.put)
      if (isNewEntry(put) && put.of !== undefined) rewrites.set((items[0] as Item).id, put.of)
  const before = pairings(draft.before, draft.open, rewrites)
  for (const [key, { answer, id }] of pairings(draft.after, draft.open, rewrites)) {
    const was = before.get(key)
    // A later answer may reuse a call id: its result must not move to the earlier call.
    if (was ? was.answer !== undefined && was.answer !== answer : answer === undefined)
      return splitsRound(id)
  }
  return undefined
}

interface Pairing {
  /** The answer with this result's call; absent if unpaired. */
  readonly answer?: EntryId
  readonly id: EntryId
}

/** Every result and open call, under a name that survives rewrites. */
function pairings(
  items: readonly Item[],
  open: ReadonlySet<string>,
  rewrites: ReadonlyMap<EntryId, EntryId>,
): Map<string, Pairing> {
  const nameOf = (id: EntryId) => rewrites.get(id) ?? id
  const found = new Map<string, Pairing>()
  for (const item of items)
    if (item.kind === 'result') found.set(`result ${nameOf(item.id)}`, { id: item.id })
  for (const round of roundsOf(items, open)) {
    for (const index of [...round.results.values()].flat()) {
      const { id } = items[index] as Item
      found.set(`result ${nameOf(id)}`, { id, answer: nameOf(round.answer) })
    }
    for (const call of round.missing)
      found.set(`call ${nameOf(round.answer)} ${call}`, { id: round.answer })
  }
  return found
}

function splitsRound(at: EntryId): Refusal {
  return {
    reason: 'splits-round',
    message: `A tool call would be separated from its result at ${at}.`,
  }
}

/** Pinned entries are unchanged, and pinned texts follow what replaced the rest. */
export function checkPins(draft: Draft, pins: Pins, eventAt: EventAt): Refusal | undefined {
  if (pins.length === 0) return undefined
  const visible = new Set(draft.after.map((item) => item.id))
  for (const id of pinnedEntries(draft.before, draft.open, pins))
    if (!visible.has(id))
      return { reason: 'loses-pin', message: `The pinned entry ${id} would be lost.` }
  const text = pinnedText(pins)
  if (text === undefined || draft.placed.length === 0) return undefined
  const isReplacing = draft.placed.some(({ edit }) => !isRewrite(edit))
  const users = draft.after.filter(({ kind }) => kind === 'user')
  if (!isReplacing && saysAll(users, pins, eventAt)) return undefined
  const put = draft.placed
    .flatMap(({ edit }) => edit.put)
    .some((entry) => isNewEntry(entry) && isPins(entry, text))
  const stood = draft.after.some((item) => {
    const entry = item.id.startsWith('c') ? newEntryAt(item.id, eventAt) : undefined
    return entry !== undefined && isPins(entry, text)
  })
  return put || stood ? undefined : { reason: 'loses-pin', message: 'A pinned text would be lost.' }
}

function isPins(entry: NewEntry, text: string): boolean {
  return entry.label === 'pins' && entry.data === text
}

/**
 * New content must be smaller than what it replaces, above a minimum size. A rewrite may grow by its marker:
 * an image next to a short text is large and stays.
 */
export function checkSize(draft: Draft, minTokens: number): Refusal | undefined {
  for (const { edit, start, end, items } of draft.placed) {
    const covered = draft.before.slice(start, end)
    if (sum(covered) < minTokens) continue // small replacements are not checked
    const staying = new Set(items.map((item) => item.id))
    const goes = sum(covered.filter((item) => !staying.has(item.id)))
    const was = new Set(covered.map((item) => item.id))
    const comes = sum(weighedItems(edit, items, was))
    // If nothing is removed, nothing may be added; pins do not count.
    const most = isRewrite(edit) ? goes + MARKER_TOKENS : Math.max(0, goes - 1)
    if (goes >= minTokens && comes > most) return notSmaller(comes, goes)
  }
  return undefined
}

const MARKER_TOKENS = 32

/** An automatic compaction must shrink the context; a requested tiny one may not grow it. */
export function checkShrinks(draft: Draft, minTokens: number): Refusal | undefined {
  const [was, is] = [sum(draft.before), sum(draft.after)]
  return is > was || (was >= minTokens && is === was) ? notSmaller(is, was) : undefined
}

function notSmaller(comes: number, goes: number): Refusal {
  return {
    reason: 'not-smaller',
    message: `The replacement has ${comes} tokens and what it replaces has ${goes}.`,
  }
}

/** New items whose size the summary determines: no pins, carried entries, or requested files. */
function weighedItems(edit: Edit, items: readonly Item[], was: ReadonlySet<EntryId>): Item[] {
  const put = collectPuts(edit).filter(isNew)
  return items
    .filter((item) => !was.has(item.id))
    .filter((_, at) => !UNWEIGHED.has(readLabel(put[at])))
}

const UNWEIGHED: ReadonlySet<string | undefined> = new Set(['pins', 'files', 'carried'])

function readLabel(put: Put | undefined): string | undefined {
  return put !== undefined && 'label' in put ? put.label : undefined
}

function sum(items: readonly Item[]): number {
  return items.reduce((total, item) => total + item.tokens, 0)
}

export function checkTarget(tokens: number, targetTokens: number | undefined): Refusal | undefined {
  return targetTokens !== undefined && tokens > targetTokens
    ? {
        reason: 'above-target',
        message: `${tokens} tokens remain, and the target is ${targetTokens}.`,
      }
    : undefined
}

/** Why the gate refused a proposal: a code and a sentence. */
export type RefusalReason =
  | 'no-edits'
  | 'stale'
  | 'malformed'
  | 'splits-round'
  | 'loses-pin'
  | 'summary-empty'
  | 'summary-cut-off'
  | 'summary-refused'
  | 'summary-failed'
  | 'summary-incomplete'
  | 'not-smaller'
  | 'above-target'

/** Replacements of at least this many estimated tokens must shrink. */
export const GATE_MIN_TOKENS = 1_000

export interface Refusal {
  readonly reason: RefusalReason
  readonly message: string
}

/** Checks a model's text. Passed in, because it is large and not always needed. */
export type TextCheck = (written: WrittenSummary) => Refusal | undefined

/** A summary must be finished, not empty, and pass the text check. */
export function checkSummaries(
  proposal: Proposal,
  edits: readonly Edit[],
  checkText: TextCheck,
): Refusal | undefined {
  return (
    checkEnd(proposal) ??
    checkEntries(edits) ??
    (proposal.written ?? []).map(checkText).find((refusal) => refusal !== undefined)
  )
}

function checkEnd({ stopReason }: Proposal): Refusal | undefined {
  switch (stopReason) {
    case 'length':
      return { reason: 'summary-cut-off', message: 'The summary was cut off at the output limit.' }
    case 'refusal':
      return REFUSED
    case 'error':
    case 'aborted':
      return { reason: 'summary-failed', message: 'The summary ended with an error.' }
    case 'tool_use':
      return {
        reason: 'summary-failed',
        message: 'The model called a tool instead of writing a summary.',
      }
    default:
      return undefined
  }
}

export const REFUSED: Refusal = {
  reason: 'summary-refused',
  message: 'The model refused to write the summary.',
}
export const EMPTY: Refusal = { reason: 'summary-empty', message: 'The summary is empty.' }

function checkEntries(edits: readonly Edit[]): Refusal | undefined {
  const puts = edits.flatMap((edit) => edit.put)
  return puts.some((put) => isNewEntry(put) && isEmptySummary(put)) ? EMPTY : undefined
}

/** A summary without a word is empty. */
export function isEmptySummary(entry: NewEntry): boolean {
  if (entry.label !== 'summary' && entry.label !== 'brief') return false
  const text =
    entry.type === 'USER_MESSAGE'
      ? textOfUserContent(entry.data)
      : entry.type === 'AGENT_MESSAGE'
        ? entry.data.content || textOfParts(entry.data.parts ?? [])
        : ''
  return !VISIBLE.test(text)
}

/** Text of the agent or user is accepted unless it is invisible. */
const VISIBLE = /[^\p{C}\p{Z}]/u
