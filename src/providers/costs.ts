// The cost of an answer, from its usage and the listed prices.
import type { TokenUsage } from '../core/view/content.ts'
import { type ModelInfo, modelInfo, type Prices } from './catalogue.ts'

export interface CostOptions {
  /** Lifetime of cache entries; a longer one costs more. */
  readonly cacheLife?: '5m' | '1h'
}

const MILLION = 1_000_000

/**
 * In US dollars; undefined without a known price. Cache reads and writes are part of `promptTokens` with
 * their own prices; without one they cost as much as the rest of the prompt.
 */
export function costOf(
  usage: TokenUsage,
  model: string | ModelInfo,
  { cacheLife = '5m' }: CostOptions = {},
): number | undefined {
  const { price } = typeof model === 'string' ? modelInfo(model) : model
  if (price === undefined) return undefined
  const { promptTokens, completionTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const { long } = price
  const rates: Prices = long !== undefined && promptTokens > long.aboveTokens ? long : price
  const freshTokens = Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens)
  const write = (cacheLife === '1h' ? rates.cacheWrite1h : undefined) ?? rates.cacheWrite5m
  return (
    (freshTokens * rates.input +
      cacheReadTokens * (rates.cacheRead ?? rates.input) +
      cacheWriteTokens * (write ?? rates.input) +
      completionTokens * rates.output) /
    MILLION
  )
}
