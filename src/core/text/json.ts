// JSON as a type, objects of JSON, and the check whether a value is JSON.

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/** An object of JSON: its fields by name. */
export type Fields = { readonly [key: string]: Json }

export function isFields(value: unknown): value is Fields {
  return isRecord(value)
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value of unknown shape as an object; empty for anything else. */
export function fieldsIn<T>(value: T): FieldsOf<T> {
  return (isRecord(value) ? value : NO_FIELDS) as FieldsOf<T>
}

const NO_FIELDS: Fields = {}

type FieldsOf<T> = [T] extends [Json | undefined] ? Fields : Readonly<Record<string, unknown>>

export function listIn<T>(value: T): readonly ([T] extends [Json | undefined] ? Json : unknown)[] {
  return Array.isArray(value) ? value : []
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A count; undefined for negative or invalid numbers. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Deeper JSON cannot be serialised again without exhausting the stack. */
const MAX_JSON_DEPTH = 1_000

/**
 * Whether a value is JSON throughout. Hand-written, because this is most of a row's cost. `hasGaps` allows
 * undefined properties, which JSON omits.
 */
export function isJson(value: unknown, depth = 0, hasGaps = false): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth > MAX_JSON_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1, hasGaps))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key]
    if (!(hasGaps && inner === undefined) && !isJson(inner, depth + 1, hasGaps)) return false
  }
  return true
}
