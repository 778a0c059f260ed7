// A request independent of the wire format, for the assistant and the scripts.
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
