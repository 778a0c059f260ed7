// Usage figures of a thread: the sums of the LOG design, and those for interfaces.
import type { Reading } from '../../core/edit/change.ts'
import type { AggregatedUsage } from '../../core/window/usage.ts'
import type { ContextFigures, TokenUsageFigures } from '../../protocol/client.ts'

const NEAR_LIMIT = 0.8

/** LOG-74, LOG-75: over the working conversation; undefined without a known limit. */
export function readTokenUsage(
  { eventCount: _, ...totals }: AggregatedUsage,
  limit: number | undefined,
): TokenUsageFigures | undefined {
  if (limit === undefined || !(limit > 0)) return undefined
  return {
    ...totals,
    percentUsed: computePercent(totals.totalTokens, limit),
    nearLimit: totals.totalTokens > NEAR_LIMIT * limit,
  }
}

export function buildContextFigures(reading: Reading, limit: number | undefined): ContextFigures {
  const { tokens, by } = reading
  const isKnown = tokens !== undefined && limit !== undefined && limit > 0
  return {
    ...(tokens !== undefined && { tokens }),
    ...(limit !== undefined && { limit }),
    ...(isKnown && { percent: computePercent(tokens, limit) }),
    ...(by && { by }),
  }
}

/** To two decimals. */
function computePercent(tokens: number, limit: number): number {
  return Math.round((tokens / limit) * 10_000) / 100
}
