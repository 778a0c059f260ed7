// Reads JSON of unknown shape: never throws or recurses, however odd or deep it is.
import { type Fields, isFields, type Json } from '../core/text/json.ts'

export function readFields(value: Json | undefined): Fields {
  return isFields(value) ? value : {}
}

export function readList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

export function readText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Neither absent nor null. */
export function isGiven(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null
}

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/

/** The place of a field or item: `messages[3].content`, `metadata["a b"]`. */
export function placeIn(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  if (!PLAIN_NAME.test(key)) return `${parent}[${JSON.stringify(key)}]`
  return parent === '' ? key : `${parent}.${key}`
}

/** A place as a chain, written out only when reported. */
interface Step {
  readonly parent: Step | undefined
  readonly key: string | number
}

/** Visits every string of a value, field names included, with a function that returns its place. */
export function eachString(value: Json, visit: (text: string, place: () => string) => void): void {
  const waiting: { value: Json; step: Step | undefined }[] = [{ value, step: undefined }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value: current, step } = next
    if (typeof current === 'string') visit(current, () => spell(step))
    if (typeof current !== 'object' || current === null) continue
    const entries = Array.isArray(current) ? current.entries() : Object.entries(current as Fields)
    for (const [key, item] of entries) {
      const below: Step = { parent: step, key }
      if (typeof key === 'string') visit(key, () => spell(below))
      waiting.push({ value: item, step: below })
    }
  }
}

function spell(step: Step | undefined): string {
  const keys: (string | number)[] = []
  for (let each = step; each !== undefined; each = each.parent) keys.push(each.key)
  return keys.reduceRight<string>(placeIn, '').toWellFormed()
}

/** The size of a value as compact JSON in UTF-8 bytes. */
export function jsonBytes(value: Json): number {
  let bytes = 0
  const waiting: Json[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') bytes += stringBytes(next)
    else if (Array.isArray(next)) {
      bytes += 2 + Math.max(0, next.length - 1)
      for (const item of next) waiting.push(item)
    } else if (isFields(next)) {
      const keys = Object.keys(next)
      bytes += 2 + Math.max(0, keys.length - 1)
      for (const key of keys) {
        bytes += stringBytes(key) + 1
        waiting.push(next[key] ?? null)
      }
    } else bytes += String(next).length
  }
  return bytes
}

const SHORT_ESCAPES = '"\\\b\f\n\r\t'

function stringBytes(text: string): number {
  let bytes = text.length + 2
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x20) bytes += SHORT_ESCAPES.includes(text.charAt(index)) ? 1 : 5
    else if (code === 0x22 || code === 0x5c) bytes += 1
    else if (code >= 0x800) bytes += isSurrogate(code) ? 1 : 2
    else if (code >= 0x80) bytes += 1
  }
  return bytes
}

/** A pair takes four bytes, two per half. A lone half takes six, but is rejected anyway. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff
}
