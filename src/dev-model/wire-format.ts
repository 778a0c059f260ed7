// The interface of a provider's API in the stand-in: reads requests, writes answers
import type { Fields, Json } from '../core/text/json.ts'
import type { Exchange, Profile, Violation } from '../validate/rule.ts'
import type { Asked, WireId } from './asked.ts'
import type { CacheUsage, MarkedCache } from './cache.ts'
import type { Segment } from './count.ts'
import type { Fault } from './faults.ts'
import type { AutomaticCache } from './prefix-cache.ts'
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
