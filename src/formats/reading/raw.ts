// A file's original records, kept in the log: in an event's `source`, or as a FOREIGN event.
import type { CompactionData } from '../../core/edit/change.ts'
import { bearsEntry, isChange, type ThreadEvent } from '../../core/log/event.ts'
import {
  countIn,
  type Fields,
  fieldsIn,
  isFields,
  isJson,
  type Json,
  listIn,
  textIn,
} from '../../core/text/json.ts'
import { parseRecord } from '../../core/text/json-bounds.ts'
import type { Media, ModelRef, TokenUsage, ToolStatus } from '../../core/view/content.ts'
import { type Counts, readUsage } from '../../wire/answer-facts.ts'

/** One record and its place: its line number, or its index in a list. */
export type RawRecord = {
  readonly at: number
  readonly raw: string // original text, so that it can be written back exactly
}

/** A byte range of a source that can be read again. */
interface Place {
  readonly textAt: (start: number, end: number) => string
  readonly start: number
  readonly end: number
}

const PLACE = Symbol('the place of the text')

/** One shared getter: with separate ones every record would have a different shape. */
const TEXT_THERE = {
  enumerable: true,
  get(this: { readonly [PLACE]: Place }): string {
    const { textAt, start, end } = this[PLACE]
    return textAt(start, end)
  },
}

/** A record whose text is read on demand but looks like a stored one. */
export function placedRecord(at: number, place: Place): RawRecord {
  return Object.defineProperties(
    { at },
    { [PLACE]: { value: place }, raw: TEXT_THERE },
  ) as RawRecord
}

/** Characters of all strings in a value; for records elsewhere their bytes, without reading them. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (PLACE in value) {
    const { start, end } = value[PLACE] as Place
    return end - start
  }
  return Object.values(value).reduce((sum: number, each) => sum + textLength(each), 0)
}

/** The content of `source` and of FOREIGN events. */
export function rawJson(format: string, records: readonly RawRecord[], envelope?: Json): Json {
  return {
    format,
    records, // unchanged: the text may be read on demand
    ...(envelope !== undefined && { envelope }),
  }
}

/** All records of a format in these logs, in file order. */
export function rawRecords(format: string, logs: readonly (readonly ThreadEvent[])[]): RawRecord[] {
  const records: RawRecord[] = []
  for (const event of logs.flat()) {
    const kept = fieldsIn(event.type === 'FOREIGN' ? event.data : event.source)
    if (kept.format !== format) continue
    for (const record of listIn(kept.records)) {
      if (isRawRecord(record)) records.push(record)
    }
  }
  return records.sort((one, other) => one.at - other.at)
}

/** Does not read its text, which may be elsewhere. */
export function isRawRecord(record: Json): record is RawRecord {
  if (!isFields(record) || typeof record.at !== 'number') return false
  return PLACE in record || typeof record.raw === 'string'
}

/** What surrounded the records in the file. */
export function rawEnvelope(format: string, events: readonly ThreadEvent[]): Json | undefined {
  for (const event of events) {
    if (event.type !== 'FOREIGN') continue
    const { format: of, envelope } = fieldsIn(event.data)
    if (of === format && envelope !== undefined) return envelope
  }
  return undefined
}

/** Whether the records contain everything in the log: nothing was added, and no view changed. */
export function isAsRead(format: string, events: readonly ThreadEvent[]): boolean {
  return events.every((event) => {
    if (event.type === 'COMPACTION')
      return isRecorded(event.data, format) || changesNothing(event.data)
    if (isChange(event)) return false
    if (!bearsEntry(event) && event.type !== 'SYSTEM_PROMPT') return true
    return textIn(fieldsIn(event.source).format) === format
  })
}

function isRecorded({ trigger, metadata }: CompactionData, format: string): boolean {
  return trigger === 'import' && fieldsIn(metadata).format === format
}

/** The strategy had nothing to do. */
function changesNothing({ edits, hide = [], closes = [] }: CompactionData): boolean {
  return edits.length === 0 && hide.length === 0 && closes.length === 0
}

/** A record's object; empty for other values. */
export function recordValue({ raw }: RawRecord): Fields {
  return objectIn(raw) ?? {}
}

/** Media given by a URL, which may contain the bytes. */
export function urlOfMedia({ data, uri, mimeType }: Media): string | undefined {
  return data === undefined ? uri : `data:${mimeType};base64,${data}`
}

/** Undefined if a count is missing, or if all are 0, which means no count was made. */
export function usageFrom(counts: Counts): TokenUsage | undefined {
  const usage = readUsage(counts)
  return usage?.totalTokens === 0 ? undefined : usage
}

export { countIn, type Fields, fieldsIn, isFields, listIn, textIn }

/** A time as text or in milliseconds. */
export function timeIn(value: Json | undefined): { timestamp?: Date } {
  if (typeof value !== 'string' && typeof value !== 'number') return {}
  const timestamp = new Date(value)
  return Number.isNaN(timestamp.getTime()) ? {} : { timestamp }
}

export function modelRef(provider: string, model: Json | undefined): ModelRef {
  return `${provider}/${textIn(model) ?? 'unknown'}`
}

/** A model in our notation, `provider/model`. */
export function writtenModelRef(value: Json | undefined): ModelRef {
  const [provider = '', ...rest] = (textIn(value) ?? '').split('/')
  return modelRef(provider, rest.join('/'))
}

/** If a format has a single mark for failures, the field next to it with the kind. */
export const STATUS = 'precis_status'

export function isKind(status: ToolStatus): boolean {
  return status === 'aborted' || status === 'denied'
}

export function keptStatus(beside: Json | undefined): ToolStatus | undefined {
  const status = fieldsIn(beside)[STATUS]
  return status === 'aborted' || status === 'denied' ? status : undefined
}

/** Depth of a foreign value inside an event; the log allows 1,000 levels in total. */
const LEVELS_AROUND = 20

/** Whether the log can hold it: not too deep, no infinite numbers. */
export function isStorable(value: unknown): value is Json {
  return isJson(value, LEVELS_AROUND)
}

/** Arguments a format stores as JSON text. Invalid text stays text. */
export function argumentsIn(text: Json | undefined): Json {
  if (typeof text !== 'string') return text ?? {}
  try {
    const value = parseRecord(text)
    return isStorable(value) ? value : text
  } catch {
    return text
  }
}

/** The object in a JSON text, if it is one. */
export function objectIn(text: string): Fields | undefined {
  try {
    const value = parseRecord(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
