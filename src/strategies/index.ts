// The strategies that come with précis, under their ids.
import type { Strategy } from '../core/strategy.ts'
import { aiSummarize } from './ai-summarize.ts'
import { chunkedFold } from './chunked-fold.ts'
import { freshSession } from './fresh-session.ts'
import { keepRecent } from './keep-recent.ts'
import { summarize } from './summarize.ts'
import { trimToolResults } from './trim-tool-results.ts'

export const DEFAULT_STRATEGIES: readonly Strategy[] = [
  trimToolResults,
  summarize,
  aiSummarize,
  keepRecent,
  chunkedFold,
  freshSession,
]

/** Calls `register` once for each strategy that comes with précis. */
export function registerDefaultStrategies(register: (strategy: Strategy) => void): void {
  for (const strategy of DEFAULT_STRATEGIES) register(strategy)
}
