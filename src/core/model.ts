// Model access as a port: a request in nobody's wire format, and what streams back.
import type { Part, StopReason, TokenUsage } from './content.ts'
import type { Json } from './json.ts'
import type { Message } from './message.ts'
import type { Signal } from './ports.ts'

export interface ToolSchema {
  readonly name: string
  readonly description: string
  readonly inputSchema: Json // JSON Schema
}

export interface ModelRequest {
  readonly model: string // without the provider
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSchema[]
  /** `none` sends the same tools and forbids calling them: the cached prefix stays. */
  readonly toolChoice: 'auto' | 'none'
  readonly maxOutputTokens: number
  readonly thinking?: { readonly budgetTokens: number }
  /** Places cache marks on the stable prefix. */
  readonly cache: boolean
  readonly signal?: Signal
}

/** What arrives while a model answers. Parts come whole at their end, in order. */
export type ModelFrame =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  | { readonly type: 'part'; readonly part: Part }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly arguments: Json }
  | { readonly type: 'end'; readonly stopReason: StopReason; readonly usage?: TokenUsage; readonly raw?: Json }

/** One provider's API. Rejects with PrecisErrors only; an aborted signal rejects with `aborted`. */
export interface Provider {
  readonly id: string
  stream(request: ModelRequest): AsyncIterable<ModelFrame>
  /** Absent where the API has no such call. */
  countTokens?(request: ModelRequest): Promise<number>
  /** The window of a model, where the server can be asked. */
  windowOf?(model: string, signal?: Signal): Promise<number | undefined>
}
