// The facts about a provider that a repair needs
import type { Json } from '../text/json.ts'
import type { ModelRef } from '../view/content.ts'
import type { ImageLimits } from '../view/media.ts'
import type { Message, MessagePart } from '../view/message.ts'

/** An absent field is the strict reading, except for `provider`. */
export interface RepairProfile {
  /** Whose thinking and native parts can be sent. Absent: they are left as they are, whoever made them. */
  readonly provider?: string
  /** Thinking of other models of the provider goes, too, where the model is known. */
  readonly model?: ModelRef
  /**
   * `signed`: only with its signature; `plain`: as text that is passed back; `none`: never; `any`: as
   * it is, for a writer that decides by itself.
   */
  readonly thinking?: 'signed' | 'plain' | 'none' | 'any'
  /** Thinking is bound to all that precedes it, and refused behind a change. */
  readonly preservedThinking?: boolean
  /** The request asks the provider to drop thinking that no longer fits, so nothing is taken out here. */
  readonly dropsStaleThinking?: boolean
  /** A turn that calls tools must start with thinking. */
  readonly thinkingEnabled?: boolean
  /** The last message may be an unfinished answer. */
  readonly prefill?: boolean
  /** Roles in a row need not be joined. */
  readonly repeatedRoles?: boolean
  /** An answer may come first. */
  readonly anyOpening?: boolean
  /** A result may be blank. */
  readonly blankResults?: boolean
  readonly ids?: IdRule
  readonly nameChars?: number
  /** The tools that the request defines: they get new names together with their calls. */
  readonly toolNames?: readonly string[]
  readonly images?: ImageLimits
  /** The largest body; images make room for the rest. */
  readonly requestBytes?: number
  /** False if the request defines none: then calls and results are told as text. */
  readonly hasTools?: boolean
  readonly natives?: NativeRules
}

export interface IdRule {
  readonly maxChars: number
  /** Every id has exactly this many letters and digits. */
  readonly exactChars?: number
  /** An id may come back in another answer. */
  readonly mayRepeat?: boolean
}

/** What the provider asks of its own kinds of parts: blocks that only it understands. */
export interface NativeRules {
  /** The parts that would be refused where they stand, by index, each with the reason. */
  refused(message: Message, place: MessagePlace): ReadonlyMap<number, string>
  /** Why a native block cannot be in a result; undefined if it can. */
  refusedInResult(value: Json): string | undefined
  /** The provider continues with this answer, so it may stand last. */
  isPaused(parts: readonly MessagePart[]): boolean
  /** The part may open a conversation in place of a user's message. */
  opens(part: MessagePart): boolean
}

export interface MessagePlace {
  readonly isFirst: boolean
  readonly isLast: boolean
}

export const STRICT_PROFILE: RepairProfile = {}
