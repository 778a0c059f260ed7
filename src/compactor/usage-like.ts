// What a provider counted, in the shape of any of them
import { fieldsIn, isRecord } from '../core/text/json.ts'
import type { TokenUsage } from '../core/view/content.ts'

/**
 * The usage of an answer in the shape of the Anthropic, OpenAI, AI SDK or LangChain SDK. Their types are
 * interfaces.
 */
export type UsageLike = object

const SENT = ['promptTokens', 'inputTokens', 'prompt_tokens', 'input_tokens']

/** What is wrong with a usage, as `must …`. A missing or zero count is fine. */
export function usageProblem(usage: unknown): string | undefined {
  const isObject = typeof usage === 'object' && usage !== null
  const isOpen = SENT.some((name) => {
    const value = Object(usage)[name]
    return Object.hasOwn(Object(usage), name) && isLeftOpen(isRecord(value) ? value.total : value)
  })
  if (isObject && (isOpen || readUsage(usage))) return undefined
  const shown = isObject ? (JSON.stringify(usage) ?? '').slice(0, 80) : String(usage)
  return `must have a count of what was sent, such as { input_tokens: 900 }, not ${shown}`
}

function isLeftOpen(count: unknown): boolean {
  return count === undefined || count === null || count === 0
}

/** Undefined without a count of the request: some servers report 0. */
export function readUsage(usage: UsageLike | undefined | null): TokenUsage | undefined {
  if (!usage) return undefined
  const sent = first(usage, SENT)
  if (sent === undefined) return undefined
  // Anthropic counts cached tokens separately.
  const read = first(usage, ['cache_read_input_tokens']) ?? 0
  const wrote = first(usage, ['cache_creation_input_tokens']) ?? 0
  const answered =
    first(usage, ['completionTokens', 'outputTokens', 'completion_tokens', 'output_tokens']) ?? 0
  const promptTokens = sent + read + wrote
  if (promptTokens === 0) return undefined
  return { promptTokens, completionTokens: answered, totalTokens: promptTokens + answered }
}

function first(usage: UsageLike, names: readonly string[]): number | undefined {
  const fields = fieldsIn<unknown>(usage)
  for (const name of names) {
    const value = fields[name]
    const count =
      typeof value === 'object' && value !== null && 'total' in value ? value.total : value
    if (typeof count === 'number' && Number.isFinite(count) && count >= 0) return count
  }
  return undefined
}
