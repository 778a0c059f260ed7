// The library's core: messages and threads that fit their window. It runs in any host; other doors have the rest

export type { Committed, Refused } from './compaction/plan.ts'
export { compact } from './compactor/compact.ts'
export type {
  Compacted,
  CompactOptions,
  CompactWithModel,
  Loss,
} from './compactor/compact-messages.ts'
export { createCompactor } from './compactor/compactor.ts'
export type {
  Compactor,
  CompactorEvents,
  CompactorOptions,
  Fitted,
} from './compactor/compactor-interface.ts'
export type { RecallOptions } from './compactor/recall.ts'
export type { ModelLike } from './compactor/run-compaction.ts'
export type { UsageLike } from './compactor/usage-like.ts'
export type { Edit, EntryId, NewEntry, Put, Reading } from './core/edit/change.ts'
export type { CompactionReport } from './core/edit/report.ts'
export { renderReport } from './core/edit/report-text.ts'
export type * from './core/edit/strategy.ts'
export { immediate } from './core/edit/strategy.ts'
export { type ErrorCode, PrecisError } from './core/errors.ts'
export type { EventDraft, ThreadEvent } from './core/log/event.ts'
export {
  collectAnswer,
  type ModelFrame,
  type ModelRequest,
  type Provider,
  type Signal,
} from './core/model.ts'
export type * from './core/ports.ts'
export { contentOf, type EntryContent } from './core/view/entry-content.ts'
export { runsOf } from './core/view/entry-range.ts'
export { estimateTokens } from './core/window/tokens/estimate.ts'
export type { WireFormat, WireMessages } from './doors/threads.ts'
export { createThreads, type ThreadCompaction, type Threads } from './doors/threads.ts'
export { FORMATS } from './messages/detect.ts'
export type { FormatId } from './messages/dialect.ts'
export { memoryStore } from './stores/memory/memory.ts'
export { dropTurns } from './strategies/drop-turns.ts'
export { extract } from './strategies/extract/extract.ts'
export { createCascade, type Rung } from './strategies/ladder/cascade.ts'
export { cascade } from './strategies/ladder/ladder.ts'
export { mask } from './strategies/mask.ts'
export { createPrune, prune } from './strategies/prune/prune.ts'
export { trimToolResults } from './strategies/trim.ts'
export { randomIds, systemClock } from './system.ts'
export { archiveOf } from './threads/archive.ts'
export type { ThreadsOptions } from './threads/threads.ts'
