// The cost of an answer, from its usage and the listed prices
import type { Clock } from '../core/ports.ts'
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

interface Kept<T> {
  readonly value: T
  readonly untilMs: number
}

/** A cache with two limits: how many it keeps, and for how long. */
export class LimitedCache<T> {
  readonly #maxEntries: number
  readonly #clock: Clock
  readonly #entries = new Map<string, Kept<T>>()

  constructor(maxEntries: number, clock: Clock) {
    this.#maxEntries = maxEntries
    this.#clock = clock
  }

  /** Undefined if it was never set, is too old, or had to make room. */
  get(key: string): Kept<T>['value'] | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.untilMs > this.#nowMs() ? entry.value : undefined
  }

  set(key: string, value: T, keepMs: number): void {
    this.#entries.delete(key) // so that it stands last: the first is the oldest
    this.#entries.set(key, { value, untilMs: this.#nowMs() + keepMs })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest)
  }

  #nowMs(): number {
    return this.#clock.now().getTime()
  }
}
