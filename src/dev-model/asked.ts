// A request in no wire format: what the assistant and the scripts look at.
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
}

/** `any`: some tool must be called; a name: that one. */
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
  /** The client asks the provider for a compaction of everything (VALID-A15). */
  readonly compaction?: { readonly instructions?: string }
}

/** The place of the last turn in which the user says something, not only a tool. -1 if none does. */
export function lastUserTurn({ turns }: Asked): number {
  return turns.findLastIndex(({ role, parts }) => role === 'user' && textIn(parts) !== '')
}

/** What was said, without the marks that an agent puts among the words: they ask for nothing. */
export function textIn(parts: readonly AskedPart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .replaceAll(/^<checkpoint:[A-Za-z0-9]{6}>$/gm, '')
    .replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .trim()
}

/** The result of a call or a content that is a list, as text; what is not a text is left out. */
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
