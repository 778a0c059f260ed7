// `precis/log`: the pure core. Events, the fold, entries, the gate, undo, reports, readings, triggers
export type * from '../core/edit/change.ts'
export {
  GATE_MIN_TOKENS,
  type GateInput,
  type GateResult,
  type Refusal,
  type RefusalReason,
} from '../core/edit/gate.ts'
export { type BigPart, type Irreducible, irreducibleOf } from '../core/edit/irreducible.ts'
export { passGate } from '../core/edit/pass-gate.ts'
export { reportCompaction } from '../core/edit/report.ts'
export { expand, redo, undo } from '../core/edit/reverse.ts'
export type { TokenSplit, ToolTokens } from '../core/edit/token-split.ts'
export { ERROR_TABLE } from '../core/error-table.ts'
export { asPrecisError, type ErrorCode } from '../core/errors.ts'
export type * from '../core/log/event.ts'
export { type Repaired, repair } from '../core/repair/repair.ts'
export { foldBase64 } from '../core/text/fold-base64.ts'
export type { Json } from '../core/text/json.ts'
export {
  allEvents,
  type CompactionEvent,
  type ShownEvent,
  workingEvents,
} from '../core/view/api-events.ts'
export { type Built, buildMessages } from '../core/view/build.ts'
export type * from '../core/view/content.ts'
export { textOfParts, textOfUserContent } from '../core/view/content.ts'
export {
  type Context,
  calibrationOf,
  emptyContext,
  foldEvent,
  foldEvents,
  weightOf,
} from '../core/view/context.ts'
export type { EntryKind, Item } from '../core/view/entry.ts'
export { contentOf, type EntryContent } from '../core/view/entry-content.ts'
export { runsOf } from '../core/view/entry-range.ts'
export { ageImages, type ImageLimits, measureImages } from '../core/view/media.ts'
export type * from '../core/view/message.ts'
export { covered } from '../core/view/refs.ts'
export { openRoundStart, roundsOf, seamsOf } from '../core/view/seam.ts'
export type { Problem } from '../core/view/sent-rounds.ts'
export * from '../core/window/policy.ts'
export * from '../core/window/presets.ts'
export { readContext } from '../core/window/reading.ts'
export { chars4Counter, estimateCounter, type TokenCounter } from '../core/window/tokens/counter.ts'
export { cutHead, cutTail } from '../core/window/tokens/cut.ts'
export * from '../core/window/trigger.ts'
export type { UsageState } from '../core/window/usage.ts'
