// Usage and stop reason of an answer, for each wire.
import { countIn, fieldsIn, type Json } from '../core/text/json.ts'
import type { StopReason, TokenUsage } from '../core/view/content.ts'

/** The billed counts of a call; each API divides them differently. */
export interface Counts {
  readonly input: Json | undefined
  readonly output: Json | undefined
  readonly cacheRead?: Json | undefined
  readonly cacheWrite?: Json | undefined
  /** Billed as output, but not included in it. */
  readonly reasoning?: Json | undefined
  /** Whether the input includes cached tokens. */
  readonly inputHoldsCache: boolean
}

/** Undefined without both figures: unknown is not zero. `promptTokens` is the whole prompt. */
export function readUsage(counts: Counts): TokenUsage | undefined {
  const input = countIn(counts.input)
  const output = countIn(counts.output)
  if (input === undefined || output === undefined) return undefined
  const read = countIn(counts.cacheRead)
  const written = countIn(counts.cacheWrite)
  const promptTokens = counts.inputHoldsCache ? input : input + (read ?? 0) + (written ?? 0)
  const completionTokens = output + (countIn(counts.reasoning) ?? 0)
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    ...(read !== undefined && { cacheReadTokens: read }),
    ...(written !== undefined && { cacheWriteTokens: written }),
  }
}

/** The API counts cached parts separately. */
export function anthropicUsage(reported: Json | undefined): Counts {
  const usage = fieldsIn(reported)
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
    inputHoldsCache: false,
  }
}

/** DeepSeek uses another name for cache hits. */
export function chatUsage(reported: Json | undefined): Counts {
  const usage = fieldsIn(reported)
  const details = fieldsIn(usage.prompt_tokens_details)
  return {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cacheRead: countIn(details.cached_tokens) ?? usage.prompt_cache_hit_tokens,
    cacheWrite: details.cache_write_tokens,
    inputHoldsCache: true,
  }
}

export function responsesUsage(reported: Json | undefined): Counts {
  const usage = fieldsIn(reported)
  const details = fieldsIn(usage.input_tokens_details)
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: details.cached_tokens,
    cacheWrite: details.cache_write_tokens,
    inputHoldsCache: true,
  }
}

export const ANTHROPIC_STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  compaction: 'end', // the provider's own summary is complete
  tool_use: 'tool_use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  // A long-running server tool: the answer is incomplete, and continues when sent back.
  pause_turn: 'length',
  refusal: 'refusal',
}
