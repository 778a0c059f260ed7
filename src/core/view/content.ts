// Provider-neutral content of a thread: parts of messages, answers and tool results.
import type { Json } from '../text/json.ts'

/** `provider/model`, as in `anthropic/claude-opus-5`. */
export type ModelRef = `${string}/${string}`

/** A provider's billed usage of one request. Unknown counts are absent, never 0. */
export interface TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  /** The model asked, if no event tells (for summaries). Absent if several. */
  readonly model?: ModelRef
}

/** An image or document: inline bytes, or their location. */
export interface Media {
  readonly mimeType: string
  readonly data?: string // base64
  readonly uri?: string
  readonly text?: string // documents with plain text content
  readonly title?: string
  readonly widthPx?: number
  readonly heightPx?: number
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  /** The writer, if not the message's author: a client, a tool or a model. */
  readonly from?: 'client' | 'tool' | 'model'
  /** Pasted by the author: sent in their name, but not binding. */
  readonly isPasted?: true
  /** Fields only the original provider understands, such as citations. */
  readonly extra?: { readonly provider: string; readonly fields: Json }
}
export interface ThinkingPart {
  readonly type: 'thinking'
  readonly thinking: string // may be empty: some models keep only the signature
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
/** The place of a TOOL_CALL among its answer's parts. */
export interface ToolCallPlace {
  readonly type: 'tool_call'
  readonly callId: string
}
/** Server tools, reasoning items, unknown kinds: sent back unchanged to their provider only. */
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

/** One answer of a model: exactly one AGENT_MESSAGE. */
export interface Answer {
  readonly content: string // the text parts joined
  readonly parts?: readonly Part[]
  readonly model?: ModelRef
  readonly calls: readonly string[] // ids of its calls, in order; TOOL_CALL rows hold the arguments
  readonly stopReason?: StopReason
  readonly tokenUsage?: TokenUsage
  /** Usage of incomplete attempts: earlier ones, and itself if cut short. */
  readonly unfinishedUsage?: TokenUsage
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: Json
  readonly answer: number // number of its AGENT_MESSAGE
}

/** One block of a tool result. `native` keeps everything other fields cannot. */
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
  readonly content: readonly Block[] // complete
  /** What the model sees of a long result; building a request adds a ref to the whole. */
  readonly shown?: readonly Block[]
  readonly status: ToolStatus
  readonly metadata?: Json
  readonly tokenUsage?: TokenUsage
}

/** The text of user content, without media. */
export function textOfUserContent(content: UserContent): string {
  return typeof content === 'string' ? content : textOfParts(content)
}

/** Texts by the message's author, without those of clients, tools or models. */
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

/** A line this short may occur anywhere. */
const SHORTEST_PASTED_LINE = 3

/**
 * Splits a message into typed and pasted parts, for pastes of whole lines: a pasted path or word within a
 * typed line is the author's, the first or last of several pasted lines is not. The joined parts are the text.
 */
export function markPasted(text: string, pastes: readonly string[]): UserContent {
  const lines = pastes.map((paste) => paste.split(/\r\n?|\n/).map(plainLine))
  const whole = new Set(lines.flat().filter((line) => line.length >= SHORTEST_PASTED_LINE))
  const begun = lines.flatMap(([first = '', ...more]) =>
    more.length > 0 && first.length >= SHORTEST_PASTED_LINE ? [first] : [],
  )
  const ended = lines.flatMap((each) => {
    const [before, end] = each.slice(-2)
    return before === undefined || end === undefined ? [] : [[before, end] as const]
  })
  const parts: { text: string; isPasted: boolean }[] = []
  const add = (piece: string, isPasted: boolean) => {
    const last = parts.at(-1)
    if (last && (last.isPasted === isPasted || piece.trim() === '')) last.text += piece
    else if (piece !== '') parts.push({ text: piece, isPasted })
  }
  let previous = ''
  for (const line of text.split(/(?<=\n)/)) {
    const plain = plainLine(line)
    const first = begun.find((each) => plain.length > each.length && plain.endsWith(each))
    const last = ended.find(([before, end]) => {
      const isBehind = before === '' ? previous === '' : previous.endsWith(before)
      return isBehind && end !== '' && plain.length > end.length && plain.startsWith(end)
    })?.[1]
    const from = first === undefined ? -1 : line.lastIndexOf(first)
    const to = last !== undefined && line.includes(last) ? line.indexOf(last) + last.length : 0
    previous = plain
    if (whole.has(plain)) add(line, true)
    else {
      add(line.slice(0, to), true)
      add(line.slice(to, from > to ? from : undefined), false)
      if (from > to) add(line.slice(from), true)
    }
  }
  if (!parts.some(({ isPasted }) => isPasted)) return text
  return parts.map(({ text: piece, isPasted }) => ({
    type: 'text',
    text: piece,
    ...(isPasted && { isPasted }),
  }))
}

/** Editors strip controls from pastes and convert tabs. */
function plainLine(line: string): string {
  return line
    .replace(/[\t ]+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()
}
