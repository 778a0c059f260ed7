// The library's front door: re-exports only. Stores are at `precis/stores`.
import './node-guard.ts'

export type { PlainEvent } from './core/adopt.ts'
export { type Built, buildMessages, type EntryContent, type Problem } from './core/build.ts'
export type * from './core/change.ts'
export type * from './core/content.ts'
export { type Context, emptyContext, foldEvent, foldEvents, weightOf } from './core/context.ts'
export type { EntryKind, Item } from './core/entry.ts'
export { asPrecisError, ERROR_TABLE, type ErrorCode, PrecisError } from './core/errors.ts'
export type * from './core/event.ts'
export {
  GATE_MIN_TOKENS,
  type GateInput,
  type GateResult,
  passGate,
  type Refusal,
} from './core/gate.ts'
export type { Json } from './core/json.ts'
export type * from './core/message.ts'
export type * from './core/ports.ts'
export { covered } from './core/refs.ts'
export { seamsOf } from './core/seam.ts'
export type * from './core/strategy.ts'
export { allEvents, type CompactionView, type ShownEvent, workingEvents } from './core/working.ts'
export {
  asCompactionStrategy,
  type CompactionEvent,
  type CompactionStrategy,
} from './strategies/as-compaction-strategy.ts'
export { DEFAULT_STRATEGIES, registerDefaultStrategies } from './strategies/index.ts'
export type { CompactionOptions, CompactionOutcome } from './threads/compact-thread.ts'
export { createThreads, type Threads, type ThreadsOptions } from './threads/threads.ts'
