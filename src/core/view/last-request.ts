// The user's requests that are open, or the last one: found in a context, and what a note says of them.
import type { EntryId, Run } from '../edit/change.ts'
import { type EventAt, isChange } from '../log/event.ts'
import { ownTexts, textOfUserContent } from './content.ts'
import {
  collectPuts,
  findRoot,
  type Item,
  isEntryId,
  isNew,
  newEntryAt,
  parseEntryId,
} from './entry.ts'
import { contentOf } from './entry-content.ts'
import { itemsOfRun } from './entry-range.ts'
import {
  type Answered,
  fitSections,
  isNote,
  type Note,
  readNote,
  writeSections,
  writeStatus,
} from './request-note.ts'
import { isAcceptedPlan, isInjected } from './typed-text.ts'

export { noteElsewhere } from './request-note.ts'

export interface Request {
  /** The entry that holds it: the message itself, or the note of an earlier compaction. */
  readonly id: EntryId
  readonly ref: string // of the message
  readonly text: string
  readonly isCarried: boolean
}

export interface Requests {
  /** Oldest first: all that no answer has come to an end behind, or the last one where there are none. */
  readonly shown: readonly Request[]
  readonly isOpen: boolean
  /** The last one that is known to be answered. */
  readonly answered?: Answered
}

interface RequestMatch extends Request {
  readonly seq: number
  readonly isOpen: boolean
}

/** Empty where the user has said nothing, or nothing that is text. */
export function findRequests(items: readonly Item[], eventAt: EventAt): Requests {
  const end = lastEnd(items, eventAt)
  const all: RequestMatch[] = []
  const answered: (Answered & Pick<RequestMatch, 'seq'>)[] = []
  let newest = 0 // of those that are answered: no text before it is of interest
  for (const item of items.toReversed()) {
    if (item.kind !== 'user') continue
    const note = noteIn(item, eventAt)
    if (note) {
      all.push(...carriedRequests(item, note, end, eventAt))
      if (note.answered !== undefined && !isFromFile(item, eventAt))
        answered.push({ ...note.answered, seq: seqOfRef(note.answered.ref, item) })
      continue
    }
    const ref = findRoot(item.id, eventAt)
    const { seq } = parseEntryId(ref)
    if (seq < newest || !(isRequest(item, eventAt) || (seq > end && isPlan(item, eventAt))))
      continue
    const content = contentOf(ref, eventAt) ?? contentOf(item.id, eventAt)
    const text = content?.kind === 'user' ? textOfUserContent(content.content) : ''
    if (text.trim() === '') continue
    if (seq <= end) newest = seq
    all.push({ id: item.id, ref, text, isCarried: false, seq, isOpen: seq > end })
  }
  const sorted = all.toSorted((one, other) => one.seq - other.seq)
  const open = sorted.filter(({ isOpen }) => isOpen)
  answered.push(...sorted.filter(({ isOpen }) => !isOpen))
  const last = answered.toSorted((one, other) => one.seq - other.seq).at(-1)
  return {
    shown: open.length > 0 ? open : sorted.slice(-1),
    isOpen: open.length > 0,
    ...(last && { answered: { ref: last.ref, ...(last.text && { text: last.text }) } }),
  }
}

/**
 * Where the last answer stands that came to its end, here or under what a compaction has put here. What was
 * asked before it is answered, wherever it stands now.
 */
function lastEnd(items: readonly Item[], eventAt: EventAt): number {
  let end = 0
  const seen = new Set<Run>() // an edit may put several entries for the same ones
  const waiting = [...items]
  for (let item = waiting.pop(); item; item = waiting.pop()) {
    const root = parseEntryId(findRoot(item.id, eventAt))
    if (root.seq <= end) continue
    if (root.original) {
      if (item.kind === 'answer' && isEnd(item, eventAt)) end = root.seq
      continue
    }
    for (const run of coveredBy(root.seq, root.index, eventAt)) {
      const { seq } = parseEntryId(typeof run === 'string' ? run : run[1])
      if (seq <= end || seen.has(run)) continue
      seen.add(run)
      waiting.push(...(itemsOfRun(run, eventAt) ?? []))
    }
  }
  return end
}

/** Whether an answer goes that came to its end, or the word of it, while what it answers stays. */
export function leavesAnswered(
  items: readonly Item[],
  {
    goes,
    counted,
  }: { readonly goes: ReadonlySet<EntryId>; readonly counted: ReadonlySet<EntryId> },
  eventAt: EventAt,
): boolean {
  let answered = 0 // up to where notes that go say so
  let oldest = Number.POSITIVE_INFINITY // of the requests that stay
  let isWaiting = false
  for (const item of items) {
    if (item.kind === 'answer' && isWaiting && isEnd(item, eventAt)) {
      if (counted.has(item.id)) return true
      isWaiting = false
    }
    if (item.kind !== 'user') continue
    const said = goes.has(item.id) ? noteIn(item, eventAt)?.answered : undefined
    if (said) answered = Math.max(answered, seqOfRef(said.ref, item))
    if (goes.has(item.id) || !isRequest(item, eventAt)) continue
    oldest = Math.min(oldest, parseEntryId(findRoot(item.id, eventAt)).seq)
    isWaiting = true
  }
  return oldest <= answered
}

/** What the edit covered that put this new entry in. */
function coveredBy(seq: number, index: number, eventAt: EventAt): readonly Run[] {
  const event = eventAt(seq)
  if (!event || !isChange(event)) return []
  let before = 0
  for (const edit of event.data.edits) {
    before += collectPuts(edit).filter(isNew).length
    if (index < before) return edit.covers
  }
  return []
}

/** What a compaction or a client put in the user's place is no word of theirs. */
export function isSaidByUser(item: Item, eventAt: EventAt): boolean {
  if (item.kind !== 'user') return false
  const { original, seq } = parseEntryId(findRoot(item.id, eventAt))
  const event = original ? eventAt(seq) : undefined
  if (event?.type !== 'USER_MESSAGE') return original
  return event.origin !== 'tool' && event.origin !== 'client' && !isInjected(event.data)
}

/** What the user said last, or accepted last and nothing has answered yet. */
export function findLastAsked(items: readonly Item[], eventAt: EventAt): Item | undefined {
  const last = items.findLastIndex((item) => isSaidByUser(item, eventAt))
  const plan = items.findLastIndex((item, at) => at > last && isPlan(item, eventAt))
  const isOpen =
    plan >= 0 &&
    parseEntryId(findRoot((items[plan] as Item).id, eventAt)).seq > lastEnd(items, eventAt)
  return items[isOpen ? plan : last]
}

/** A plan in the user's place that they accepted: a model wrote it. */
export function isPlan(item: Item, eventAt: EventAt): boolean {
  if (item.kind !== 'user') return false
  const { original, seq } = parseEntryId(findRoot(item.id, eventAt))
  const event = original ? eventAt(seq) : undefined
  if (event?.type !== 'USER_MESSAGE' || event.origin === 'tool' || event.origin === 'client')
    return false
  return isAcceptedPlan(event.data)
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
  // A summary is written in the agent's place, and a call of `compact` that became text is none of its words.
  if (content?.kind !== 'answer' || ANSWERS_NOTHING.has(newEntryAt(id, eventAt)?.label))
    return false
  const { stopReason } = content.answer
  return stopReason !== 'aborted' && stopReason !== 'error'
}

const ANSWERS_NOTHING: ReadonlySet<string | undefined> = new Set(['summary', 'closed'])

/** How far the requests are answered, for a note that holds these; empty where nothing is known of it. */
export function answeredLine(
  { shown, isOpen, answered }: Requests,
  goes: ReadonlySet<Request>,
): string {
  const isShown = [...goes].some(({ ref }) => ref === answered?.ref)
  const last = isShown && answered ? { ref: answered.ref } : answered
  return writeStatus(last, isOpen ? shown.map(({ ref }) => ref) : [])
}

/** Those of the requests that go, as the last sections of a note: nothing may stand behind them. */
export function requestSections(
  { shown }: Requests,
  goes: ReadonlySet<Request>,
  maxTokens: number,
): string {
  const sections = shown
    .filter((request) => goes.has(request))
    .map((request) => ({ ...request, isLast: request === shown.at(-1) }))
  return writeSections(fitSections(sections, maxTokens))
}

/** The note of précis that an entry is. What a model has written in its place is none. */
function noteIn(item: Item, eventAt: EventAt): Note | undefined {
  const isOwn = newEntryAt(item.id, eventAt)?.label === 'carried'
  const origin = readOrigin(item, eventAt)
  if (!isOwn && origin !== 'summary' && origin !== 'client') return undefined
  const content = contentOf(item.id, eventAt)
  const text = content?.kind === 'user' ? ownTexts(content.content).join('') : ''
  return isOwn || isNote(text) ? readNote(text) : undefined
}

/**
 * A note that was read from a session file counts like a message of the user in that file; its refs mean
 * entries of another thread, so the note itself is the ref.
 */
function carriedRequests(item: Item, note: Note, end: number, eventAt: EventAt): RequestMatch[] {
  const isForeign = isFromFile(item, eventAt)
  return note.sections.map(({ ref, text }) => {
    const seq = seqOfRef(isForeign ? '' : ref, item)
    return {
      id: item.id,
      ref: isForeign ? findRoot(item.id, eventAt) : ref,
      text,
      isCarried: true,
      seq,
      isOpen: seq > end && ref !== note.answered?.ref,
    }
  })
}

function isFromFile(item: Item, eventAt: EventAt): boolean {
  return readOrigin(item, eventAt) === 'client'
}

/** Refs of this thread say where they stand; for others it is the note that does. */
function seqOfRef(ref: string, { id }: Item): number {
  const holder = parseEntryId(id)
  return !holder.original && isEntryId(ref) ? parseEntryId(ref).seq : holder.seq
}
