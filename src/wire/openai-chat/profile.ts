// Differences between servers that speak Chat Completions.
import type { ThinkingWish } from '../../core/model.ts'
import type { Accepts } from '../pieces.ts'

export interface ChatProfile {
  /** The provider id: only thinking of its own models may be sent back. */
  readonly provider: string
  /** Servers with templates: alternating roles, the user first, one system message, no null content. */
  readonly strict: boolean
  /** Backends with their own rules (VALID-O3 to -O5). */
  readonly backend?: 'mistral' | 'deepseek' | 'qwen'
  readonly systemRole: 'system' | 'developer'
  readonly accepts: Accepts
  /** The server's name for the output limit. */
  readonly outputLimit: 'max_completion_tokens' | 'max_tokens'
  /** Whether the server accepts `reasoning_effort`. */
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

/** Any other server: the strictest reading of the format. */
export const COMPATIBLE_CHAT: ChatProfile = {
  provider: 'openai-compatible',
  strict: true,
  systemRole: 'system',
  accepts: { images: 'any', files: false },
  outputLimit: 'max_tokens',
  takesEffort: false,
}

/** Thinking effort as a word, for wires without a token number. */
type Effort = NonNullable<ThinkingWish['effort']>

const LOW_TOKENS = 4_096

const MEDIUM_TOKENS = 12_288

/** Undefined without either: the model's own default. */
export function readEffort({ effort, budgetTokens }: ThinkingWish): Effort | undefined {
  if (effort !== undefined || budgetTokens === undefined) return effort
  if (budgetTokens <= LOW_TOKENS) return 'low'
  return budgetTokens <= MEDIUM_TOKENS ? 'medium' : 'high'
}
