// The interface of a message format: reads a message into pieces, and writes pieces back without touching the
// rest.
import { fieldsIn, type Json, listIn, textIn } from '../core/text/json.ts'
import {
  type Block,
  type Part,
  type ToolResult,
  textOfParts,
  type UserContent,
} from '../core/view/content.ts'

export type FormatId = 'anthropic' | 'openai-chat' | 'openai-responses' | 'ai-sdk' | 'langchain'

/** A message of any format: only its dialect knows its fields. */
export type AnyMessage = Readonly<Record<string, unknown>>

export interface ReadCall {
  readonly id: string
  readonly name: string
  readonly arguments: Json
}

/**
 * One piece of a message. `at` are its content part indices; absent: the whole message. `kept` content is
 * never compacted; `attached` belongs to the previous answer.
 */
export type Piece = { readonly at?: readonly number[] } & (
  | { readonly kind: 'system' | 'kept'; readonly text: string }
  | { readonly kind: 'user'; readonly content: UserContent }
  | {
      readonly kind: 'answer'
      readonly parts: readonly Part[]
      readonly calls: readonly ReadCall[]
      /** Consecutive messages form one answer: items of the Responses API. */
      readonly joins?: true
    }
  | {
      readonly kind: 'result'
      readonly result: ToolResult
      /** Stays unchanged, with its call. */
      readonly isKept?: boolean
    }
  | { readonly kind: 'attached' }
)

/** New content for a piece of a message. */
export type Rewritten =
  | { readonly kind: 'user'; readonly content: UserContent }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'result'; readonly content: readonly Block[] }

/** What remains of a message: unchanged and rewritten pieces, in order. */
export interface Remaining {
  readonly at?: readonly number[] | undefined
  readonly rewritten?: Rewritten | undefined
}

export interface Dialect {
  readonly id: FormatId
  /** `yes` if only this format writes such a message, `no` if it cannot be one, `maybe` otherwise. */
  matches(message: AnyMessage): 'yes' | 'no' | 'maybe'
  read(message: AnyMessage): readonly Piece[]
  /** A copy of the message with the remaining pieces. Other fields stay. */
  rebuild(message: AnyMessage, remaining: readonly Remaining[]): AnyMessage
  /** What must precede a message, if the provider binds them; and the message without the bond. */
  readonly bond?: {
    needs(messages: readonly AnyMessage[], number: number): readonly number[]
    free(message: AnyMessage): AnyMessage
  }
  /** A new message. `like` are the conversation's messages, whose classes it may need. */
  make(role: 'user' | 'assistant', text: string, like: readonly AnyMessage[]): AnyMessage
}

/** The content parts behind neutral parts and blocks, which strategies pass on unchanged. */
const originals = new WeakMap<object, unknown>()

export function rememberOriginal<T extends object>(made: T, original: unknown): T {
  originals.set(made, original)
  return made
}

export function originalOf(made: object): unknown {
  return originals.get(made)
}

/** For a part read from a store: undefined links it to nothing. */
export function linkIfNew(part: object, original: unknown): void {
  if (original !== undefined && !originals.has(part)) originals.set(part, original)
}

/** Writes neutral parts as content; original parts are reused. */
export function writeParts(
  parts: readonly (Part | Block)[],
  textPart: (text: string) => unknown,
): unknown[] {
  return parts.map((part) =>
    originals.has(part) ? originals.get(part) : textPart('text' in part ? (part.text ?? '') : ''),
  )
}

export function hasOnlyText(parts: readonly (Part | Block)[]): boolean {
  return parts.every((part) => part.type === 'text')
}

/** The joined texts of blocks. */
export function joinTexts(blocks: readonly { readonly text?: string }[]): string {
  return blocks.map(({ text }) => text ?? '').join('\n')
}

/** The text of a content field: a string, or a list of parts. */
export function textsIn(content: unknown): string {
  if (typeof content === 'string') return content
  return joinTexts(listIn(content).map((part) => ({ text: textIn(fieldsIn(part).text) ?? '' })))
}

export function readContent(content: unknown, readPart: (value: unknown) => Part): string | Part[] {
  return Array.isArray(content) ? content.map(readPart) : (textIn(content) ?? '')
}

export function textOfContent(content: UserContent): string {
  return typeof content === 'string' ? content : textOfParts(content)
}

/** The remaining parts of a list, with rewritten ones replaced. */
export function rebuildList(
  list: readonly unknown[],
  remaining: readonly Remaining[],
  write: (rewritten: Rewritten, originals: readonly unknown[]) => readonly unknown[],
): unknown[] {
  const all = list.map((_, index) => index)
  return remaining
    .flatMap(({ at = all, rewritten }) => {
      const parts = at.map((index) => ({ index, part: list[index] }))
      if (!rewritten) return parts
      const [first = 0] = at
      const before = parts.map(({ part }) => part)
      return write(rewritten, before).map((part) => ({ index: first, part }))
    })
    .toSorted((one, other) => one.index - other.index)
    .map(({ part }) => part)
}

/** An answer's other parts: calls, thinking, media. */
export function withoutTexts(parts: readonly unknown[]): readonly unknown[] {
  return parts.filter((part) => fieldsIn(part).type !== 'text')
}

/**
 * A copy of the same class with changed fields; undefined removes one. Also updates LangChain's constructor
 * arguments. The original may be frozen; the copy is not.
 */
export function copyWith(value: object, changes: Readonly<Record<string, unknown>>): AnyMessage {
  const fields = Object.getOwnPropertyDescriptors(value)
  for (const field of Object.values(fields)) {
    field.configurable = true
    if ('value' in field) field.writable = true
  }
  const copy = Object.create(Object.getPrototypeOf(value), fields)
  for (const [name, field] of Object.entries(changes)) {
    if (field === undefined) delete copy[name]
    else copy[name] = field
  }
  if (typeof copy.lc_kwargs === 'object')
    copy.lc_kwargs = { ...fieldsIn(copy.lc_kwargs), content: copy.content }
  return copy
}

/** A value as JSON for the log: bytes become their number, other non-JSON is dropped. */
export function plain(value: unknown, depth = 0): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || depth > MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((each) => plain(each, depth + 1))
  const bytes = byteLength(value)
  if (bytes !== undefined) return { bytes }
  const written = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value
  if (written !== value) return plain(written, depth + 1)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined && typeof each !== 'function')
      .map(([name, each]) => [name, plain(each, depth + 1)]),
  )
}

const MAX_DEPTH = 200

export function byteLength(value: unknown): number | undefined {
  const isBytes = value instanceof ArrayBuffer || ArrayBuffer.isView(value)
  return isBytes ? value.byteLength : undefined
}

/** Stands for this many bytes in base64 where only the length counts. */
export function makeBase64(bytes: number): string {
  return 'A'.repeat(Math.ceil((bytes * 4) / 3))
}

/** Arguments written as JSON text. Invalid text stays text. */
export function argumentsIn(value: unknown): Json {
  if (typeof value !== 'string') return plain(value ?? {})
  if (value.trim() === '') return {}
  try {
    return JSON.parse(value) as Json
  } catch {
    return value
  }
}
