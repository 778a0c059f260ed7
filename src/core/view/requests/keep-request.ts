// Requests of the user that are open, carried over where a compaction would take them out.
import type { Edit, EntryId } from '../../edit/change.ts'
import { beforeContinuation, isRewrite } from '../../edit/pins.ts'
import type { EventAt } from '../../log/event.ts'
import type { Context } from '../context.ts'
import { collectPuts, type Item, isNewEntry } from '../entry.ts'
import { findRuns } from '../entry-range.ts'
import { answeredLine, findRequests, leavesAnswered, requestSections } from '../last-request.ts'
import {
  carriedEntry,
  hasRoomForAll,
  isCarried,
  NOTE,
  readNote,
  requestRoom,
  textIn,
  withCarried,
} from './request-note.ts'

interface RequestLimits {
  /** Below this what replaces a stretch is exactly what was proposed. */
  readonly minTokens: number
  readonly targetTokens?: number
}

/**
 * Makes a proposal keep the requests of the user that are open, or the last one, so that no strategy and no
 * model can lose them: where they would go, one entry behind the replacement holds them. It also says what is
 * answered, where the answer goes and the request stays.
 */
export function keepRequest(
  edits: readonly Edit[],
  context: Context,
  eventAt: EventAt,
  { minTokens, targetTokens }: RequestLimits,
): Edit[] {
  if (edits.length === 0) return []
  const items = context.items.toArray()
  const index = new Map(items.map((item, at) => [item.id, at] as const))
  const taken = edits.map((edit) => takenOut(edit, items, index))
  const isLarge = edits.map((edit) => weigh(covered(edit, items, index)) >= minTokens)
  const idsOf = (gone: readonly Item[][]) => new Set(gone.flat().map(({ id }) => id))
  const counted = idsOf(taken.filter((_, at) => isLarge[at]))
  const note = requestNote({ items, eventAt, targetTokens, goes: idsOf(taken), counted })
  const own = edits.flatMap(({ put }) => put.filter(isCarried))
  const held = new Set(own.flatMap((put) => readNote(textIn(put)).sections.map(({ ref }) => ref)))
  const newest = note?.refs.at(-1)
  if (!note || (own.length > 0 && (newest === undefined || held.has(newest))))
    return edits.map(withRequestLast)
  const at = taken.findLastIndex(
    (gone, index) => gone.length > 0 && (isLarge[index] || counted.size === 0),
  )
  return edits.map((edit, index) => withRequestLast(index === at ? withNote(edit, note) : edit))
}

function covered({ covers }: Edit, items: readonly Item[], index: ReadonlyMap<EntryId, number>) {
  const place = findRuns(covers, items, index)
  return place ? items.slice(place.start, place.end) : []
}

function takenOut(edit: Edit, items: readonly Item[], index: ReadonlyMap<EntryId, number>): Item[] {
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
  /** What a compaction takes out. */
  readonly goes: ReadonlySet<EntryId>
  /** Those of them that are replaced with many others. Of the rest only notes are carried again. */
  readonly counted: ReadonlySet<EntryId>
  readonly targetTokens: number | undefined
}

/** What has to be said on requests where these entries go; undefined where all of it stands there. */
export function requestNote(input: NoteInput): RequestNote | undefined {
  const { items, eventAt, goes, counted, targetTokens } = input
  if (goes.size === 0) return undefined
  const requests = findRequests(items, eventAt)
  const hasRoom = hasRoomForAll(targetTokens)
  // A tiny target has room for the last one alone.
  const wanted = hasRoom ? requests.shown : requests.shown.slice(-1)
  const gone = new Set(
    wanted.filter(({ id, isCarried }) => counted.has(id) || (isCarried && goes.has(id))),
  )
  const isSilent = !hasRoom || !leavesAnswered(items, { goes, counted }, eventAt)
  if (gone.size === 0 && isSilent) return undefined
  const goesTokens = weigh(items.filter(({ id }) => goes.has(id)))
  const sections = requestSections(requests, gone, requestRoom(goesTokens, targetTokens))
  const text = [NOTE, answeredLine(requests, gone), sections].filter(Boolean).join('\n\n')
  return { text, sections, refs: [...gone].map(({ ref }) => ref) }
}

/**
 * Behind what the strategy itself carries over, or in an entry of its own. What is answered is said behind what
 * stays, and only where something is put in place of the rest.
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
 * A last request that is only in a note still comes last, behind what is pinned. A note without it stands
 * where it is: before what is kept, so that it is not behind a request that is still there.
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
