// Schemas of wire requests as data, and the check for unknown fields.
import { isFields, type Json } from '../core/text/json.ts'
import { readFields, readText } from '../validate/walk.ts'

/** The allowed structure of a value. Wrong types are left to the rules. */
export type Schema =
  | { readonly kind: 'any' }
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, Schema>> }
  | { readonly kind: 'list'; readonly of: Schema }
  | {
      readonly kind: 'tagged'
      readonly by: Tag
      readonly variants: Variants
      readonly usual?: string
    }
  | { readonly kind: 'bytes'; readonly isFine: (text: string) => boolean }

type Variants = Readonly<Record<string, Schema>>

/** The field that distinguishes variants. */
type Tag = 'type' | 'role'

export const ANY: Schema = { kind: 'any' }

/** An object with exactly these fields: names of unchecked ones, and nested schemas. */
export function only(names: string, others: Readonly<Record<string, Schema>> = {}): Schema {
  const free = names.split(' ').filter((name) => name !== '')
  return {
    kind: 'fields',
    fields: { ...Object.fromEntries(free.map((name) => [name, ANY])), ...others },
  }
}

export function readList(of: Schema): Schema {
  return { kind: 'list', of }
}

/** One of several objects, chosen by `type`; `usual` is the default. */
export function tagged(variants: Variants, usual?: string): Schema {
  return { kind: 'tagged', by: 'type', variants, ...(usual !== undefined && { usual }) }
}

export function byRole(variants: Variants): Schema {
  return { kind: 'tagged', by: 'role', variants }
}

/** A text that encodes bytes. */
export function bytes(isFine: (text: string) => boolean): Schema {
  return { kind: 'bytes', isFine }
}

/** A field, an index, or the variant found there. */
export type Step = string | number | { readonly variant: string }

/** Something unknown or unreadable in this format. */
export type Finding = { readonly path: readonly Step[] } & (
  | { readonly what: 'unknown-field' | 'bad-bytes' | 'no-bytes' }
  | { readonly what: 'no-tag'; readonly by: Tag }
  | {
      readonly what: 'unknown-tag'
      readonly by: Tag
      readonly tag: string
      readonly known: readonly string[]
    }
)

export function* findingsIn(schema: Schema, value: Json, path: readonly Step[] = []): Findings {
  switch (schema.kind) {
    case 'any':
      return
    case 'bytes':
      if (value === '') yield { what: 'no-bytes', path }
      else if (typeof value === 'string' && !schema.isFine(value)) yield { what: 'bad-bytes', path }
      return
    case 'list':
      if (!Array.isArray(value)) return
      for (const [index, item] of value.entries())
        yield* findingsIn(schema.of, item, [...path, index])
      return
    case 'tagged':
      if (isFields(value)) yield* findingsOfVariant(schema, value, path)
      return
    case 'fields':
      for (const [name, each] of Object.entries(readFields(value))) {
        const below = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined
        if (below === undefined) yield { what: 'unknown-field', path: [...path, name] }
        else yield* findingsIn(below, each, [...path, name])
      }
  }
}

type Findings = Generator<Finding, void, undefined>

function* findingsOfVariant(
  { by, variants, usual }: Extract<Schema, { kind: 'tagged' }>,
  value: Json,
  path: readonly Step[],
): Findings {
  const tag = readText(readFields(value)[by]) ?? usual
  if (tag === undefined) {
    yield { what: 'no-tag', path, by }
    return
  }
  const variant = Object.hasOwn(variants, tag) ? variants[tag] : undefined
  if (variant === undefined) {
    yield { what: 'unknown-tag', path, by, tag, known: Object.keys(variants) }
    return
  }
  // Adds the distinguishing field to every variant.
  const whole =
    variant.kind === 'fields' ? { ...variant, fields: { ...variant.fields, [by]: ANY } } : variant
  yield* findingsIn(whole, value, [...path, { variant: tag }])
}

const NOT_BASE64 = /[^A-Za-z0-9+/]/

/**
 * Checks the alphabet and the length. Searches for invalid characters: a pattern for the whole text could not
 * backtrack over millions of characters.
 */
export function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.slice(0, text.length - padding)
  return digits !== '' && !NOT_BASE64.test(digits) && digits.length % 4 !== 1
}
