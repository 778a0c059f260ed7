// Signatures of thinking and of compactions: they tell who made a block, and behind what it stood.
import type { Json } from '../core/json.ts'
import { type Fields, isFields, listOf } from '../validate/walk.ts'
import { digest } from './digest.ts'

/** What a signature says; `payload` is what `redacted_thinking` carries instead of a text. */
export interface Seal {
  readonly prefix: string // hash of what stood before the block; for a compaction: of what it replaces
  readonly model: string // hash of the model's name
  readonly check: string // hash of all this with the sealed text: nothing can be exchanged
  readonly payload: string
}

const MARK = 'dev1'
const HASH_CHARS = 20

export function sealed(
  kind: string,
  text: string,
  of: { prefix: string; model: string },
  payload = '',
): string {
  const [prefix, model] = [short(of.prefix), short(digest(of.model))]
  const check = short(digest(kind, text, prefix, model, payload))
  return Buffer.from([MARK, prefix, model, check, payload].join('.')).toString('base64')
}

/** The seal that a signature holds, or undefined where it is none of ours or its text was changed. */
export function unsealed(kind: string, text: string, signature: string): Seal | undefined {
  const [mark, prefix = '', model = '', check = '', ...rest] = Buffer.from(signature, 'base64')
    .toString('utf8')
    .split('.')
  const payload = rest.join('.')
  const isOurs = mark === MARK && check === short(digest(kind, text, prefix, model, payload))
  return isOurs ? { prefix, model, check, payload } : undefined
}

export function isBoundTo(seal: Seal, prefix: string): boolean {
  return seal.prefix === short(prefix)
}

export function isOfModel(seal: Seal, model: string): boolean {
  return seal.model === short(digest(model))
}

function short(hash: string): string {
  return hash.slice(0, HASH_CHARS)
}

/**
 * The same hash for what is the same to the API: marks for the cache, the order of fields, and
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
