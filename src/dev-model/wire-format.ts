// The interface of a provider's API in the stand-in: reads requests, writes answers
// Schemas of wire requests as data, and the check for unknown fields
import { type Fields, isFields, type Json } from '../core/text/json.ts'
import {
  type Exchange,
  type Profile,
  readFields,
  readText,
  type Violation,
} from '../validate/walk.ts'
import { type Asked, digest, type WireId } from './asked.ts'
import type { CacheUsage, MarkedCache } from './cache.ts'
import type { Fault } from './faults.ts'
import type { Segment } from './models.ts'
import type { Reply } from './reply.ts'

/** Why a request gets no answer; each format has its own status and body for it. */
export type Refusal =
  | {
      readonly kind: 'invalid'
      readonly message: string
      readonly param?: string
      readonly code?: string
      readonly status?: number // 400 if it is absent
      /** The whole answer, for a backend that says it in a shape of its own. */
      readonly body?: Json
    }
  | { readonly kind: 'rules'; readonly violations: readonly [Violation, ...Violation[]] }
  | {
      readonly kind: 'overflow'
      readonly inputTokens: number
      readonly outputTokens: number
      readonly windowTokens: number
    }
  | { readonly kind: 'unauthorised'; readonly isMissing: boolean }
  | { readonly kind: 'not-found'; readonly message: string; readonly code?: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'rate-limit'; readonly retryAfterS: number }
  | { readonly kind: 'overloaded' }
  | { readonly kind: 'server-error' }

export interface HttpAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Json
}

/** What one answer cost. `inputTokens` is the whole prompt, cached or not. */
export interface TurnUsage extends CacheUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
}

/** A request and its reply, ready to be written in the format it was asked in. */
export interface Turn {
  /** From the request alone: what ids are made of. */
  readonly seed: string
  readonly path: string
  readonly body: Fields
  readonly asked: Asked
  readonly reply: Reply
  readonly usage: TurnUsage
  readonly at: Date
  /** What goes wrong on the way to the client. */
  readonly fault?: Fault
}

/** What earlier exchanges are found by. */
export interface Links {
  ofRequest(body: Fields): readonly string[]
  ofAnswer(body: Fields, answer: Json): readonly string[]
  /** What an exchange continues, in the same names. */
  onward(exchange: Exchange): readonly string[]
}

export interface WireFormat {
  readonly id: WireId
  readonly streamType: string // the content type of a stream
  /** The rules for the model that is asked; absent if a provider has none beyond the shape. */
  profileFor?(body: Fields): Profile
  readonly links: Links
  /** A field that is missing or misshapen, so that neither rules nor assistant can read on. */
  shape(body: Fields, isCounting: boolean): Refusal | undefined
  /** Something that the request only names, and that is not there any more. */
  lost(body: Fields, earlier: readonly Exchange[]): Refusal | undefined
  /** Rules that only who gave the answers can check. */
  check(body: Fields): readonly Violation[]
  read(body: Fields, earlier: readonly Exchange[]): Asked
  segments(body: Fields, earlier: readonly Exchange[]): readonly Segment[]
  /** Beyond so many tokens the oldest messages are left out, without a word; undefined: refused instead. */
  silentWindow(body: Fields, windowTokens: number): number | undefined
  /** The body as it is read after the oldest messages were left out. */
  fitted(body: Fields, windowTokens: number): Fields
  account(body: Fields, segments: readonly Segment[], caches: Caches, nowMs: number): CacheUsage
  whole(turn: Turn): Json
  /** The pieces of a streamed answer, as they go over the wire. */
  frames(turn: Turn): Iterable<string>
  refuse(refusal: Refusal): HttpAnswer
  /** A failure in the middle of a stream. */
  errorFrame(refusal: Refusal): string
}

export interface Caches {
  readonly marked: MarkedCache
  readonly automatic: AutomaticCache
}

// A prompt cache without marks, like OpenAI's: any earlier prefix counts, in steps

const MIN_TOKENS = 1_024
const STEP_TOKENS = 128
/** How finely a long segment is cut, so that one which only grows at its end is found again. */
const PIECE_CHARS = 512
const MAX_ENTRIES = 200_000

export class AutomaticCache {
  readonly #untilMs = new Map<string, number>()

  /** The cached tokens of one request that is answered; afterwards all of it is known. */
  account(model: string, segments: readonly Segment[], nowMs: number, keepMs: number): number {
    let key = digest(model)
    let startTokens = 0
    let cachedTokens = 0
    let isKnown = true
    for (const { text, tokens } of segments) {
      for (let at = 0; at < text.length; at += PIECE_CHARS) {
        key = digest(key, text.slice(at, at + PIECE_CHARS))
        isKnown &&= (this.#untilMs.get(key) ?? 0) > nowMs
        const share = Math.min(1, (at + PIECE_CHARS) / text.length)
        if (isKnown) cachedTokens = startTokens + Math.floor(tokens * share)
        this.#put(key, nowMs + keepMs)
      }
      startTokens += tokens
    }
    if (cachedTokens < MIN_TOKENS) return 0
    return Math.floor(cachedTokens / STEP_TOKENS) * STEP_TOKENS
  }

  #put(key: string, untilMs: number): void {
    this.#untilMs.delete(key) // so that it stands last: the first is the one unused the longest
    this.#untilMs.set(key, untilMs)
    const oldest = this.#untilMs.keys().next().value
    if (this.#untilMs.size > MAX_ENTRIES && oldest !== undefined) this.#untilMs.delete(oldest)
  }
}

/** How a value may go on. A value of another type than the schema's is the rules' affair. */
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
/** The field that tells the variants of an object apart. */
type Tag = 'type' | 'role'

export const ANY: Schema = { kind: 'any' }

/** An object with these fields and no others: names of free ones, and those that go on. */
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

/** One of several objects, told apart by their `type`; `usual` is the one without. */
export function tagged(variants: Variants, usual?: string): Schema {
  return { kind: 'tagged', by: 'type', variants, ...(usual !== undefined && { usual }) }
}

export function byRole(variants: Variants): Schema {
  return { kind: 'tagged', by: 'role', variants }
}

/** A text that stands for bytes. */
export function bytes(isFine: (text: string) => boolean): Schema {
  return { kind: 'bytes', isFine }
}

/** A name of a field, a place in a list, or the kind of object that was found there. */
export type Step = string | number | { readonly variant: string }

/** Something that the format does not know, or cannot read. */
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
  // Every variant has the field that tells it from the others.
  const whole =
    variant.kind === 'fields' ? { ...variant, fields: { ...variant.fields, [by]: ANY } } : variant
  yield* findingsIn(whole, value, [...path, { variant: tag }])
}

const NOT_BASE64 = /[^A-Za-z0-9+/]/

/**
 * What a decoder reads: the alphabet, and a length that four characters a group can have. Looks for what does not
 * belong: a pattern for all of it could not go back over millions of characters.
 */
export function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.slice(0, text.length - padding)
  return digits !== '' && !NOT_BASE64.test(digits) && digits.length % 4 !== 1
}
