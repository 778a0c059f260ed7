// Finds the user's open requests, or the last one, in a context and in notes.
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
  /** The entry that contains it: the message, or an earlier compaction's note. */
  readonly id: EntryId
  readonly ref: string // of the message
  readonly text: string
  readonly isCarried: boolean
}

export interface Requests {
  /** Open requests, oldest first; the last one if none is open. */
  readonly shown: readonly Request[]
  readonly isOpen: boolean
  /** The last request known to be answered. */
  readonly answered?: Answered
}

interface RequestMatch extends Request {
  readonly seq: number
  readonly isOpen: boolean
}

/** Empty if the user said nothing in text. */
export function findRequests(items: readonly Item[], eventAt: EventAt): Requests {
  const end = lastEnd(items, eventAt)
  const all: RequestMatch[] = []
  const answered: (Answered & Pick<RequestMatch, 'seq'>)[] = []
  let newest = 0 // of answered ones; earlier texts are irrelevant
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

/** The last completed answer, visible or behind a compaction. Requests before it are answered. */
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

/** Whether a completed answer, or its status, goes while its request stays. */
export function leavesAnswered(
  items: readonly Item[],
  {
    goes,
    counted,
  }: { readonly goes: ReadonlySet<EntryId>; readonly counted: ReadonlySet<EntryId> },
  eventAt: EventAt,
): boolean {
  let answered = 0 // up to where removed notes say so
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

/** What the edit that added this entry covered. */
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

/** Text a compaction or client put in the user's role is not the user's. */
export function isSaidByUser(item: Item, eventAt: EventAt): boolean {
  if (item.kind !== 'user') return false
  const { original, seq } = parseEntryId(findRoot(item.id, eventAt))
  const event = original ? eventAt(seq) : undefined
  if (event?.type !== 'USER_MESSAGE') return original
  return event.origin !== 'tool' && event.origin !== 'client' && !isInjected(event.data)
}

/** The user's last unanswered message, or plan they accepted. */
export function findLastAsked(items: readonly Item[], eventAt: EventAt): Item | undefined {
  const last = items.findLastIndex((item) => isSaidByUser(item, eventAt))
  const plan = items.findLastIndex((item, at) => at > last && isPlan(item, eventAt))
  const isOpen =
    plan >= 0 &&
    parseEntryId(findRoot((items[plan] as Item).id, eventAt)).seq > lastEnd(items, eventAt)
  return items[isOpen ? plan : last]
}

/** A plan by a model that the user accepted, in the user's role. */
export function isPlan(item: Item, eventAt: EventAt): boolean {
  if (item.kind !== 'user') return false
  const { original, seq } = parseEntryId(findRoot(item.id, eventAt))
  const event = original ? eventAt(seq) : undefined
  if (event?.type !== 'USER_MESSAGE' || event.origin === 'tool' || event.origin === 'client')
    return false
  return isAcceptedPlan(event.data)
}

/** What précis writes in the user's role, to continue or open a thread, is not a request. */
function isRequest(item: Item, eventAt: EventAt): boolean {
  const origin = readOrigin(item, eventAt)
  const isOurs = origin === 'continuation' || origin === 'summary' || origin === 'files'
  return !isOurs && isSaidByUser(item, eventAt)
}

function readOrigin({ id }: Item, eventAt: EventAt): string | undefined {
  const { original, seq } = parseEntryId(findRoot(id, eventAt))
  return original ? eventAt(seq)?.origin : undefined
}

/** An answer that called tools or was stopped does not end a task. */
function isEnd({ id, calls }: Item, eventAt: EventAt): boolean {
  if (calls !== undefined) return false
  const content = contentOf(id, eventAt)
  // Summaries in the agent's role, and `compact` calls turned into text, are not its answers.
  if (content?.kind !== 'answer' || ANSWERS_NOTHING.has(newEntryAt(id, eventAt)?.label))
    return false
  const { stopReason } = content.answer
  return stopReason !== 'aborted' && stopReason !== 'error'
}

const ANSWERS_NOTHING: ReadonlySet<string | undefined> = new Set(['summary', 'closed'])

/** How far these requests are answered; empty if unknown. */
export function answeredLine(
  { shown, isOpen, answered }: Requests,
  goes: ReadonlySet<Request>,
): string {
  const isShown = [...goes].some(({ ref }) => ref === answered?.ref)
  const last = isShown && answered ? { ref: answered.ref } : answered
  return writeStatus(last, isOpen ? shown.map(({ ref }) => ref) : [])
}

/** The removed requests as the last sections of a note: nothing may follow them. */
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

/** The note of précis in an entry; a model's text is none. */
function noteIn(item: Item, eventAt: EventAt): Note | undefined {
  const isOwn = newEntryAt(item.id, eventAt)?.label === 'carried'
  const origin = readOrigin(item, eventAt)
  if (!isOwn && origin !== 'summary' && origin !== 'client') return undefined
  const content = contentOf(item.id, eventAt)
  const text = content?.kind === 'user' ? ownTexts(content.content).join('') : ''
  return isOwn || isNote(text) ? readNote(text) : undefined
}

/**
 * A note read from a session file counts like a user message in it; its refs mean entries of another thread,
 * so the note itself is the ref.
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

/** Refs of this thread give the place; for others the note does. */
function seqOfRef(ref: string, { id }: Item): number {
  const holder = parseEntryId(id)
  return !holder.original && isEntryId(ref) ? parseEntryId(ref).seq : holder.seq
}
