// A provider's cache marks: they have no meaning, and clients move them between requests.
import { type AnyMessage, copyWith } from './dialect.ts'

export const CACHE_MARKS: ReadonlySet<string> = new Set([
  'cache_control',
  'cacheControl',
  'cachePoint',
])

/** Fields that may hold parts with marks. Call arguments are data and not among them. */
const HOLDERS: ReadonlySet<string> = new Set([
  'content',
  'output',
  'value',
  'providerOptions',
  'additional_kwargs',
])

const PROVIDERS = 'providerOptions'

export function countMarks(message: AnyMessage): number {
  return strip(message).count
}

/** The same object without marks. */
export function withoutMarks(message: AnyMessage): AnyMessage {
  const { value, count } = strip(message)
  return count === 0 ? message : (value as AnyMessage)
}

interface StrippedValue {
  readonly value: unknown
  readonly count: number
}

function strip(value: unknown, holder = ''): StrippedValue {
  if (Array.isArray(value)) return stripList(value)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value))
    return { value, count: 0 }
  let count = 0
  const changes: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    if (CACHE_MARKS.has(name)) {
      if (field !== undefined && field !== null) count += 1
      changes[name] = undefined
    } else if (HOLDERS.has(name) || holder === PROVIDERS) {
      const below = strip(field, name)
      count += below.count
      if (below.count > 0) changes[name] = below.value
    }
  }
  return count === 0 ? { value, count } : { value: copyWith(value, changes), count }
}

/** A part that is only a mark is removed. */
function stripList(list: readonly unknown[]): StrippedValue {
  const parts = list.map((part) => strip(part))
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  if (count === 0) return { value: list, count }
  const left = parts.filter(
    (part) => part.count === 0 || Object.keys(Object(part.value)).length > 0,
  )
  return { value: left.map((part) => part.value), count }
}
