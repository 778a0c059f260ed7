// `precis/designs`: the five designs' own names for things.
export { type CompactionDisplay, CompactionWatch } from '../agent/compaction/compaction-watch.ts'
export { budgetForWindow, TokenBudget } from '../core/log-design/budget.ts'
export * from '../core/log-design/from-plain-events.ts'
export type { CompactionEvent } from '../core/view/api-events.ts'
export {
  checkpointToText,
  createCheckpointContent,
  generateCheckpointId,
  readCheckpointText,
} from '../core/view/checkpoint.ts'
export { estimateConversationTokens } from '../core/window/tokens/counter.ts'
export { aggregateTokenUsage } from '../core/window/usage.ts'
export {
  asCompactionStrategy,
  type CompactionStrategy,
} from '../strategies/as-compaction-strategy.ts'
export {
  CHARS_PER_TOKEN,
  chunkMessages,
  chunkMessagesByTokenBudget,
  type RenderedThread,
  renderThreadToMarkdown,
  TARGET_CHUNK_TOKENS,
  TOLERANCE_TOKENS,
} from '../strategies/fold/render-thread.ts'
export { registerDefaultStrategies } from '../strategies/index.ts'
export { compactRanges } from '../strategies/ranges/compact-ranges.ts'
export { compactWhole } from '../strategies/ranges/compact-whole.ts'
export { findCutPoint } from '../strategies/summary/cut-point.ts'
