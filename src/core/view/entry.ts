// Entries: the visible items of a context, with metadata that needs no row.
import type { Edit, EntryId, Hidden, NewEntry, NewId, OriginalId, Put } from '../edit/change.ts'
import { bearsEntry, type EntryType, type EventAt, type EventOf, isChange } from '../log/event.ts'
import {
  weighAnswer,
  weighCall,
  weighResult,
  weighText,
  weighThinking,
  weighUser,
} from '../window/tokens/weigh.ts'
import type { Answer, ToolCall, ToolResult } from './content.ts'

/** `answer` is an AGENT_MESSAGE with its TOOL_CALLs; a `gap` marks an undoable deletion. */
export type EntryKind = 'user' | 'answer' | 'result' | 'reminder' | 'checkpoint' | 'gap'

/** One entry. Its tokens depend on its rows and hidden state, never on calibration. */
export interface Item {
  readonly id: EntryId
  readonly kind: EntryKind
  readonly tokens: number // without hidden parts
  readonly calls?: readonly string[] // for an answer its calls; for a result its call
  readonly thinkingTokens?: number // set if the answer has thinking, hidden or not
  readonly hide?: readonly Hidden[]
}

const KINDS: Readonly<Record<EntryType, EntryKind>> = {
  USER_MESSAGE: 'user',
  AGENT_MESSAGE: 'answer',
  TOOL_RESULT: 'result',
  SYSTEM_REMINDER: 'reminder',
  CHECKPOINT: 'checkpoint',
}

export function originalId(seq: number): OriginalId {
  return `e${seq}`
}

export function newId(changeSeq: number, index: number): NewId {
  return `c${changeSeq}.${index}`
}

export type ParsedId =
  | { readonly original: true; readonly seq: number }
  | { readonly original: false; readonly seq: number; readonly index: number }

const ORIGINAL = /^e[1-9]\d{0,14}$/
const NEW = /^c([1-9]\d{0,14})\.(0|[1-9]\d{0,8})$/

export function isEntryId(text: string): text is EntryId {
  return ORIGINAL.test(text) || NEW.test(text)
}

/** The parts of an id. Throws for other texts: check with `isEntryId` first. */
export function parseEntryId(id: EntryId): ParsedId {
  const seq = id.charCodeAt(0) === LETTER_E ? digitsIn(id) : 0
  if (seq > 0) return { original: true, seq }
  const made = NEW.exec(id)
  if (made) return { original: false, seq: Number(made[1]), index: Number(made[2]) }
  throw new TypeError(`not an entry id: ${String(id)}`)
}

const LETTER_E = 101
const ZERO = 48
const NINE = 57
const LONGEST_ID_CHARS = 16

/** The number after the first letter; 0 if invalid. Hand-written, because ids are parsed constantly. */
function digitsIn(id: string): number {
  if (id.length > LONGEST_ID_CHARS || id.charCodeAt(1) === ZERO) return 0
  let value = 0
  for (let at = 1; at < id.length; at += 1) {
    const code = id.charCodeAt(at)
    if (code < ZERO || code > NINE) return 0
    value = value * 10 + (code - ZERO)
  }
  return value
}

/** The entry of an event, before its calls are known. */
export function itemOfEvent(event: EventOf<EntryType>): Item {
  const id = originalId(event.seq)
  switch (event.type) {
    case 'AGENT_MESSAGE':
      return answerItem(id, event.data)
    case 'TOOL_RESULT':
      return resultItem(id, event.data)
    case 'USER_MESSAGE':
      return { id, kind: KINDS[event.type], tokens: weighUser(event.data) }
    case 'SYSTEM_REMINDER':
      return { id, kind: KINDS[event.type], tokens: weighText(event.data) }
    case 'CHECKPOINT':
      return { id, kind: KINDS[event.type], tokens: weighText(event.data.id) }
  }
}

/** An answer including the weight of one more call. */
function withCall(item: Item, call: ToolCall): Item {
  return { ...item, tokens: item.tokens + weighCall(call) }
}

/** An entry added by a change. A rewritten answer weighs its calls' arguments again. */
export function itemOfNewEntry(id: NewId, entry: NewEntry, eventAt: EventAt): Item {
  switch (entry.type) {
    case 'AGENT_MESSAGE': {
      const item = answerItem(id, entry.data)
      return callsOfAnswer(entry.of, entry.data, eventAt).reduce(withCall, item)
    }
    case 'TOOL_RESULT':
      return resultItem(id, entry.data, newResultWeight(entry.data))
    case 'USER_MESSAGE':
      return { id, kind: 'user', tokens: weighUser(entry.data) }
    case 'SYSTEM_REMINDER':
      return { id, kind: 'reminder', tokens: weighText(entry.data) }
  }
}

export function gapItem(id: NewId): Item {
  return { id, kind: 'gap', tokens: 0 }
}

/** Sets the hidden parts and the resulting weight. */
export function withHidden(item: Item, hide: readonly Hidden[]): Item {
  const was = item.hide?.includes('thinking') ?? false
  const will = hide.includes('thinking') && item.thinkingTokens !== undefined
  if (was === will) return item
  const { hide: _, ...rest } = item
  const thinking = item.thinkingTokens ?? 0
  return will
    ? { ...rest, tokens: item.tokens - thinking, hide: ['thinking'] }
    : { ...rest, tokens: item.tokens + thinking }
}

/** Cached per change: otherwise restoring n rewrites would take n² steps. */
const entriesOfEdits = new WeakMap<readonly Edit[], readonly (NewEntry | undefined)[]>()

/** What a change added, in stored order: new entries, and a gap for each edit without any. */
export function readNewEntries(edits: readonly Edit[]): readonly (NewEntry | undefined)[] {
  const known = entriesOfEdits.get(edits)
  if (known) return known
  const entries: (NewEntry | undefined)[] = []
  for (const edit of edits) {
    for (const put of collectPuts(edit)) {
      if (isNewEntry(put)) entries.push(put)
      else if ('gap' in put) entries.push(undefined)
    }
  }
  entriesOfEdits.set(edits, entries)
  return entries
}

const ONE_GAP: readonly Put[] = [{ gap: true }]

/** What an edit puts in place: at least a gap. */
export function collectPuts(edit: Edit): readonly Put[] {
  return edit.put.length === 0 ? ONE_GAP : edit.put
}

/** Whether this adds something: a new entry, or a gap. */
export function isNew(put: Put): boolean {
  return !('keep' in put)
}

export function isNewEntry(put: Put): put is NewEntry {
  return 'label' in put
}

/** Rebuilds an entry from the log, without hidden state. */
export function itemAt(id: EntryId, eventAt: EventAt): Item | undefined {
  const parsed = parseEntryId(id)
  const event = eventAt(parsed.seq)
  if (event === undefined) return undefined
  if (!parsed.original) {
    if (!isChange(event)) return undefined
    const entries = readNewEntries(event.data.edits)
    if (parsed.index >= entries.length) return undefined
    const entry = entries[parsed.index]
    const made = newId(parsed.seq, parsed.index)
    return entry === undefined ? gapItem(made) : itemOfNewEntry(made, entry, eventAt)
  }
  if (!bearsEntry(event)) return undefined
  const item = itemOfEvent(event)
  return event.type === 'AGENT_MESSAGE'
    ? callsAfter(event.seq, event.data, eventAt).reduce(withCall, item)
    : item
}

/** The new entry of a c-id; undefined for a gap or unknown id. */
export function newEntryAt(id: EntryId, eventAt: EventAt): NewEntry | undefined {
  const parsed = parseEntryId(id)
  if (parsed.original) return undefined
  const event = eventAt(parsed.seq)
  return event && isChange(event) ? readNewEntries(event.data.edits)[parsed.index] : undefined
}

/** Follows rewrites to the original entry, if there is one. */
export function findRoot(id: EntryId, eventAt: EventAt): EntryId {
  let root = id
  for (let entry = newEntryAt(root, eventAt); entry?.of; entry = newEntryAt(root, eventAt))
    root = entry.of
  return root
}

/** The calls of an answer, original or rewritten, with their arguments. */
export function callsOfAnswer(
  of: EntryId | undefined,
  answer: Answer,
  eventAt: EventAt,
): ToolCall[] {
  if (of === undefined || answer.calls.length === 0) return []
  const root = parseEntryId(findRoot(of, eventAt))
  const event = root.original ? eventAt(root.seq) : undefined
  if (event?.type !== 'AGENT_MESSAGE') return []
  return callsAfter(event.seq, event.data, eventAt).filter((call) => answer.calls.includes(call.id))
}

/** TOOL_CALLs directly follow their answer: they share its append. */
export function callsAfter(seq: number, answer: Answer, eventAt: EventAt): ToolCall[] {
  const calls: ToolCall[] = []
  for (let next = seq + 1; calls.length < answer.calls.length; next += 1) {
    const event = eventAt(next)
    if (event === undefined || bearsEntry(event)) break
    if (event.type === 'TOOL_CALL' && event.data.answer === seq) calls.push(event.data)
  }
  return calls
}

function answerItem(id: EntryId, answer: Answer): Item {
  const thinking = weighThinking(answer)
  return {
    id,
    kind: 'answer',
    tokens: weighAnswer(answer) + (thinking ?? 0),
    ...(answer.calls.length > 0 && { calls: answer.calls }),
    ...(thinking !== undefined && { thinkingTokens: thinking }),
  }
}

/** Cached weights of rewrites: gate, fold and report all ask. */
const weights = new WeakMap<ToolResult, number>()

function newResultWeight(result: ToolResult): number {
  const tokens = weights.get(result) ?? weighResult(result)
  weights.set(result, tokens)
  return tokens
}

function resultItem(id: EntryId, result: ToolResult, tokens = weighResult(result)): Item {
  return {
    id,
    kind: 'result',
    tokens,
    ...(result.id !== undefined && { calls: [result.id] }),
  }
}
