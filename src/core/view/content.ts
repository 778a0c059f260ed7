// Content of a thread: parts of messages, answers and tool results, provider-neutral
import type { Json } from '../text/json.ts'

/** `provider/model`, as in `anthropic/claude-opus-5`. */
export type ModelRef = `${string}/${string}`

/** What a provider billed for one request. Unknown counts are absent, never 0. */
export interface TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  /** Who was asked, where no event says it: for a summary. Absent if several were. */
  readonly model?: ModelRef
}

/** An image or a document: inline bytes, or the place where they are. */
export interface Media {
  readonly mimeType: string
  readonly data?: string // base64
  readonly uri?: string
  readonly text?: string // documents whose content is plain text
  readonly title?: string
  readonly widthPx?: number
  readonly heightPx?: number
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  /** Who wrote it, where it was not the author of the message: a client, a tool or a model. */
  readonly from?: 'client' | 'tool' | 'model'
  /** The author brought it from elsewhere: it is theirs to send, and does not bind. */
  readonly isPasted?: true
  /** Fields that only the provider it came from understands (citations, for one). */
  readonly extra?: { readonly provider: string; readonly fields: Json }
}
export interface ThinkingPart {
  readonly type: 'thinking'
  readonly thinking: string // the empty string is legal: some models keep only the signature
  readonly signature?: string
  readonly model: ModelRef
}
export interface RedactedThinkingPart {
  readonly type: 'redacted_thinking'
  readonly data: string
  readonly model: ModelRef
}
export interface MediaPart {
  readonly type: 'image' | 'document'
  readonly media: Media
  readonly extra?: { readonly provider: string; readonly fields: Json }
}
/** Where a TOOL_CALL stands among the other parts of its answer. */
export interface ToolCallPlace {
  readonly type: 'tool_call'
  readonly callId: string
}
/** Server tools, reasoning items, unknown kinds: sent back unchanged to their provider, and to no other. */
export interface NativePart {
  readonly type: 'native'
  readonly provider: string
  readonly value: Json
}

export type Part =
  | TextPart
  | ThinkingPart
  | RedactedThinkingPart
  | MediaPart
  | ToolCallPlace
  | NativePart

/** A single plain text part is always written as a string. */
export type UserContent = string | readonly Part[]

export type StopReason = 'end' | 'tool_use' | 'length' | 'refusal' | 'aborted' | 'error'

/** One answer of a model. There is exactly one AGENT_MESSAGE for each. */
export interface Answer {
  readonly content: string // the text parts joined
  readonly parts?: readonly Part[]
  readonly model?: ModelRef
  readonly calls: readonly string[] // ids of its calls, in order; the TOOL_CALL rows hold the arguments
  readonly stopReason?: StopReason
  readonly tokenUsage?: TokenUsage
  /** What was spent on attempts that came to no end: those before it, and itself where it was cut short. */
  readonly unfinishedUsage?: TokenUsage
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: Json
  readonly answer: number // sequence number of its AGENT_MESSAGE
}

/** One block of a tool result. `native` keeps what no other field can. */
export interface Block {
  readonly type: 'text' | 'image' | 'resource' | 'native'
  readonly text?: string
  readonly data?: string
  readonly uri?: string
  readonly mimeType?: string
  readonly widthPx?: number
  readonly heightPx?: number
  readonly provider?: string
  readonly value?: Json
}

export type ToolStatus = 'completed' | 'failed' | 'aborted' | 'denied'

export interface ToolResult {
  readonly id?: string
  readonly content: readonly Block[] // the whole
  /** What the model sees of it, where the whole is too long; the builder adds the ref of the whole. */
  readonly shown?: readonly Block[]
  readonly status: ToolStatus
  readonly metadata?: Json
  readonly tokenUsage?: TokenUsage
}

/** The text of user content, without its media. */
export function textOfUserContent(content: UserContent): string {
  return typeof content === 'string' ? content : textOfParts(content)
}

/** The texts that the author of a message wrote: none that a client, a tool or a model put beside them. */
export function ownTexts(content: UserContent): string[] {
  return textPartsOf(content).flatMap(({ text, from }) => (from === undefined ? [text] : []))
}

export function textPartsOf(content: UserContent): TextPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.filter((part) => part.type === 'text')
}

/** The text parts of an answer or a message, joined. */
export function textOfParts(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** As short a line as this is a word that may stand anywhere. */
const SHORTEST_PASTED_LINE = 3

/**
 * A message with what was pasted into it as parts of their own, where whole lines of it were: a path or a
 * word within a typed line is the author's. The parts joined are the text.
 */
export function markPasted(text: string, pastes: readonly string[]): UserContent {
  const lines = pastes.map((paste) => paste.split(/\r\n?|\n/).map(plainLine))
  const whole = new Set(lines.flat().filter((line) => line.length >= SHORTEST_PASTED_LINE))
  const begun = lines.flatMap(([first = '', ...more]) =>
    more.length > 0 && first.length >= SHORTEST_PASTED_LINE ? [first] : [],
  )
  const parts: { text: string; isPasted: boolean }[] = []
  const add = (piece: string, isPasted: boolean) => {
    const last = parts.at(-1)
    if (last && (last.isPasted === isPasted || piece.trim() === '')) last.text += piece
    else if (piece !== '') parts.push({ text: piece, isPasted })
  }
  for (const line of text.split(/(?<=\n)/)) {
    const plain = plainLine(line)
    const first = begun.find((each) => plain.length > each.length && plain.endsWith(each))
    const at = first === undefined ? -1 : line.lastIndexOf(first)
    if (at > 0) add(line.slice(0, at), false)
    add(line.slice(Math.max(0, at)), at > 0 || whole.has(plain))
  }
  if (!parts.some(({ isPasted }) => isPasted)) return text
  return parts.map(({ text: piece, isPasted }) => ({
    type: 'text',
    text: piece,
    ...(isPasted && { isPasted }),
  }))
}

/** An editor takes controls out of what is pasted, and makes blanks of a tab. */
function plainLine(line: string): string {
  return line
    .replace(/[\t ]+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()
}
