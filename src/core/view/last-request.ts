// The user's last request: found in a context, and carried over where a compaction would take it out.
import type { Edit, EntryId, NewEntry, Put, Run } from '../edit/change.ts'
import { beforeContinuation, isRewrite } from '../edit/pins.ts'
import type { EventAt } from '../log/event.ts'
import { cutHead, cutTail } from '../window/tokens/cut.ts'
import { estimateTokens } from '../window/tokens/estimate.ts'
import { textOfUserContent } from './content.ts'
import type { Context } from './context.ts'
import { collectPuts, findRoot, type Item, isNewEntry, newEntryAt, parseEntryId } from './entry.ts'
import { contentOf } from './entry-content.ts'
import { runHas } from './entry-range.ts'
import { isInjected } from './typed-text.ts'

export interface LastRequest {
  /** The entry that holds it: the message itself, or the note of an earlier compaction. */
  readonly id: EntryId
  readonly ref: string // of the message
  readonly text: string
  /** Whether an answer behind it came to its end. */
  readonly isAnswered: boolean
  /** The request before it: answered, or its ref where it is open, too; absent if that is not known. */
  readonly before?: 'answered' | EntryId
}

/** Undefined where the user has said nothing, or nothing that is text. */
export function lastRequest(items: readonly Item[], eventAt: EventAt): LastRequest | undefined {
  let isAnswered = false
  for (const [index, item] of [...items.entries()].toReversed()) {
    if (item.kind === 'answer') isAnswered ||= isEnd(item, eventAt)
    if (item.kind !== 'user') continue
    const carried = carriedRequest(item, eventAt)
    if (carried) return { ...carried, id: item.id, isAnswered: isAnswered || carried.isAnswered }
    if (!isRequest(item, eventAt)) continue
    const ref = findRoot(item.id, eventAt)
    const content = contentOf(ref, eventAt) ?? contentOf(item.id, eventAt)
    const text = content?.kind === 'user' ? textOfUserContent(content.content) : ''
    if (text.trim() === '') continue
    const before = requestBefore(items.slice(0, index), eventAt)
    return { id: item.id, ref, text, isAnswered, ...(before && { before }) }
  }
  return undefined
}

function requestBefore(items: readonly Item[], eventAt: EventAt): LastRequest['before'] {
  for (const item of items.toReversed()) {
    if (item.kind === 'answer' && isEnd(item, eventAt)) return 'answered'
    // What a compaction has put there may stand for open requests.
    if (!parseEntryId(findRoot(item.id, eventAt)).original) return undefined
    if (isRequest(item, eventAt)) return findRoot(item.id, eventAt)
  }
  return 'answered'
}

/** What a compaction or a client put in the user's place is no word of theirs. */
export function isSaidByUser(item: Item, eventAt: EventAt): boolean {
  if (item.kind !== 'user') return false
  const { original, seq } = parseEntryId(findRoot(item.id, eventAt))
  const event = original ? eventAt(seq) : undefined
  if (event?.type !== 'USER_MESSAGE') return original
  return event.origin !== 'tool' && event.origin !== 'client' && !isInjected(event.data)
}

/** What précis says in the user's place, to go on or to open a thread, asks for nothing new. */
function isRequest(item: Item, eventAt: EventAt): boolean {
  const origin = readOrigin(item, eventAt)
  const isOurs = origin === 'continuation' || origin === 'summary' || origin === 'files'
  return !isOurs && isSaidByUser(item, eventAt)
}

function readOrigin({ id }: Item, eventAt: EventAt): string | undefined {
  const { original, seq } = parseEntryId(findRoot(id, eventAt))
  return original ? eventAt(seq)?.origin : undefined
}

/** An answer that called tools, or that was stopped, is not the end of a task. */
function isEnd({ id, calls }: Item, eventAt: EventAt): boolean {
  if (calls !== undefined) return false
  const content = contentOf(id, eventAt)
  // A summary is written in the agent's place, and answers nothing.
  if (content?.kind !== 'answer' || newEntryAt(id, eventAt)?.label === 'summary') return false
  const { stopReason } = content.answer
  return stopReason !== 'aborted' && stopReason !== 'error'
}

const ANSWERED = 'Requests are answered up to and including'
const HEADING = 'The last request of the user, word for word'
/** With the thread before it where that is another one. */
const SECTION = new RegExp(
  `^${HEADING} \\[ref:((?:[^\\s\\]]{1,250}:)?[ec][\\d.]{1,30})\\]:\\n`,
  'm',
)

/** How far the requests are answered, for a note of a compaction. */
export function answeredLine({ ref, isAnswered, before }: LastRequest): string {
  if (isAnswered) return `${ANSWERED} [ref:${ref}]: do not carry them out again.`
  const open = `The request [ref:${ref}] is not answered yet`
  if (before === undefined) return `${open}.`
  return before === 'answered'
    ? `${open}; those before it are: do not carry them out again.`
    : `${open}, nor is [ref:${before}] before it: go on with both.`
}

/** The request itself, as the last section of a note: nothing may stand behind it. */
export function requestSection({ ref, text }: LastRequest, maxTokens: number): string {
  return `${HEADING} [ref:${ref}]:\n${capped(text, maxTokens, ref)}`
}

const NOTE_HEAD = '[Context note, not a new request: '
/** How the note of a compaction begins that says nothing but this. */
const NOTE = `${NOTE_HEAD}what stood here was compacted. recall reads it again, by ref or by words.]`
const MOST_TOKENS = 8_000
const LEAST_TOKENS = 200
/** Of the target, and of what goes. */
const SHARE = 4

/** How much of the request a note may show. */
export function requestRoom(goesTokens: number, targetTokens?: number): number {
  const room = Math.min(goesTokens / 2, (targetTokens ?? Number.POSITIVE_INFINITY) / SHARE)
  return Math.floor(Math.max(LEAST_TOKENS, Math.min(MOST_TOKENS, room)))
}

export interface RequestLimits {
  /** Below this what replaces a stretch is exactly what was proposed. */
  readonly minTokens: number
  readonly targetTokens?: number
}

/**
 * Makes a proposal keep the last request of the user, so that no strategy and no model can lose it: where it
 * would go, one entry behind the replacement holds it.
 */
export function keepRequest(
  edits: readonly Edit[],
  context: Context,
  eventAt: EventAt,
  { minTokens, targetTokens }: RequestLimits,
): Edit[] {
  const items = context.items.toArray()
  const request = edits.length === 0 ? undefined : lastRequest(items, eventAt)
  const at = request ? edits.findIndex((edit) => takesOut(edit, request.id)) : -1
  const edit = edits[at]
  if (!request || !edit) return edits.map(withRequestLast)
  const goes = items.reduce((sum, item) => sum + (isCovered(edit, item.id) ? item.tokens : 0), 0)
  // What was carried once stood for more than that, and is carried again.
  const isFirst = !items.some((item) => item.id === request.id && carriedRequest(item, eventAt))
  const isHeld = edits.some(({ put }) => put.some(holds(request)))
  if (isHeld || (isFirst && goes < minTokens)) return edits.map(withRequestLast)
  const section = requestSection(request, requestRoom(goes, targetTokens))
  return edits.map((each, index) =>
    withRequestLast(index === at ? withSection(each, section, request) : each),
  )
}

function takesOut(edit: Edit, id: EntryId): boolean {
  return !isRewrite(edit) && isCovered(edit, id) && !edit.put.some((put) => keeps(put, id))
}

function isCovered({ covers }: Edit, id: EntryId): boolean {
  return covers.some((run: Run) => runHas(run, id))
}

function keeps(put: Put, id: EntryId): boolean {
  return 'keep' in put && runHas(put.keep, id)
}

function holds({ ref }: LastRequest): (put: Put) => boolean {
  return (put) => isCarried(put) && SECTION.exec(textIn(put))?.[1] === ref
}

/** Behind what the strategy itself carries over, or in an entry of its own. */
function withSection(edit: Edit, section: string, request: LastRequest): Edit {
  const puts = collectPuts(edit)
  const own = puts.findIndex(isCarried)
  const before = puts[own]
  const text = before ? textIn(before) : `${NOTE}\n\n${answeredLine(request)}`
  const entry = carriedEntry(`${text}\n\n${section}`)
  return {
    covers: edit.covers,
    put: own < 0 ? beforeContinuation(puts, [entry]) : puts.with(own, entry),
  }
}

/**
 * A request that is only in a note still comes last, behind what is pinned. A note without one stands where
 * it is: before what is kept, so that it is not behind a request that is still there.
 */
function withRequestLast(edit: Edit): Edit {
  const puts = collectPuts(edit)
  const own = puts.findIndex((put) => isCarried(put) && SECTION.test(textIn(put)))
  const entry = puts[own]
  return entry
    ? { covers: edit.covers, put: beforeContinuation(puts.toSpliced(own, 1), [entry]) }
    : edit
}

/** Behind the summary, and before what is kept. */
export function withCarried(put: readonly Put[], text: string): Put[] {
  const summary = put.findLastIndex((one) => isNewEntry(one) && one.label === 'summary')
  return put.toSpliced(summary + 1, 0, carriedEntry(text))
}

export function carriedEntry(text: string): NewEntry {
  return { type: 'USER_MESSAGE', data: text, label: 'carried' }
}

function isCarried(put: Put): boolean {
  return isNewEntry(put) && put.label === 'carried'
}

function textIn(put: Put): string {
  return isNewEntry(put) && put.type === 'USER_MESSAGE' ? textOfUserContent(put.data) : ''
}

/**
 * The request in a note of précis. A note that was read from a session file counts like a message of the
 * user in that file; its refs mean entries of another thread, so the note itself is the ref.
 */
function carriedRequest(item: Item, eventAt: EventAt): Omit<LastRequest, 'id'> | undefined {
  const origin = readOrigin(item, eventAt)
  const isOwn = newEntryAt(item.id, eventAt)?.label === 'carried' || origin === 'summary'
  const content = isOwn || origin === 'client' ? contentOf(item.id, eventAt) : undefined
  const text = content?.kind === 'user' ? textOfUserContent(content.content) : ''
  // A summary that a model has written may hold the words of a note.
  const found = origin === undefined || text.startsWith(NOTE_HEAD) ? SECTION.exec(text) : null
  if (!found) return undefined
  const [heading, ref = ''] = found
  return {
    ref: isOwn ? ref : findRoot(item.id, eventAt),
    text: text.slice(found.index + heading.length),
    isAnswered: text.slice(0, found.index).includes(`\n${ANSWERED} [ref:${ref}]`),
  }
}

/** A note as it stands in a thread that came of this one: there the same refs mean something else. */
export function noteElsewhere(text: string, threadId: string): string {
  const found = SECTION.exec(text)
  if (!found) return refsElsewhere(text, threadId)
  const [heading, ref = ''] = found
  const end = found.index + heading.length
  const marker = leftOut(ref)
  const request = text.slice(end).replace(marker, () => refsElsewhere(marker, threadId))
  return `${refsElsewhere(text.slice(0, end), threadId)}${request}`
}

const BARE_REF = /(?<=\[ref:|\(such as )[ec]\d[\d.]*(?=[\])])/g

export function refsElsewhere(text: string, threadId: string): string {
  return text.replaceAll(BARE_REF, (ref) => `${threadId}:${ref}`)
}

const TRIES = 12

function capped(text: string, maxTokens: number, ref: string): string {
  let chars = text.length
  for (let tried = 0; tried < TRIES; tried += 1) {
    const tokens = estimateTokens(text.slice(0, chars))
    if (tokens <= maxTokens) break
    chars = Math.floor(chars * Math.min(0.9, maxTokens / tokens))
  }
  if (chars >= text.length) return text
  const [head, tail] = [cutHead(text, (2 * chars) / 3), cutTail(text, chars / 3)]
  const left = text.length - head.length - tail.length
  return `${head}\n[… ${left.toLocaleString('en-US')} ${leftOut(ref)}\n${tail}`
}

function leftOut(ref: string): string {
  return `characters left out: [ref:${ref}] …]`
}
