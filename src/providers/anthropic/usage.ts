// Anthropic's figures and reasons as those of précis.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { StopReason, TokenUsage } from '../../core/view/content.ts'

/**
 * What the whole prompt had: the API counts the cached parts apart, `promptTokens` holds them all.
 * A figure that was not reported stays absent; without input and output figures there is no usage.
 */
export function usageOf(reported: Json | undefined): TokenUsage | undefined {
  if (!isFields(reported)) return undefined
  const input = countOf(reported, 'input_tokens')
  const output = countOf(reported, 'output_tokens')
  if (input === undefined || output === undefined) return undefined
  const cacheRead = countOf(reported, 'cache_read_input_tokens')
  const cacheWrite = countOf(reported, 'cache_creation_input_tokens')
  const promptTokens = input + (cacheRead ?? 0) + (cacheWrite ?? 0)
  return {
    promptTokens,
    completionTokens: output,
    totalTokens: promptTokens + output,
    ...(cacheRead !== undefined && { cacheReadTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
  }
}

/** The figures at the start, and those at the end where they say more. Nulls say nothing. */
export function mergedUsage(start: Json | undefined, end: Json | undefined): Json | undefined {
  const both = { ...knownFields(start), ...knownFields(end) }
  return Object.keys(both).length === 0 ? undefined : both
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  compaction: 'end', // the provider's own summary is complete
  tool_use: 'tool_use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  // A server tool takes long: the answer is not complete, and continues when it is sent back as it is.
  pause_turn: 'length',
  refusal: 'refusal',
}

/** A reason that is not known yet is no success. */
export function stopReasonOf(raw: string | undefined): StopReason {
  return STOP_REASONS[raw ?? ''] ?? 'error'
}

function knownFields(value: Json | undefined): Fields {
  if (!isFields(value)) return {}
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
}

function countOf(fields: Fields, name: string): number | undefined {
  const value = fields[name]
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
