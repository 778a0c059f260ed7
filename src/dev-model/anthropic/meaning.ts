// Equivalent forms of content in Anthropic's API
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { listOf } from '../../validate/walk.ts'
import { digest } from '../digest.ts'

/**
 * The same hash for what is the same to the API. Marks for the cache, the order of fields, and
 * fields that only spell out a default do not count. What a tool's author wrote counts to the letter.
 */
export function meaningHash(value: Json): string {
  return digest(JSON.stringify(meant(value, false)))
}

const EXACT = ['input', 'input_schema']

function meant(value: Json, isExact: boolean): Json {
  if (Array.isArray(value)) return listOf(value).map((item) => meant(item, isExact))
  if (!isFields(value)) return value
  const kept = Object.keys(value)
    .filter((key) => isExact || counts(key, value))
    .sort()
    .map((key) => [key, meant(value[key] ?? null, isExact || EXACT.includes(key))] as const)
  return Object.fromEntries(kept)
}

function counts(key: string, fields: Fields): boolean {
  const value = fields[key]
  if (value === undefined || value === null || key === 'cache_control') return false
  if (key === 'is_error') return value !== false
  if (key === 'caller') return !(isFields(value) && value.type === 'direct')
  return !(key === 'url' && fields.type === 'url')
}
