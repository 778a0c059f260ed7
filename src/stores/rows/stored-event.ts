// An event as a store keeps it: checked names, and JSON text that is written once.
import { PrecisError } from '../../core/errors.ts'
import type { NewEvent } from '../../core/log/event.ts'
import type { Row, Snapshot } from '../../core/ports.ts'
import { JsonBounds } from '../../core/text/json-bounds.ts'
import { idConflict, usageError } from '../errors.ts'
import { LIMITS } from './limits.ts'

/**
 * One row of the log without its thread. A tuple, because it passes unchanged to the database and between
 * threads.
 */
export type StoredEvent = readonly [
  seq: number,
  id: string,
  v: number,
  type: string,
  timestamp: string,
  data: string, // JSON
  origin: string | null,
  source: string | null, // JSON
]

const CONTROL = /\p{Cc}/u

export interface SnapshotCells {
  readonly seq: number
  readonly foldVersion: number
  readonly state: string // JSON
}

interface EncodedEvents {
  readonly rows: readonly StoredEvent[]
  readonly length: number // of their JSON
}

/** Checks events and numbers them. Throws before anything is written. */
export function encodeEvents(
  threadId: string,
  events: readonly NewEvent[],
  firstSeq: number,
): EncodedEvents {
  checkEvents(threadId, events)
  let length = 0
  const rows = events.map((event, index) => {
    const cells = encodeEvent(event, firstSeq + index)
    // `source` repeats the content in escaped form, so it counts for the append only.
    checkLength(event.id, cells[5].length, LIMITS.rowLength, 'for one event')
    length += cells[5].length + (cells[7]?.length ?? 0)
    return cells
  })
  checkLength(threadId, length, LIMITS.appendLength, 'in one append')
  return { rows, length }
}

/** Checks everything but their JSON. */
export function checkEvents(threadId: string, events: readonly NewEvent[]): void {
  if (events.length > LIMITS.appendRows) {
    throw tooLarge(threadId, `${events.length} events`, `${LIMITS.appendRows} in one append`)
  }
  const ids = new Set<string>()
  for (const event of events) {
    checkEvent(threadId, event)
    if (ids.has(event.id)) {
      throw idConflict(threadId, event.id, `Two events of one append have the id ${event.id}.`)
    }
    ids.add(event.id)
  }
}

export function encodeEvent(event: NewEvent, seq: number): StoredEvent {
  const { id, v, type, origin = null, threadId } = event
  const data = toJson(event.data, threadId, id)
  const source = event.source === undefined ? null : toJson(event.source, threadId, id)
  return [seq, id, v, type, isoTime(event.timestamp), data, origin, source]
}

/** Invalid or too deeply nested JSON (a damaged row) is kept as text, in a shape that no event has. */
export function decodeRow(threadId: string, cells: StoredEvent): Row {
  const [seq, id, v, type, timestamp, data, origin, source] = cells
  return {
    v,
    id,
    threadId,
    seq,
    timestamp,
    type,
    data: parseOrKeep(data),
    ...(origin !== null && { origin }),
    ...(source !== null && { source: parseOrKeep(source) }),
  }
}

/** Checks a snapshot against the version the thread will have. */
export function encodeSnapshot(
  threadId: string,
  snapshot: Snapshot,
  version: number,
): SnapshotCells {
  const { seq, foldVersion } = snapshot
  checkNumber('the sequence number of a snapshot', seq, 1, version)
  checkNumber('a fold version', foldVersion, 0)
  const state = toJson(snapshot.state, threadId, 'snapshot')
  checkLength(threadId, state.length, LIMITS.appendLength, 'for a snapshot')
  return { seq, foldVersion, state }
}

/** Undefined if the text is damaged: the log can always rebuild a snapshot. */
export function decodeSnapshot(cells: SnapshotCells): Snapshot | undefined {
  try {
    return { ...cells, state: JSON.parse(cells.state) }
  } catch {
    return undefined
  }
}

/** Names go into indexes unchanged, so they must compare the same in every database. */
export function checkName(what: string, name: unknown): asserts name is string {
  if (isName(name)) return
  throw usageError(
    `${what} must be a text of 1 to ${LIMITS.nameLength} characters without control characters.`,
    'Use letters, digits, and signs such as _ . : / -',
  )
}

/** For a name that comes from the store itself. */
export function refuseDamagedName(threadId: string): void {
  if (isName(threadId)) return
  throw new PrecisError('store-corrupt', 'its id is not one that a thread can have', {
    where: threadId,
    hint: 'The row of the thread was altered. Restore the store from a copy.',
  })
}

export function isName(name: unknown): name is string {
  const fits = typeof name === 'string' && name.length >= 1 && name.length <= LIMITS.nameLength
  return fits && name.isWellFormed() && !CONTROL.test(name)
}

export function checkNumber(
  what: string,
  value: unknown,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): asserts value is number {
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return
  const upTo = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
  throw usageError(`${what} must be a whole number ${upTo}, not ${String(value)}.`, 'Correct it.')
}

function checkEvent(threadId: string, event: NewEvent): void {
  checkName('an event id', event.id)
  checkName('an event type', event.type)
  if (event.origin !== undefined) checkName('an origin', event.origin)
  checkNumber('the version of an event', event.v, 0)
  if (event.threadId !== threadId) {
    throw usageError(
      `Event ${event.id} names thread ${String(event.threadId)}, and is appended to ${threadId}.`,
      'Make the event for the thread it goes to: the id of a thread never changes.',
    )
  }
  if (!(event.timestamp instanceof Date) || Number.isNaN(event.timestamp.getTime())) {
    throw usageError(
      `The timestamp of event ${event.id} is not a valid date.`,
      'Pass a valid Date.',
    )
  }
}

function toJson(value: unknown, threadId: string, name: string): string {
  let text: string | undefined
  let cause: unknown
  try {
    text = JSON.stringify(value)
  } catch (thrown) {
    cause = thrown
  }
  if (text !== undefined && !isTooDeep(text)) return text
  throw new PrecisError('invalid-input', `The content of ${name} cannot be written as JSON.`, {
    hint: 'Content must be JSON: no cycles, no bigint, not undefined, not nested thousands deep.',
    where: threadId,
    ...(cause !== undefined && { cause }),
  })
}

/** A cell of another type is damage as well. */
function parseOrKeep(text: unknown): unknown {
  try {
    if (typeof text === 'string' && !isTooDeep(text)) return JSON.parse(text)
  } catch {
    // Kept as text below.
  }
  return { unreadable: String(text) }
}

/** Checked before anything walks the value, because each level uses stack. */
function isTooDeep(json: string): boolean {
  if (json.length <= 2 * LIMITS.jsonDepth) return false // each level takes two characters
  try {
    new JsonBounds({ values: Number.POSITIVE_INFINITY, depth: LIMITS.jsonDepth }).take(json)
    return false
  } catch {
    return true
  }
}

function checkLength(where: string, length: number, limit: number, what: string): void {
  if (length > limit) {
    throw tooLarge(where, `${length} characters of JSON`, `${limit} characters ${what}`)
  }
}

function tooLarge(where: string, size: string, limit: string): PrecisError {
  return new PrecisError('invalid-input', `Too much at once: ${size}; a store takes ${limit}.`, {
    hint: 'Append in several batches, or keep large content outside the log.',
    where,
  })
}

let lastSecond = Number.NaN
let untilSecond = '' // `2026-01-02T12:00:00.`

/** Same output as `toISOString`, several times faster for a series: it takes a third of encoding an event. */
export function isoTime(date: Date): string {
  const time = date.getTime()
  const second = Math.floor(time / 1000)
  if (second !== lastSecond) {
    untilSecond = new Date(second * 1000).toISOString().slice(0, -'000Z'.length)
    lastSecond = second
  }
  const millis = time - second * 1000
  return `${untilSecond}${millis < 10 ? '00' : millis < 100 ? '0' : ''}${millis}Z`
}

export function checkOwners(owners: readonly string[] | undefined): void {
  checkList('`owners`', owners)
  for (const owner of owners ?? []) if (owner !== '') checkName('an owner', owner)
}

export function checkList(what: string, list: unknown): void {
  if (list === undefined || (Array.isArray(list) && list.length <= LIMITS.filterValues)) return
  throw usageError(
    `${what} must be a list of at most ${LIMITS.filterValues} values.`,
    'Pass a shorter list.',
  )
}
