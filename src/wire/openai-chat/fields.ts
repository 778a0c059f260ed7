// JSON objects on their way to and from a wire.
import type { Json } from '../../core/json.ts'

export type Fields = { readonly [key: string]: Json }

export function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The arguments of a call as an object; anything else was never a valid call, and is shown as what it was. */
export function argumentsOf(value: Json): Fields {
  return isFields(value) ? value : { input: value }
}

/** JSON text that every parser of UTF-8 takes: half characters become the sign for a lost one. */
export function jsonText(value: Json): string {
  return JSON.stringify(value, (_key, each: Json) =>
    typeof each === 'string' ? each.toWellFormed() : each,
  )
}
