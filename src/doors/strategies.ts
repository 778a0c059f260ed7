// `precis/strategies`: every strategy by name, and their parts.
export { dropTurns } from '../strategies/drop-turns.ts'
export { extract } from '../strategies/extract/extract.ts'
export { chunkedFold } from '../strategies/fold/chunked-fold.ts'
export { DEFAULT_STRATEGIES } from '../strategies/index.ts'
export { createCascade, type Rung } from '../strategies/ladder/cascade.ts'
export { cascade } from '../strategies/ladder/ladder.ts'
export { mask } from '../strategies/mask.ts'
export { createPrune, PRUNE_NAMES, prune } from '../strategies/prune/prune.ts'
export { brief } from '../strategies/summary/brief.ts'
export { freshSession } from '../strategies/summary/fresh-session.ts'
export { keepRecent } from '../strategies/summary/keep-recent.ts'
export {
  aiSummarize,
  summarize,
  wholeSummaryByModel as wholeSummary,
} from '../strategies/summary/whole-summary.ts'
export { trimToolResults } from '../strategies/trim.ts'
