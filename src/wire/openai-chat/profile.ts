// Differences between servers that speak Chat Completions
import type { ThinkingWish } from '../../core/model.ts'
import type { Accepts } from './pieces.ts'

export interface ChatProfile {
  /** The id of the provider: thinking of its own models may go back to it, no other's. */
  readonly provider: string
  /** Servers with templates: roles alternate, the user opens, one system message, no null content. */
  readonly strict: boolean
  /** Backends with rules of their own (VALID-O3 to -O5). */
  readonly backend?: 'mistral' | 'deepseek' | 'qwen'
  readonly systemRole: 'system' | 'developer'
  readonly accepts: Accepts
  /** Under which name the server takes the limit of the answer. */
  readonly outputLimit: 'max_completion_tokens' | 'max_tokens'
  /** Whether `reasoning_effort` may be sent. */
  readonly takesEffort: boolean
}

/** The original: api.openai.com. */
export const OPENAI_CHAT: ChatProfile = {
  provider: 'openai-chat',
  strict: false,
  systemRole: 'system',
  accepts: { images: 'any', files: true },
  outputLimit: 'max_completion_tokens',
  takesEffort: true,
}

/** Any other server: the narrowest reading of the format. */
export const COMPATIBLE_CHAT: ChatProfile = {
  provider: 'openai-compatible',
  strict: true,
  systemRole: 'system',
  accepts: { images: 'any', files: false },
  outputLimit: 'max_tokens',
  takesEffort: false,
}

/** Thinking effort as a word, for wires without a token number */
type Effort = NonNullable<ThinkingWish['effort']>

const LOW_TOKENS = 4_096

const MEDIUM_TOKENS = 12_288

/** Undefined if the wish names neither: the model's own default. */
export function readEffort({ effort, budgetTokens }: ThinkingWish): Effort | undefined {
  if (effort !== undefined || budgetTokens === undefined) return effort
  if (budgetTokens <= LOW_TOKENS) return 'low'
  return budgetTokens <= MEDIUM_TOKENS ? 'medium' : 'high'
}
