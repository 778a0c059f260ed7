// A message under repair: its parts with their places, and the list of changes.
import type { Message, MessagePart } from '../view/message.ts'

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

/** One change: what, in terms of the input, and why. */
export interface RepairChange {
  readonly what: RepairKind
  readonly where: string // `messages[3].parts[1]`
  readonly why: string
}

/** The end of a reason for dropped thinking. */
export const LEFT_OUT = '; it was left out'

export interface PlacedPart {
  readonly part: MessagePart
  readonly at: string
}

export interface Turn {
  readonly role: Message['role']
  readonly at: string
  readonly parts: readonly PlacedPart[]
  /** Its content has changed, so later thinking had another prefix. */
  readonly isRewritten: boolean
}

/** Collects changes. Every pass uses it, so nothing changes silently. */
export class Changes {
  readonly list: RepairChange[] = []

  add(what: RepairKind, where: string, why: string): void {
    this.list.push({ what, where, why })
  }
}

/** A message as given, with its index. */
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
