// Values of unknown shape, read without complaint: what has another type is as good as absent.
import { parseRecord } from '../../core/log/json-bounds.ts'
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
import type { ModelRef, ToolStatus } from '../../core/view/content.ts'

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
