// A request independent of the wire format, for the assistant and the scripts.
import { createHash } from 'node:crypto'
import type { Json } from '../core/text/json.ts'

export type WireId = 'anthropic' | 'openai-chat' | 'openai-responses' | 'ollama'

export type AskedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly arguments: Json }
  | {
      readonly type: 'result'
      readonly id: string
      readonly text: string
      readonly failed: boolean
    }

export interface AskedTurn {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly AskedPart[]
}

export interface OfferedTool {
  readonly name: string
  readonly schema: Json // JSON Schema of its arguments
  /** Responses API only: the group of the tool, which a call must name. */
  readonly namespace?: string
}

/** `any`: must call some tool; a name: must call that one. */
export type ToolChoice = 'auto' | 'none' | 'any' | { readonly name: string }

export interface Asked {
  readonly wire: WireId
  readonly model: string
  readonly system: string
  readonly turns: readonly AskedTurn[]
  readonly tools: readonly OfferedTool[]
  readonly toolChoice: ToolChoice
  readonly parallelCalls: boolean
  readonly thinking: boolean
  readonly stream: boolean
  readonly stopSequences: readonly string[]
  /** Absent if the client sets no limit. */
  readonly maxOutputTokens?: number
  /** The client asks the provider to compact everything (VALID-A15). */
  readonly compaction?: { readonly instructions?: string }
}

/** The index of the last turn with text from the user, not only tool results; -1 if there is none. */
export function lastUserTurn({ turns }: Asked): number {
  return turns.findLastIndex(({ role, parts }) => role === 'user' && textIn(parts) !== '')
}

/** The user's text without marks added by agents. */
export function textIn(parts: readonly AskedPart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .replaceAll(/^<checkpoint:[A-Za-z0-9]{6}>$/gm, '')
    .replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .trim()
}

/** A text that replaces the user's after a compaction; it asks for nothing. */
export function isNote(text: string): boolean {
  return NOTE.test(text)
}

const NOTE = /^\s*\[(?:Context note, not a (?:new )?request: |earlier conversation compacted\])/

/** The text of a result or a list of content; other content is dropped. */
export function textOfContent(content: Json | undefined): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((part: Json) => {
      const isText = typeof part === 'object' && part !== null && 'text' in part
      return isText && typeof part.text === 'string' ? [part.text] : []
    })
    .join('\n')
}

// Short, deterministic names for contents.

/** A hex hash of several texts, including their boundaries. */
export function digest(...texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text.length}:`).update(text)
  return hash.digest('hex')
}

/** The content as sent, without cache marks, which are not part of a prompt. */
export function promptText(value: Json): string {
  return JSON.stringify(value, (key, each: Json) => (key === 'cache_control' ? undefined : each))
}

/** A word of letters and digits, usable in an id. */
export function readId(prefix: string, ...texts: readonly string[]): string {
  return `${prefix}${digest(...texts).slice(0, 24)}`
}

// Signatures prove that a text is ours and unchanged, its model, and its prefix.

/** The content of a signature; `payload` replaces the text of `redacted_thinking`. */
export interface Seal {
  readonly prefix: string // hash of what precedes the block; for a compaction, of what it replaces
  readonly model: string // hash of the model's name
  readonly check: string // hash of all this and the sealed text
  readonly payload: string
}

const MARK = 'dev1'
const HASH_CHARS = 20

export function sealed(
  kind: string,
  text: string,
  of: { prefix: string; model: string },
  payload = '',
): string {
  const [prefix, model] = [short(of.prefix), short(digest(of.model))]
  const check = short(digest(kind, text, prefix, model, payload))
  return Buffer.from([MARK, prefix, model, check, payload].join('.')).toString('base64')
}

/** The seal in a signature; undefined if it is not ours or the text was changed. */
export function unsealed(kind: string, text: string, signature: string): Seal | undefined {
  const [mark, prefix = '', model = '', check = '', ...rest] = Buffer.from(signature, 'base64')
    .toString('utf8')
    .split('.')
  const payload = rest.join('.')
  const isOurs = mark === MARK && check === short(digest(kind, text, prefix, model, payload))
  return isOurs ? { prefix, model, check, payload } : undefined
}

export function isBoundTo(seal: Seal, prefix: string): boolean {
  return seal.prefix === short(prefix)
}

export function isOfModel(seal: Seal, model: string): boolean {
  return seal.model === short(digest(model))
}

function short(hash: string): string {
  return hash.slice(0, HASH_CHARS)
}
