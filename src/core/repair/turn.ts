// A message under repair: its parts with their places, and the list of changes
import type { Json } from '../text/json.ts'
import type { Message, MessagePart, ModelRef } from '../view/content.ts'
import type { ImageLimits } from '../view/media.ts'

export type RepairKind =
  | 'aborted-call'
  | 'blank-text'
  | 'consecutive-roles'
  | 'duplicate-result'
  | 'empty-conversation'
  | 'empty-message'
  | 'first-message'
  | 'foreign-part'
  | 'illegal-id'
  | 'illegal-name'
  | 'image'
  | 'input-shape'
  | 'last-message'
  | 'left-out-field'
  | 'lone-surrogate'
  | 'misplaced-part'
  | 'open-round'
  | 'orphan-result'
  | 'refused-part'
  | 'result-order'
  | 'rewritten'
  | 'system-message'
  | 'thinking'
  | 'tools-undefined'
  | 'unreadable'

/** One thing that a repair did: to what, in the terms of the input, and why it had to. */
export interface RepairChange {
  readonly what: RepairKind
  readonly where: string // `messages[3].parts[1]`
  readonly why: string
}

/** Ends the reason for which thinking went. */
export const LEFT_OUT = '; it was left out'

export interface PlacedPart {
  readonly part: MessagePart
  readonly at: string
}

export interface Turn {
  readonly role: Message['role']
  readonly at: string
  readonly parts: readonly PlacedPart[]
  /** Says something else than it did: thinking that follows was made behind other words. */
  readonly isRewritten: boolean
}

/** Gathers what is changed. Each pass gets it, so that nothing can be changed in silence. */
export class Changes {
  readonly list: RepairChange[] = []

  add(what: RepairKind, where: string, why: string): void {
    this.list.push({ what, where, why })
  }
}

/** A message as it came, `index` messages from the start. */
export function findTurn({ role, parts }: Message, index: number): Turn {
  const at = `messages[${index}]`
  const placed = parts.map((part, each) => ({ part, at: `${at}.parts[${each}]` }))
  return { role, at, parts: placed, isRewritten: false }
}

export function readMessage({ role, parts }: Turn): Message {
  return { role, parts: parts.map(({ part }) => part) }
}

export function textAt(text: string, at: string): PlacedPart {
  return { part: { type: 'text', text }, at }
}

/** A turn with other parts; the same turn if none differs. */
export function withParts(turn: Turn, parts: readonly PlacedPart[], isRewritten = true): Turn {
  const isSame =
    parts.length === turn.parts.length && parts.every((part, index) => part === turn.parts[index])
  return isSame ? turn : { ...turn, parts, isRewritten: turn.isRewritten || isRewritten }
}

export function isThinking({ part }: PlacedPart): boolean {
  return part.type === 'thinking' || part.type === 'redacted_thinking'
}

export function hasCalls({ role, parts }: Turn): boolean {
  return role === 'assistant' && parts.some(({ part }) => part.type === 'tool_call')
}

// The facts about a provider that a repair needs

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
