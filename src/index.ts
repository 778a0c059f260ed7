// The library's front door: re-exports only. Stores are at `precis/stores`, models at `precis/providers`.
import './node-guard.ts'

export { type Agent, createAgent, type SendOutcome } from './agent/agent.ts'
export type { CommandReply } from './agent/commands/commands.ts'
export { type CompactionDisplay, CompactionWatch } from './agent/compaction/compaction-watch.ts'
export type { AfterReply, BeforeReply, CompactionHooks, HookedRun } from './agent/hooks.ts'
export { systemPrompt } from './agent/loop/system-prompt.ts'
export {
  AGENT_LIMITS,
  type AgentModel,
  type AgentPorts,
  type AgentSettings,
  type ApprovalQuestion,
  type Approver,
} from './agent/ports.ts'
export type { CompactionOptions, CompactionOutcome } from './compaction/plan.ts'
export {
  type Compacted,
  type CompactOptions,
  type CompactWithModel,
  compact,
} from './compactor/compact.ts'
export { createCompactor } from './compactor/compactor.ts'
export type {
  Compactor,
  CompactorEvents,
  CompactorOptions,
  Fitted,
} from './compactor/compactor-interface.ts'
export type { Loss } from './compactor/losses.ts'
export type { RecallOptions } from './compactor/recall.ts'
export type { ModelLike } from './compactor/run-compaction.ts'
export type { UsageLike } from './compactor/usage-like.ts'
export { type Composed, type ComposeOptions, compose } from './compose.ts'
export { type AgentOptions, composeAgent } from './compose-agent.ts'
export { type ApprovalPolicy, judge, patternProblem } from './core/agent/approval.ts'
export {
  COMMANDS,
  type Command,
  completeCommand,
  nearCommand,
  parseCommand,
} from './core/agent/commands.ts'
export type * from './core/agent/frame.ts'
export type * from './core/agent/tool.ts'
export type * from './core/edit/change.ts'
export {
  GATE_MIN_TOKENS,
  type GateInput,
  type GateResult,
  passGate,
  type Refusal,
  type RefusalReason,
} from './core/edit/gate.ts'
export { type BigPart, type Irreducible, irreducibleOf } from './core/edit/irreducible.ts'
export type * from './core/edit/report.ts'
export { reportCompaction } from './core/edit/report.ts'
export type { TokenSplit, ToolTokens } from './core/edit/report-split.ts'
export { renderReport } from './core/edit/report-text.ts'
export type * from './core/edit/strategy.ts'
export { asPrecisError, ERROR_TABLE, type ErrorCode, PrecisError } from './core/errors.ts'
export type * from './core/log/event.ts'
export { budgetForWindow, TokenBudget } from './core/log-design/budget.ts'
export type { PlainEvent } from './core/log-design/from-plain-events.ts'
export * from './core/log-design/from-plain-events.ts'
export { collectAnswer, type ModelFrame, type ModelRequest, type Provider } from './core/model.ts'
export type * from './core/ports.ts'
export { type Repaired, repair } from './core/repair/repair.ts'
export { foldBase64 } from './core/text/fold-base64.ts'
export type { Json } from './core/text/json.ts'
export {
  allEvents,
  type CompactionView,
  type ShownEvent,
  workingEvents,
} from './core/view/api-events.ts'
export { type Built, buildMessages } from './core/view/build.ts'
export type * from './core/view/content.ts'
export { textOfParts, textOfUserContent } from './core/view/content.ts'
export {
  type Context,
  calibrationOf,
  emptyContext,
  foldEvent,
  foldEvents,
  weightOf,
} from './core/view/context.ts'
export type { EntryKind, Item } from './core/view/entry.ts'
export { contentOf, type EntryContent } from './core/view/entry-content.ts'
export {
  checkpointToText,
  createCheckpointContent,
  generateCheckpointId,
  readCheckpointText,
  runsOf,
} from './core/view/entry-range.ts'
export { ageImages, type ImageLimits, measureImages } from './core/view/media.ts'
export type * from './core/view/message.ts'
export { covered } from './core/view/refs.ts'
export type { Problem } from './core/view/round-results.ts'
export { openRoundStart, roundsOf, seamsOf } from './core/view/seam.ts'
export * from './core/window/policy.ts'
export * from './core/window/presets.ts'
export { readContext } from './core/window/reading.ts'
export {
  chars4Counter,
  estimateConversationTokens,
  estimateCounter,
  type TokenCounter,
} from './core/window/tokens/counter.ts'
export { cutHead, cutTail } from './core/window/tokens/cut.ts'
export { estimateTokens } from './core/window/tokens/estimate.ts'
export type { ContextBudget, TriggerPolicy } from './core/window/trigger.ts'
export { aggregateTokenUsage, type UsageState } from './core/window/usage.ts'
export type { FormatId } from './messages/dialect.ts'
export { costOf } from './providers/costs.ts'
export { loadO200k } from './providers/o200k.ts'
export { type Secret, secretsOf } from './redact/known.ts'
export { type Redacted, redact } from './redact/redact.ts'
export {
  type RedactedValue,
  type RedactionPolicy,
  redactFor,
  redactValues,
} from './redact/redact-values.ts'
export {
  asCompactionStrategy,
  type CompactionEvent,
  type CompactionStrategy,
} from './strategies/as-compaction-strategy.ts'
export {
  CHARS_PER_TOKEN,
  chunkMessages,
  chunkMessagesByTokenBudget,
  type RenderedThread,
  renderThreadToMarkdown,
  TARGET_CHUNK_TOKENS,
  TOLERANCE_TOKENS,
} from './strategies/fold/render-thread.ts'
export { DEFAULT_STRATEGIES, registerDefaultStrategies } from './strategies/index.ts'
export { createCascade, type Rung } from './strategies/ladder/cascade.ts'
export { createPrune, PRUNE_NAMES } from './strategies/prune/prune.ts'
export { findCutPoint } from './strategies/range.ts'
export { compactRanges } from './strategies/ranges/compact-ranges.ts'
export { compactWhole } from './strategies/ranges/compact-whole.ts'
export { randomIds, systemClock } from './system.ts'
export { archiveOf } from './threads/archive.ts'
export { createThreads, type Threads, type ThreadsOptions } from './threads/threads.ts'
export { codingTools } from './tools/index.ts'
export { openWorkspace, type Workspace } from './tools/workspace.ts'
export { PROFILES, validate } from './validate/validate.ts'
export type { Exchange, Profile, Violation } from './validate/walk.ts'
export { repairProfile } from './wire/repair/profile.ts'
