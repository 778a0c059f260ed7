// Converts OpenAI's usage; cached tokens are part of the prompt tokens
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { TokenUsage } from '../../core/view/content.ts'

/** Of Chat Completions. DeepSeek has a name of its own for what came out of the cache. */
export function chatUsage(reported: Json | undefined): TokenUsage | undefined {
  if (!isFields(reported)) return undefined
  const details = fieldsIn(reported, 'prompt_tokens_details')
  return usageOf(
    count(reported, 'prompt_tokens'),
    count(reported, 'completion_tokens'),
    count(details, 'cached_tokens') ?? count(reported, 'prompt_cache_hit_tokens'),
    count(details, 'cache_write_tokens'),
  )
}

/** Of Responses. */
export function responsesUsage(reported: Json | undefined): TokenUsage | undefined {
  if (!isFields(reported)) return undefined
  const details = fieldsIn(reported, 'input_tokens_details')
  return usageOf(
    count(reported, 'input_tokens'),
    count(reported, 'output_tokens'),
    count(details, 'cached_tokens'),
    count(details, 'cache_write_tokens'),
  )
}

/** Without both figures there is no usage: unknown is not zero. */
function usageOf(
  prompt: number | undefined,
  completion: number | undefined,
  cacheRead: number | undefined,
  cacheWrite: number | undefined,
): TokenUsage | undefined {
  if (prompt === undefined || completion === undefined) return undefined
  return {
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: prompt + completion,
    ...(cacheRead !== undefined && { cacheReadTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
  }
}

function fieldsIn(fields: Fields, name: string): Fields {
  const value = fields[name]
  return isFields(value) ? value : {}
}

function count(fields: Fields, name: string): number | undefined {
  const value = fields[name]
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
