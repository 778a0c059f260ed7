// JSON as a type: what may stand in a log row; and objects of JSON.

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
