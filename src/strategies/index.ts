// The strategies that come with précis, under their ids.
import type { Strategy } from '../core/strategy.ts'
import { aiSummarize } from './ai-summarize.ts'
import { chunkedFold } from './chunked-fold.ts'
import { dropTurns } from './drop-turns.ts'
import { extract } from './extract/extract.ts'
import { freshSession } from './fresh-session.ts'
import { keepRecent } from './keep-recent.ts'
import { cascade } from './ladder.ts'
import { mask } from './mask.ts'
import { prune } from './prune/prune.ts'
import { summarize } from './summarize.ts'
import { trimToolResults } from './trim-tool-results.ts'
import { wholeSummaryByModel } from './whole-summary.ts'

export const DEFAULT_STRATEGIES: readonly Strategy[] = [
  cascade,
  extract,
  prune,
  trimToolResults,
  mask,
  dropTurns,
  summarize,
  aiSummarize,
  keepRecent,
  wholeSummaryByModel,
  chunkedFold,
  freshSession,
]

/** Calls `register` once for each strategy that comes with précis. */
export function registerDefaultStrategies(register: (strategy: Strategy) => void): void {
  for (const strategy of DEFAULT_STRATEGIES) register(strategy)
}
