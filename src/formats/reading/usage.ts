// What a call was billed, from the counts that a file has: each tool draws the lines elsewhere.
import type { Json } from '../../core/text/json.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { countIn } from './fields.ts'

export interface Counts {
  readonly input: Json | undefined
  readonly output: Json | undefined
  readonly cacheRead?: Json | undefined
  readonly cacheWrite?: Json | undefined
  /** Billed as output, and not among it. */
  readonly reasoning?: Json | undefined
  /** Whether the input counts what came from the cache as well. */
  readonly inputHoldsCache: boolean
}

/** Undefined where a count is missing, and where all are 0: then nobody counted. */
export function usageFrom(counts: Counts): TokenUsage | undefined {
  const input = countIn(counts.input)
  const output = countIn(counts.output)
  if (input === undefined || output === undefined) return undefined
  const read = countIn(counts.cacheRead)
  const written = countIn(counts.cacheWrite)
  const promptTokens = counts.inputHoldsCache ? input : input + (read ?? 0) + (written ?? 0)
  const completionTokens = output + (countIn(counts.reasoning) ?? 0)
  if (promptTokens + completionTokens === 0) return undefined
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    ...(read !== undefined && { cacheReadTokens: read }),
    ...(written !== undefined && { cacheWriteTokens: written }),
  }
}
