// The built-in strategies by id.
import type { Strategy } from '../core/edit/strategy.ts'
import { dropTurns } from './drop-turns.ts'
import { extract } from './extract/extract.ts'
import { chunkedFold } from './fold/chunked-fold.ts'
import { cascade } from './ladder/ladder.ts'
import { mask } from './mask.ts'
import { prune } from './prune/prune.ts'
import { brief } from './summary/brief.ts'
import { freshSession } from './summary/fresh-session.ts'
import { keepRecent } from './summary/keep-recent.ts'
import { aiSummarize, summarize, wholeSummaryByModel } from './summary/whole-summary.ts'
import { trimToolResults } from './trim.ts'

export const DEFAULT_STRATEGIES: readonly Strategy[] = [
  cascade,
  extract,
  prune,
  trimToolResults,
  mask,
  dropTurns,
  brief,
  summarize,
  aiSummarize,
  keepRecent,
  wholeSummaryByModel,
  chunkedFold,
  freshSession,
]

/** Calls `register` for each built-in strategy. */
export function registerDefaultStrategies(register: (strategy: Strategy) => void): void {
  for (const strategy of DEFAULT_STRATEGIES) register(strategy)
}
