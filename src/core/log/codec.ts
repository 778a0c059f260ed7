// Converts rows to events and back; checks every row and keeps unreadable ones.
import type { z } from 'zod'
import { type ErrorCode, PrecisError } from '../errors.ts'
import type { Row } from '../ports.ts'
import { isJson, isRecord, type Json } from '../text/json.ts'
import { EVENT_VERSION, type ThreadEvent } from './event.ts'
import { isPlainData } from './fast-validators.ts'
import { type CoveredType, DATA_SCHEMAS, ORIGINS } from './schema.ts'
import { upcast } from './upcast.ts'

export type ReadEvent =
  | { readonly ok: true; readonly event: ThreadEvent }
  | { readonly ok: false; readonly error: PrecisError }

/**
 * Reads a row of any version up to the current one. Unknown fields are kept. A row of a newer version is an
 * error with the code `store-newer`.
 */
export function readEvent(row: unknown): ReadEvent {
  if (!isRecord(row)) return failed({}, '', `expected an object, got ${readName(row)}`)
  if (typeof row.v !== 'number' || !Number.isInteger(row.v) || row.v < 1)
    return failed(row, 'v', `expected a version from 1 to ${EVENT_VERSION}, got ${readName(row.v)}`)
  if (row.v > EVENT_VERSION)
    return failed(row, 'v', `version ${row.v} is newer than ${EVENT_VERSION}`, 'store-newer')
  const current = row.v === EVENT_VERSION ? row : upcast(row)
  const timeMs = readTime(current.timestamp)
  const error = findProblem(row, current, timeMs)
  if (error) return { ok: false, error }
  // Pass on the row itself, not the schema's copy, to keep unknown fields.
  return { ok: true, event: { ...current, timestamp: new Date(timeMs) } as ThreadEvent }
}

/** Why a new event could not be read again, if so. Its data is then known to be valid. */
export function checkEvent(event: ThreadEvent): PrecisError | undefined {
  const fields: Readonly<Record<string, unknown>> = { ...event }
  const error = findProblem(fields, fields, event.timestamp.getTime())
  const { data, type, source } = event
  if (!error && typeof data === 'object' && data !== null) checkedAs.set(data, type)
  if (!error && typeof source === 'object' && source !== null) checkedAs.set(source, SOURCE)
  return error
}

/** Data already checked, by type. A store that returns the same values need not check again. */
const checkedAs = new WeakMap<object, string>()
const SOURCE = 'source'

function isCheckedAs(value: unknown, what: unknown): boolean {
  return typeof value === 'object' && value !== null && checkedAs.get(value) === what
}

function findProblem(
  row: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
  timeMs: number,
): PrecisError | undefined {
  const wrong = wrongField(current, timeMs)
  if (wrong) return problem(row, wrong.path, `expected ${wrong.expected}, got ${wrong.got}`)
  const { data, type } = current
  if (isCheckedAs(data, type)) return undefined
  if (isPlainData(type as string, data)) return undefined
  const schema: z.ZodType = DATA_SCHEMAS[type as CoveredType]
  const checked = schema.safeParse(data)
  if (checked.success) return undefined
  const { path, message } = deepestIssue(checked.error.issues)
  return problem(row, `data${printPath(path)}`, message)
}

/** Reads a row that must keep its place in a log: an unreadable one becomes a FOREIGN event. */
export function readRow(row: unknown): ThreadEvent {
  const read = readEvent(row)
  if (read.ok) return read.event
  const fields = isRecord(row) ? row : {}
  const timeMs = readTime(fields.timestamp)
  const { message, where = '' } = read.error
  const data: { [key: string]: Json } = { undecodable: toJson(row), error: { message, where } }
  return {
    v: EVENT_VERSION,
    id: typeof fields.id === 'string' ? fields.id : 'undecodable',
    threadId: typeof fields.threadId === 'string' ? fields.threadId : '',
    seq: isSeq(fields.seq) ? fields.seq : 0,
    timestamp: new Date(Number.isNaN(timeMs) ? 0 : timeMs),
    type: 'FOREIGN',
    data,
  }
}

/** The row of an event: JSON only, the timestamp as ISO 8601 with milliseconds. */
export function writeEvent(event: ThreadEvent): Row {
  if (Number.isNaN(event.timestamp.getTime()))
    throw new PrecisError('invalid-input', 'an event has no valid timestamp', {
      where: findPlace(event.threadId, event.seq, 'timestamp'),
      hint: 'Pass a valid Date.',
    })
  return { ...event, timestamp: event.timestamp.toISOString() }
}

interface WrongField {
  readonly path: string
  readonly expected: string
  readonly got: string
}

function wrongField(
  row: Readonly<Record<string, unknown>>,
  timeMs: number,
): WrongField | undefined {
  const wrong = (path: string, expected: string): WrongField => ({
    path,
    expected,
    got: readName(row[path]),
  })
  if (typeof row.id !== 'string') return wrong('id', 'a string')
  if (typeof row.threadId !== 'string') return wrong('threadId', 'a string')
  if (!isSeq(row.seq)) return wrong('seq', 'a whole number from 1')
  if (Number.isNaN(timeMs)) return wrong('timestamp', 'an ISO 8601 time')
  if (typeof row.type !== 'string' || !Object.hasOwn(DATA_SCHEMAS, row.type))
    return wrong('type', 'a known event type')
  if (row.origin !== undefined && !ORIGINS.has(row.origin)) return wrong('origin', 'a known origin')
  const { source } = row
  if (source !== undefined && !isCheckedAs(source, SOURCE) && !isJson(source))
    return wrong('source', 'JSON')
  return undefined
}

function failed(...given: Parameters<typeof problem>): ReadEvent {
  return { ok: false, error: problem(...given) }
}

function problem(
  row: Readonly<Record<string, unknown>>,
  path: string,
  message: string,
  code: ErrorCode = 'invalid-input',
): PrecisError {
  const hint =
    code === 'store-newer'
      ? 'Update precis to read it. Until then it is kept as it is and has no effect.'
      : 'It is kept as it is and has no effect on the context.'
  const where = findPlace(row.threadId, row.seq, path)
  const details = { threadId: row.threadId, seq: row.seq, path }
  const sentence = `a row of the log cannot be read: ${path === '' ? '' : `${path}: `}${message}`
  return new PrecisError(code, sentence, { where, hint, details })
}

function findPlace(threadId: unknown, seq: unknown, path: string): string {
  const thread = typeof threadId === 'string' ? `thread ${threadId}` : 'an unnamed thread'
  const event = typeof seq === 'number' ? `, event ${seq}` : ''
  return `${thread}${event}${path === '' ? '' : `, ${path}`}`
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Of a union's branches, the one that got furthest was probably meant. */
function deepestIssue(
  issues: readonly z.core.$ZodIssue[],
  base: readonly PropertyKey[] = [],
): Issue {
  let deepest: Issue = { path: base, message: 'does not have the expected shape' }
  for (const [index, issue] of issues.entries()) {
    const path = [...base, ...issue.path]
    const found =
      issue.code === 'invalid_union' && issue.errors.length > 0
        ? issue.errors
            .map((branch) => deepestIssue(branch, path))
            .reduce((best, next) => (next.path.length > best.path.length ? next : best))
        : { path, message: issue.message }
    if (index === 0 || found.path.length > deepest.path.length) deepest = found
  }
  return deepest
}

function printPath(path: readonly PropertyKey[]): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
}

const ISO_TIME = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Milliseconds since 1970; NaN for an invalid time. Parsed once, because it is half of the cost. */
function readTime(value: unknown): number {
  return typeof value === 'string' && ISO_TIME.test(value) ? Date.parse(value) : Number.NaN
}

function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
}

/** A short description of a value: its text if short, otherwise its type. */
function readName(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'string') return value.length <= 40 ? JSON.stringify(value) : 'a long string'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** Stores never return non-JSON values; keeps as much as can be written. */
function toJson(value: unknown): Json {
  if (isJson(value)) return value
  try {
    const text = JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'object' || isJson(inner) ? inner : `a ${typeof inner}`,
    )
    return JSON.parse(text)
  } catch {
    return `a ${typeof value} that is not JSON`
  }
}
