// What a provider counted, in the shape of any of them
import type { TokenUsage } from '../core/view/content.ts'

/** The usage of an answer, as the SDKs of Anthropic, OpenAI, the AI SDK and LangChain give it. */
export type UsageLike = Readonly<Record<string, unknown>>

/** Undefined where it has no count of what was sent. */
export function readUsage(usage: UsageLike | undefined | null): TokenUsage | undefined {
  if (!usage) return undefined
  const sent = first(usage, ['promptTokens', 'inputTokens', 'prompt_tokens', 'input_tokens'])
  if (sent === undefined) return undefined
  // Anthropic counts what was cached apart.
  const read = first(usage, ['cache_read_input_tokens']) ?? 0
  const wrote = first(usage, ['cache_creation_input_tokens']) ?? 0
  const answered =
    first(usage, ['completionTokens', 'outputTokens', 'completion_tokens', 'output_tokens']) ?? 0
  const promptTokens = sent + read + wrote
  return { promptTokens, completionTokens: answered, totalTokens: promptTokens + answered }
}

function first(usage: UsageLike, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = usage[name]
    const count =
      typeof value === 'object' && value !== null && 'total' in value ? value.total : value
    if (typeof count === 'number' && Number.isFinite(count) && count >= 0) return count
  }
  return undefined
}
