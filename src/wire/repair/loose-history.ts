// A document of any shape as messages: gathered item by item, each part with the place it came from.
import type { LooseMessage } from '../../core/repair/repair.ts'
import type { RepairChange, RepairKind } from '../../core/repair/turn.ts'
import type { Fields, Json } from '../../core/text/json.ts'
import type { MessagePart } from '../../core/view/message.ts'

export interface LooseHistory {
  readonly messages: readonly LooseMessage[]
  readonly system: readonly string[]
  /** The document without its messages, for the writer of the format. An array stays one. */
  readonly envelope: Json
  /** What could not be read as it stands, or will be missing when it is written again. */
  readonly changes: readonly RepairChange[]
  /** Absent if places in the messages are places in the document. */
  readonly places?: readonly Place[]
}

/** Where a message is in its document, and where each of its parts does. */
export interface Place {
  readonly at: string
  readonly parts: readonly string[]
}

interface OpenMessage {
  readonly role: LooseMessage['role']
  readonly at: string
  readonly parts: MessagePart[]
  readonly places: string[]
}

export interface PlacedPart {
  readonly part: MessagePart
  readonly at: string
}

/** Several items of a wire can be one message: results with what follows them, the items of an answer. */
export class LooseTurns {
  readonly changes: RepairChange[] = []
  readonly #messages: OpenMessage[] = []

  note(what: RepairKind, where: string, why: string): void {
    this.changes.push({ what, where, why })
  }

  /** Metadata says nothing to the model; what is null or empty says nothing to anybody. */
  noteFields(rest: Fields, at: string): void {
    const names = Object.keys(rest).filter((name) => !isNothing(rest[name]))
    if (names.length > 0)
      this.note('left-out-field', at, `fields that are not written again: ${names.join(', ')}`)
  }

  unreadable(value: Json, at: string, why: string): PlacedPart[] {
    this.note('unreadable', at, `${why}; it became text`)
    return [{ part: inWords(value), at }]
  }

  add(role: LooseMessage['role'], at: string, parts: readonly PlacedPart[]): void {
    const message = { role, at, parts: [], places: [] }
    this.#messages.push(message)
    push(message, parts)
  }

  /** What the model gave out in one go is one answer. */
  addToAnswer(at: string, parts: readonly PlacedPart[]): void {
    const last = this.#messages.at(-1)
    if (last?.role === 'assistant' && last.parts.length > 0 && parts.length > 0) push(last, parts)
    else this.add('assistant', at, parts)
  }

  /** Results, and the words of a user right behind them, are one message. */
  addToResults(at: string, parts: readonly PlacedPart[]): void {
    const last = this.#messages.at(-1)
    const isResults =
      last?.role === 'user' && last.parts.length > 0 && last.parts.every(isResultLike)
    if (last && isResults && parts.length > 0) push(last, parts)
    else this.add('user', at, parts)
  }

  finish(system: readonly string[], envelope: Json): LooseHistory {
    return {
      messages: this.#messages.map(({ role, parts }) => ({ role, parts })),
      places: this.#messages.map(({ at, places }) => ({ at, parts: places })),
      system,
      envelope,
      changes: this.changes,
    }
  }
}

export function inWords(value: Json): MessagePart {
  return { type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }
}

/** The arguments of a call, which are there as JSON text. What is none stays the text it is. */
export function argumentsIn(value: Json | undefined): Json {
  if (typeof value !== 'string') return value ?? {}
  if (value.trim() === '') return {}
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function push(message: OpenMessage, parts: readonly PlacedPart[]): void {
  for (const { part, at } of parts) {
    message.parts.push(part)
    message.places.push(at)
  }
}

function isResultLike({ type }: MessagePart): boolean {
  return type === 'tool_result' || type === 'native'
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}
