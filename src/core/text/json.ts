// JSON as a type: what may stand in a log row; objects of JSON, and whether a value is JSON.
// Bounds on JSON before anything is parsed: how many values it has, and how deep they lie.
import { PrecisError } from '../errors.ts'

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

/** A value of unknown shape as an object; what is none is as good as absent. */
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

/** A count: what is negative or no number is unknown. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Deeper JSON than this cannot be written again: serialising it would exhaust the stack. */
const MAX_JSON_DEPTH = 1_000

/**
 * Whether a value is JSON through and through. A hand-written walk: this is most of what a row holds.
 * `hasGaps` allows properties that are undefined, which JSON leaves out.
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

// Half characters (lone surrogates) in JSON of any shape: found, and replaced.

/** Looks through a value of any depth without recursion. Asked of every request: it makes no copies. */
export function isWellFormed(value: Json): boolean {
  const waiting: Json[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string' && !next.isWellFormed()) return false
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) {
      for (const item of next) waiting.push(item)
      continue
    }
    const fields = next as { readonly [key: string]: Json }
    for (const key of Object.keys(fields)) {
      if (!key.isWellFormed()) return false
      waiting.push(fields[key] ?? null)
    }
  }
  return true
}

/** A copy in which each half is the replacement character. */
export function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(wellFormed)
  const mended: Record<string, Json> = {}
  for (const [key, item] of Object.entries(value)) {
    let name = key.toWellFormed()
    // Two broken names may become one; neither value may be lost.
    while (Object.hasOwn(mended, name)) name += '_'
    mended[name] = wellFormed(item)
  }
  return mended
}

export interface JsonLimits {
  readonly values: number
  readonly depth: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Takes a text in pieces, as they come. Counts signs alone, so it takes what is not JSON, too: a parser refuses it. */
export class JsonBounds {
  readonly #limits: JsonLimits
  #values = 0
  #depth = 0
  #isText = false
  #isEscaped = false

  constructor(limits: JsonLimits) {
    this.#limits = limits
  }

  /** Throws at the first sign that is too many. */
  take(text: string): void {
    let at = 0
    while (at < text.length) at = this.#isText ? this.#inText(text, at) : this.#outside(text, at)
  }

  #outside(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const sign = text.charCodeAt(at)
      if (sign === QUOTE) {
        this.#isText = true
        return at + 1
      }
      if (sign === COMMA) this.#count()
      else if (sign === OPEN_LIST || sign === OPEN_OBJECT) {
        this.#depth += 1
        this.#count()
        if (this.#depth > this.#limits.depth)
          throw tooLarge('is nested too deeply', `${this.#limits.depth} levels`)
      } else if (sign === CLOSE_LIST || sign === CLOSE_OBJECT)
        this.#depth = Math.max(0, this.#depth - 1)
    }
    return text.length
  }

  /** To the quote that ends the text. Most texts are long and have no escapes: those are leapt over. */
  #inText(text: string, from: number): number {
    let at = this.#isEscaped ? from + 1 : from
    this.#isEscaped = false
    for (;;) {
      const quote = text.indexOf('"', at)
      const end = quote < 0 ? text.length : quote
      let escapes = 0
      while (end - 1 - escapes >= at && text[end - 1 - escapes] === '\\') escapes += 1
      const isEscaped = escapes % 2 === 1
      if (quote < 0) {
        this.#isEscaped = isEscaped
        return text.length
      }
      at = quote + 1
      if (isEscaped) continue
      this.#isText = false
      return at
    }
  }

  #count(): void {
    this.#values += 1
    if (this.#values > this.#limits.values)
      throw tooLarge('has too many values', `${this.#limits.values.toLocaleString('en-US')} values`)
  }
}

function tooLarge(what: string, most: string): PrecisError {
  return new PrecisError('payload-too-large', `The JSON ${what}.`, {
    hint: `The limit is ${most}.`,
  })
}

/** Shorter texts cannot hold anybody up. */
const LONG_CHARS = 100_000
/** No record of a session has more. Its parts are worked on in one go. */
const RECORD_LIMITS: JsonLimits = { values: 300_000, depth: 500 }

/** `JSON.parse` of one record of a file that anybody may have written. */
export function parseRecord(text: string): unknown {
  if (text.length > LONG_CHARS) new JsonBounds(RECORD_LIMITS).take(text)
  return JSON.parse(text)
}
