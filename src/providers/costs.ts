// The cost of an answer, from its usage and the listed prices
import type { TokenUsage } from '../core/view/content.ts'
import { type ModelInfo, modelInfo, type Prices } from './catalogue.ts'

export interface CostOptions {
  /** How long the cache keeps what is written; longer costs more. */
  readonly cacheLife?: '5m' | '1h'
}

const MILLION = 1_000_000

/**
 * In US dollars; undefined if the price is not known. Cache reads and writes are part of
 * `promptTokens` and have prices of their own; without one they cost what the rest of the prompt does.
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
