// The interface of a provider's API in the stand-in: reads requests, writes answers.
import type { Fields, Json } from '../core/text/json.ts'
import type { Exchange, Profile, Violation } from '../validate/rule.ts'
import type { Asked, WireId } from './asked.ts'
import type { CacheUsage, MarkedCache } from './cache.ts'
import type { Segment } from './count.ts'
import type { Fault } from './faults.ts'
import type { AutomaticCache } from './prefix-cache.ts'
import type { Reply } from './reply.ts'

/** Why a request is rejected; each format has its own status and body. */
export type Refusal =
  | {
      readonly kind: 'invalid'
      readonly message: string
      readonly param?: string
      readonly code?: string
      readonly status?: number // default 400
      /** The whole answer, for a backend with its own shape. */
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

/** The usage of one answer. `inputTokens` is the whole prompt, cached or not. */
export interface TurnUsage extends CacheUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
}

/** A request and its reply, to be written in the request's format. */
export interface Turn {
  /** Derived from the request; ids are made from it. */
  readonly seed: string
  readonly path: string
  readonly body: Fields
  readonly asked: Asked
  readonly reply: Reply
  readonly usage: TurnUsage
  readonly at: Date
  /** The fault to apply while sending. */
  readonly fault?: Fault
}

/** How earlier exchanges are found. */
export interface Links {
  ofRequest(body: Fields): readonly string[]
  ofAnswer(body: Fields, answer: Json): readonly string[]
  /** The names of the exchange it continues. */
  onward(exchange: Exchange): readonly string[]
}

export interface WireFormat {
  readonly id: WireId
  readonly streamType: string // the content type of a stream
  /** The rules for the requested model; absent if the provider has none beyond the shape. */
  profileFor?(body: Fields): Profile
  readonly links: Links
  /** A missing or malformed field that keeps rules and assistant from reading the request. */
  shape(body: Fields, isCounting: boolean): Refusal | undefined
  /** Something the request refers to that no longer exists. */
  lost(body: Fields, earlier: readonly Exchange[]): Refusal | undefined
  /** Rules only the author of the answers can check. */
  check(body: Fields): readonly Violation[]
  read(body: Fields, earlier: readonly Exchange[]): Asked
  segments(body: Fields, earlier: readonly Exchange[]): readonly Segment[]
  /** The size beyond which the oldest messages are silently dropped; undefined: rejected instead. */
  silentWindow(body: Fields, windowTokens: number): number | undefined
  /** The body after dropping the oldest messages. */
  fitted(body: Fields, windowTokens: number): Fields
  account(body: Fields, segments: readonly Segment[], caches: Caches, nowMs: number): CacheUsage
  whole(turn: Turn): Json
  /** The pieces of a streamed answer on the wire. */
  frames(turn: Turn): Iterable<string>
  refuse(refusal: Refusal): HttpAnswer
  /** An error in the middle of a stream. */
  errorFrame(refusal: Refusal): string
}

export interface Caches {
  readonly marked: MarkedCache
  readonly automatic: AutomaticCache
}
