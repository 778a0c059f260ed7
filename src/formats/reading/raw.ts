// The records of a file as they were, kept in the log: in the `source` of an event, or as a FOREIGN one.
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

/** One record and its place in the file: the number of its line, or its index in a list. */
export type RawRecord = {
  readonly at: number
  readonly raw: string // its text as it stood there, so that it can be written again to the byte
}

/** A stretch of bytes of a source that can be read again. */
interface Place {
  readonly textAt: (start: number, end: number) => string
  readonly start: number
  readonly end: number
}

const PLACE = Symbol('the place of the text')

/** One getter for all of them: with one each, every record would have a shape of its own. */
const TEXT_THERE = {
  enumerable: true,
  get(this: { readonly [PLACE]: Place }): string {
    const { textAt, start, end } = this[PLACE]
    return textAt(start, end)
  },
}

/** A record whose text is read when somebody asks for it. To everybody it looks as if it were held. */
export function placedRecord(at: number, place: Place): RawRecord {
  return Object.defineProperties(
    { at },
    { [PLACE]: { value: place }, raw: TEXT_THERE },
  ) as RawRecord
}

/** Characters of all texts in a value; of records elsewhere their bytes, without reading them. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (PLACE in value) {
    const { start, end } = value[PLACE] as Place
    return end - start
  }
  return Object.values(value).reduce((sum: number, each) => sum + textLength(each), 0)
}

/** What stands in `source` and in a FOREIGN event. */
export function rawJson(format: string, records: readonly RawRecord[], envelope?: Json): Json {
  return {
    format,
    records, // as they are: the text of one may be read only when it is needed
    ...(envelope !== undefined && { envelope }),
  }
}

/** All records of a format that these logs hold, in the order of the file. */
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

/** Its text is not asked for: it may be elsewhere. */
export function isRawRecord(record: Json): record is RawRecord {
  if (!isFields(record) || typeof record.at !== 'number') return false
  return PLACE in record || typeof record.raw === 'string'
}

/** What stood around the records of the file. */
export function rawEnvelope(format: string, events: readonly ThreadEvent[]): Json | undefined {
  for (const event of events) {
    if (event.type !== 'FOREIGN') continue
    const { format: of, envelope } = fieldsIn(event.data)
    if (of === format && envelope !== undefined) return envelope
  }
  return undefined
}

/** Whether the records alone say all that the log does: nothing was added, and no view was changed. */
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

/** There was nothing for the strategy to do. */
function changesNothing({ edits, hide = [], closes = [] }: CompactionData): boolean {
  return edits.length === 0 && hide.length === 0 && closes.length === 0
}

/** What a record says, where it is an object. */
export function recordValue({ raw }: RawRecord): Fields {
  return objectIn(raw) ?? {}
}

/** Media that a format names by a URL, whose bytes may be in it. */
export function urlOfMedia({ data, uri, mimeType }: Media): string | undefined {
  return data === undefined ? uri : `data:${mimeType};base64,${data}`
}

/** Undefined where a count is missing, and where all are 0: then nobody counted. */
export function usageFrom(counts: Counts): TokenUsage | undefined {
  const usage = readUsage(counts)
  return usage?.totalTokens === 0 ? undefined : usage
}

export { countIn, type Fields, fieldsIn, isFields, listIn, textIn }

/** A time as a text or in milliseconds. */
export function timeIn(value: Json | undefined): { timestamp?: Date } {
  if (typeof value !== 'string' && typeof value !== 'number') return {}
  const timestamp = new Date(value)
  return Number.isNaN(timestamp.getTime()) ? {} : { timestamp }
}

export function modelRef(provider: string, model: Json | undefined): ModelRef {
  return `${provider}/${textIn(model) ?? 'unknown'}`
}

/** A model as it is written here, `provider/model`. */
export function writtenModelRef(value: Json | undefined): ModelRef {
  const [provider = '', ...rest] = (textIn(value) ?? '').split('/')
  return modelRef(provider, rest.join('/'))
}

/** Where a format has one mark for all failures, the name beside it of what kind this one is. */
export const STATUS = 'precis_status'

export function isKind(status: ToolStatus): boolean {
  return status === 'aborted' || status === 'denied'
}

export function keptStatus(beside: Json | undefined): ToolStatus | undefined {
  const status = fieldsIn(beside)[STATUS]
  return status === 'aborted' || status === 'denied' ? status : undefined
}

/** How deep inside an event a foreign value may stand; the log takes 1,000 levels in all. */
const LEVELS_AROUND = 20

/** Whether the log can hold it: not too deep, and without endless numbers. */
export function isStorable(value: unknown): value is Json {
  return isJson(value, LEVELS_AROUND)
}

/** Arguments that a format keeps as the text of a JSON value. What cannot be read stays a text. */
export function argumentsIn(text: Json | undefined): Json {
  if (typeof text !== 'string') return text ?? {}
  try {
    const value = parseRecord(text)
    return isStorable(value) ? value : text
  } catch {
    return text
  }
}

/** The object that a text is, where it is one. */
export function objectIn(text: string): Fields | undefined {
  try {
    const value = parseRecord(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
