// Values of unknown shape, read without complaint: what has another type is as good as absent.
import { parseRecord } from '../../core/log/json-bounds.ts'
import { type Fields, isFields, isJson, type Json } from '../../core/text/json.ts'
import type { ModelRef, ToolStatus } from '../../core/view/content.ts'

export { type Fields, isFields }

const NONE: Fields = {}

export function fieldsIn(value: Json | undefined): Fields {
  return isFields(value) ? value : NONE
}

export function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

export function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A count: what is negative or no number is unknown. */
export function countIn(value: Json | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined
}

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
