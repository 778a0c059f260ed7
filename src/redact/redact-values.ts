// Redacts messages, documents and reports: every text at any depth, field names included.
import { createHash } from 'node:crypto'
import { readFieldName, readSecretKind } from './assignments.ts'
import type { Secret } from './known.ts'
import { redactText } from './redact.ts'
import { Placeholders, type Replace, type SecretCount } from './replace.ts'

export interface RedactedValue<T> {
  /** The same value if nothing was found. */
  readonly value: T
  readonly found: readonly SecretCount[]
}

/** Keeps the structure and changes texts only. Non-JSON values stay. */
export function redactValues<T>(value: T, secrets: readonly Secret[] = []): RedactedValue<T> {
  const placeholders = new Placeholders()
  const redaction = { secrets, replace: placeholders.replace }
  const clean = redactedAt('', value, redaction)
  return {
    value: (clean === LEFT_OUT ? leftOut(placeholders.replace) : clean) as T,
    found: placeholders.found,
  }
}

interface Redaction {
  readonly secrets: readonly Secret[]
  readonly replace: Replace
  /** Inside a call's input, where only the sealed block is removed and the call keeps its id and name. */
  readonly isInCall?: boolean
}

/** Replaces a block that a change would break. */
const LEFT_OUT = Symbol('left out')

function redactedAt(name: string, value: unknown, redaction: Redaction): unknown {
  if (typeof value === 'string') return redactedString(name, value, redaction)
  if (Array.isArray(value)) return redactedList(name, value, redaction)
  if (!isPlainObject(value)) return value
  let isChanged = false
  const fields = Object.entries(value).map(([field, inner]) => {
    const name = readFieldName(field, value)
    const isGiven = (field === 'arguments' || field === 'input') && isPlainObject(inner)
    const clean = isGiven
      ? redactedGiven(name, inner, redaction)
      : redactedAt(name, inner, redaction)
    const key = readKey(field, redaction)
    if (key !== field || clean !== inner) isChanged = true
    return [key, clean] as const
  })
  if (!isChanged) return value
  // Half an image is useless: removes everything around the block, up to its list.
  if (isSealed(value) && redaction.isInCall) return redaction.replace('sealed-block')
  if (isSealed(value) || fields.some(([, inner]) => inner === LEFT_OUT)) return LEFT_OUT
  return Object.fromEntries(withoutTwins(fields))
}

/** The input of a call stays an object. */
function redactedGiven(name: string, value: object, redaction: Redaction): unknown {
  const clean = redactedAt(name, value, { ...redaction, isInCall: true })
  return typeof clean === 'string' ? { redacted: clean } : clean
}

function redactedString(name: string, value: string, { secrets, replace }: Redaction): string {
  if (isReference(name)) {
    if (redactText(value, secrets, () => '[redacted:id]', false) === value) return value
    replace('id')
    return `redacted_${createHash('sha256').update(value).digest('hex').slice(0, 16)}`
  }
  const clean = redactText(value, secrets, replace, !OPAQUE.has(name))
  const kind = clean === value ? readSecretKind(name, value) : undefined
  return kind === undefined ? clean : replace(kind)
}

/** Bytes and signatures look random: here only secrets with a known form count. */
const OPAQUE: ReadonlySet<string> = new Set([
  'data',
  'signature',
  'thoughtSignature',
  'thinkingSignature',
  'encrypted_content',
])

function redactedList(name: string, value: readonly unknown[], redaction: Redaction): unknown {
  const items: unknown[] = []
  for (const item of value)
    items.push(redactedBehind(items.at(-1), redactedAt(name, item, redaction), redaction))
  if (items.every((item, at) => item === value[at])) return value
  const kept = items.filter((item) => item !== LEFT_OUT)
  // Providers reject a message without content.
  return kept.length === 0 ? [leftOut(redaction.replace)] : kept
}

/** A name may end one text and its value begin the next: a paste is a part of its own. */
function redactedBehind(before: unknown, item: unknown, { secrets, replace }: Redaction): unknown {
  if (!isTextPart(before) || !isTextPart(item)) return item
  const lead = before.text.slice(before.text.lastIndexOf('\n') + 1)
  const [line = ''] = item.text.split('\n', 1)
  if (lead === '') return item
  const clean = redactText(lead + line, secrets, replace)
  if (clean === lead + line || !clean.startsWith(lead)) return item
  return { ...item, text: clean.slice(lead.length) + item.text.slice(line.length) }
}

function isTextPart(value: unknown): value is { readonly type: 'text'; readonly text: string } {
  return isPlainObject(value) && value.type === 'text' && isText(value.text)
}

function leftOut(replace: Replace): { type: 'text'; text: string } {
  return { type: 'text', text: replace('sealed-block') }
}

function readKey(field: string, { secrets, replace }: Redaction): string {
  return field.length < SHORTEST_KEY_CHARS ? field : redactText(field, secrets, replace)
}
const SHORTEST_KEY_CHARS = 8

/** Two names may have become equal. */
function withoutTwins(fields: readonly (readonly [string, unknown])[]): [string, unknown][] {
  const taken = new Map<string, number>()
  return fields.map(([field, inner]) => {
    const count = (taken.get(field) ?? 0) + 1
    taken.set(field, count)
    return [count === 1 ? field : `${field} (${count})`, inner]
  })
}

/** Ids pair calls with results: an id with a secret gets the same replacement everywhere. */
function isReference(name: string): boolean {
  return /(?:^|_)(?:id|ids|uuid)$|[a-z](?:Id|Ids|ID|Uuid)$|^calls$/.test(name)
}

/**
 * Signed and opaque blocks: signed reasoning, encrypted content, image or document bytes. Providers reject
 * changed ones, so they are removed as a whole or stay.
 */
function isSealed(value: Readonly<Record<string, unknown>>): boolean {
  const { type, signature, thoughtSignature, encrypted_content: encrypted, data } = value
  if (SEALED_TYPES.has(type)) return true
  if (isText(signature) && isText(value.thinking)) return true
  if (isText(thoughtSignature) || isText(encrypted)) return true
  return (
    isText(data) &&
    [value.mimeType, value.media_type, value.mediaType].some(isText) &&
    !isText(value.text)
  )
}

const SEALED_TYPES: ReadonlySet<unknown> = new Set(['redacted_thinking', 'reasoning.encrypted'])

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
