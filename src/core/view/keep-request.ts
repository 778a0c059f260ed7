// Carries the user's open requests over when a compaction would remove them.
import type { Edit, EntryId, Put, Run } from '../edit/change.ts'
import { GATE_MIN_TOKENS } from '../edit/gate-checks.ts'
import { beforeContinuation, isRewrite } from '../edit/pins.ts'
import type { EventAt } from '../log/event.ts'
import type { Context } from './context.ts'
import { collectPuts, type Item, isNewEntry, newEntryAt } from './entry.ts'
import { findRuns } from './entry-range.ts'
import {
  answeredLine,
  findRequests,
  leavesAnswered,
  type Requests,
  requestSections,
} from './last-request.ts'
import {
  carriedEntry,
  hasRoomForAll,
  isCarried,
  readNote,
  requestRoom,
  type Section,
  statusIn,
  textIn,
  withCarried,
  withoutStatus,
  writeHead,
  writeSections,
} from './request-note.ts'

interface RequestLimits {
  /** Smaller replacements stay exactly as proposed, unless they remove an open request. */
  readonly minTokens: number
  readonly targetTokens?: number
}

/**
 * Keeps the user's open requests, or the last one, so that no strategy or model can lose them: one entry
 * after the replacement holds those it removes. It also says what is answered, if an answer goes and its
 * request stays.
 */
export function keepRequest(
  proposed: readonly Edit[],
  context: Context,
  eventAt: EventAt,
  { minTokens, targetTokens }: RequestLimits,
): Edit[] {
  if (proposed.length === 0) return []
  const items = context.items.toArray()
  const index = new Map(items.map((item, at) => [item.id, at] as const))
  const requests = findRequests(items, eventAt)
  const inOwnWords = proposed.map((edit) => withOwnWords(edit, requests, items, index))
  const taken = inOwnWords.map((edit) => takenOut(edit, items, index))
  const edits = withoutStanding(inOwnWords, taken, requests)
  const open = openRequests(items, eventAt, minTokens)
  const isLarge = edits.map(
    (edit, at) =>
      weigh(covered(edit, items, index)) >= minTokens || taken[at]?.some(({ id }) => open.has(id)),
  )
  const idsOf = (gone: readonly Item[][]) => new Set(gone.flat().map(({ id }) => id))
  const counted = idsOf(taken.filter((_, at) => isLarge[at]))
  const goes = idsOf(taken)
  const note = requestNote({ items, eventAt, targetTokens, goes, counted, minTokens })
  const own = edits.flatMap(({ put }) => put.filter(isCarried))
  const held = new Set(own.flatMap((put) => readNote(textIn(put)).sections.map(({ ref }) => ref)))
  const newest = note?.refs.at(-1)
  const said = statusesIn(items, goes, eventAt)
  if (!note || (own.length > 0 && (newest === undefined || held.has(newest))))
    return edits.map((edit) => withStatusOnce(withRequestLast(edit), said)).map(withRequestOnce)
  const at = taken.findLastIndex(
    (gone, index) => gone.length > 0 && (isLarge[index] || counted.size === 0),
  )
  return edits
    .map((edit, index) =>
      withStatusOnce(withRequestLast(index === at ? withNote(edit, note) : edit), said),
    )
    .map(withRequestOnce)
}

/** For a continuation that equals the request: the user's own message stays in its place. */
function withOwnWords(
  edit: Edit,
  { shown }: Requests,
  items: readonly Item[],
  index: ReadonlyMap<EntryId, number>,
): Edit {
  const last = edit.put.at(-1)
  if (!last || !isContinuation(last)) return edit
  const text = inOneLine(textIn(last))
  const same = shown.find((each) => !each.isCarried && inOneLine(each.text) === text)
  if (!same || !covered(edit, items, index).some(({ id }) => id === same.id)) return edit
  const put = edit.put.slice(0, -1)
  if (takenOut(edit, items, index).every(({ id }) => id !== same.id))
    return { covers: edit.covers, put }
  const placeOf = (run: Run) => index.get(typeof run === 'string' ? run : run[0]) ?? 0
  const behind = put.findIndex((one) => 'keep' in one && placeOf(one.keep) > placeOf(same.id))
  const at = behind < 0 ? put.length : behind
  return { covers: edit.covers, put: put.toSpliced(at, 0, { keep: same.id }) }
}

/** The same if the request is only in a note. */
function withRequestOnce(edit: Edit): Edit {
  const last = edit.put.at(-1)
  if (!last || !isContinuation(last)) return edit
  const text = inOneLine(textIn(last))
  const noted = edit.put.filter(isCarried).flatMap((put) => readNote(textIn(put)).sections)
  const isNoted = noted.some((each) => inOneLine(each.text) === text)
  return isNoted ? { covers: edit.covers, put: edit.put.slice(0, -1) } : edit
}

function isContinuation(put: Put): boolean {
  return isNewEntry(put) && put.label === 'continuation'
}

function inOneLine(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}

/** What remaining notes say about answered requests. */
function statusesIn(
  items: readonly Item[],
  goes: ReadonlySet<EntryId>,
  eventAt: EventAt,
): ReadonlySet<string> {
  const notes = items.flatMap(({ id }) => (goes.has(id) ? [] : (newEntryAt(id, eventAt) ?? [])))
  return new Set(notes.filter(isCarried).map((note) => statusIn(textIn(note))))
}

function withStatusOnce(edit: Edit, said: ReadonlySet<string>): Edit {
  const isSaid = (put: Put) => {
    const status = isCarried(put) ? statusIn(textIn(put)) : ''
    return status !== '' && said.has(status)
  }
  if (!edit.put.some(isSaid)) return edit
  const put = edit.put.map((one) => (isSaid(one) ? carriedEntry(withoutStatus(textIn(one))) : one))
  return { covers: edit.covers, put }
}

/** A request pinned since the proposal stays, so no note repeats it. */
function withoutStanding(
  edits: readonly Edit[],
  taken: readonly (readonly Item[])[],
  { shown }: Requests,
): readonly Edit[] {
  const goes = new Set(taken.flat().map(({ id }) => id))
  const standing = new Set(shown.flatMap(({ id, ref }) => (goes.has(id) ? [] : [ref])))
  const isSaid = ({ ref }: Section) => standing.has(ref)
  return edits.map((edit) => {
    const put = edit.put.map((one) => {
      if (!isCarried(one)) return one
      const { head, sections } = readNote(textIn(one))
      if (!sections.some(isSaid)) return one
      const left = writeSections(sections.filter((section) => !isSaid(section)))
      return carriedEntry([head.trimEnd(), left].filter(Boolean).join('\n\n'))
    })
    return { covers: edit.covers, put }
  })
}

/**
 * Unanswered requests are never lost, however small the replacement. Below `minTokens` there are none: there
 * the results of a range are exact (ALWAYS-23).
 */
export function openRequests(
  items: readonly Item[],
  eventAt: EventAt,
  minTokens: number,
): ReadonlySet<EntryId> {
  const { shown, isOpen } = findRequests(items, eventAt)
  return new Set(isOpen && weigh(items) >= minTokens ? shown.map(({ id }) => id) : [])
}

export function covered(
  { covers }: Edit,
  items: readonly Item[],
  index: ReadonlyMap<EntryId, number>,
) {
  const place = findRuns(covers, items, index)
  return place ? items.slice(place.start, place.end) : []
}

export function takenOut(
  edit: Edit,
  items: readonly Item[],
  index: ReadonlyMap<EntryId, number>,
): Item[] {
  if (isRewrite(edit)) return []
  const keeps = edit.put.flatMap((put) => ('keep' in put ? [put.keep] : []))
  const kept = new Set(keeps.flatMap((run) => covered({ covers: [run], put: [] }, items, index)))
  return covered(edit, items, index).filter((item) => !kept.has(item))
}

function weigh(items: readonly Item[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0)
}

export interface RequestNote {
  readonly text: string
  readonly sections: string
  /** Of the requests in it. */
  readonly refs: readonly string[]
}

interface NoteInput {
  readonly items: readonly Item[]
  readonly eventAt: EventAt
  /** What a compaction removes. */
  readonly goes: ReadonlySet<EntryId>
  /** Those replaced together with many others. Of the rest only open requests and notes are carried. */
  readonly counted: ReadonlySet<EntryId>
  readonly targetTokens: number | undefined
  readonly minTokens?: number
}

/** The note on requests if these entries go; undefined if nothing is needed. */
export function requestNote(input: NoteInput): RequestNote | undefined {
  const { items, eventAt, goes, counted, targetTokens, minTokens = GATE_MIN_TOKENS } = input
  if (goes.size === 0) return undefined
  const requests = findRequests(items, eventAt)
  const hasRoom = hasRoomForAll(targetTokens)
  // A tiny target has room for the last one only.
  const wanted = hasRoom ? requests.shown : requests.shown.slice(-1)
  const isKept = requests.isOpen && weigh(items) >= minTokens
  const gone = new Set(
    wanted.filter(
      ({ id, isCarried }) => counted.has(id) || ((isCarried || isKept) && goes.has(id)),
    ),
  )
  const isSilent = !hasRoom || !leavesAnswered(items, { goes, counted }, eventAt)
  if (gone.size === 0 && isSilent) return undefined
  const goesTokens = weigh(items.filter(({ id }) => goes.has(id)))
  const sections = requestSections(requests, gone, requestRoom(goesTokens, targetTokens))
  const refs = [...gone].map(({ ref }) => ref)
  const parts = [writeHead(refs.at(-1)), answeredLine(requests, gone), sections]
  return { text: parts.filter(Boolean).join('\n\n'), sections, refs }
}

/**
 * After the strategy's own carried entry, or as a new entry. Status goes after what stays, and only if
 * something replaces the rest.
 */
function withNote(edit: Edit, { text, sections }: RequestNote): Edit {
  const puts = collectPuts(edit)
  const own = puts.findIndex(isCarried)
  const before = puts[own]
  if (before) {
    const parts = [readNote(textIn(before)).head.trimEnd(), sections]
    const entry = carriedEntry(parts.filter(Boolean).join('\n\n'))
    return { covers: edit.covers, put: puts.with(own, entry) }
  }
  if (sections !== '') return { covers: edit.covers, put: withCarried(puts, text) }
  const isReplaced = puts.some(isNewEntry)
  return isReplaced
    ? { covers: edit.covers, put: beforeContinuation(puts, [carriedEntry(text)]) }
    : edit
}

/**
 * A last request that is only in a note still comes last, after pins. A note without it comes before what is
 * kept, so that it does not follow an open request.
 */
function withRequestLast(edit: Edit): Edit {
  const puts = collectPuts(edit)
  const own = puts.findIndex(
    (put) => isCarried(put) && readNote(textIn(put)).sections.some(({ isLast }) => isLast),
  )
  const entry = puts[own]
  return entry
    ? { covers: edit.covers, put: beforeContinuation(puts.toSpliced(own, 1), [entry]) }
    : edit
}
