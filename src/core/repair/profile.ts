// What a repair needs to know about a provider.
import type { Json } from '../text/json.ts'
import type { ModelRef } from '../view/content.ts'
import type { ImageLimits } from '../view/media.ts'
import type { Message, MessagePart } from '../view/message.ts'

/** An absent field means the strict reading, except for `provider`. */
export interface RepairProfile {
  /** Whose thinking and native parts can be sent. Absent: all stay. */
  readonly provider?: string
  /** Drops thinking of the provider's other models, too, if known. */
  readonly model?: ModelRef
  /**
   * `signed`: only with its signature; `plain`: as text that is sent back; `none`: never; `any`: unchanged,
   * for a writer that decides itself.
   */
  readonly thinking?: 'signed' | 'plain' | 'none' | 'any'
  /** Thinking is bound to its prefix and rejected after a change. */
  readonly preservedThinking?: boolean
  /** The request asks the provider to drop outdated thinking, so it stays here. */
  readonly dropsStaleThinking?: boolean
  /** A turn that calls tools must start with thinking. */
  readonly thinkingEnabled?: boolean
  /** The last message may be an unfinished answer. */
  readonly prefill?: boolean
  /** Consecutive roles need not be merged. */
  readonly repeatedRoles?: boolean
  /** An answer may come first. */
  readonly anyOpening?: boolean
  /** A result may be blank. */
  readonly blankResults?: boolean
  readonly ids?: IdRule
  readonly nameChars?: number
  /** The request's tools, renamed together with their calls. */
  readonly toolNames?: readonly string[]
  readonly images?: ImageLimits
  /** Maximum body size; images make room for the rest. */
  readonly requestBytes?: number
  /** False without tools: calls and results are then written as text. */
  readonly hasTools?: boolean
  readonly natives?: NativeRules
}

export interface IdRule {
  readonly maxChars: number
  /** Ids must have exactly this many letters and digits. */
  readonly exactChars?: number
  /** Another answer may reuse an id. */
  readonly mayRepeat?: boolean
}

/** A provider's rules for its native parts. */
export interface NativeRules {
  /** Parts not allowed in their place, by index, with reasons. */
  refused(message: Message, place: MessagePlace): ReadonlyMap<number, string>
  /** Why a native block cannot be in a result; undefined if it can. */
  refusedInResult(value: Json): string | undefined
  /** The provider continues this answer, so it may be last. */
  isPaused(parts: readonly MessagePart[]): boolean
  /** The part may open a conversation instead of a user message. */
  opens(part: MessagePart): boolean
}

export interface MessagePlace {
  readonly isFirst: boolean
  readonly isLast: boolean
}

export const STRICT_PROFILE: RepairProfile = {}
