// The library's front door: re-exports only. Stores are at `precis/stores`, models at `precis/providers`.
import './node-guard.ts'

export { type Agent, createAgent, type SendOutcome } from './agent/agent.ts'
export type { CommandReply } from './agent/commands.ts'
export { type CompactionDisplay, CompactionWatch } from './agent/compaction-watch.ts'
export type { BeforeReply, CompactionHooks, HookedRun } from './agent/hooks.ts'
export {
  AGENT_LIMITS,
  type AgentModel,
  type AgentPorts,
  type AgentSettings,
  type ApprovalQuestion,
  type Approver,
} from './agent/ports.ts'
export { systemPrompt } from './agent/system-prompt.ts'
export type { CompactionOptions, CompactionOutcome } from './compaction/plan.ts'
export { type Composed, type ComposeOptions, compose } from './compose.ts'
export { type AgentOptions, composeAgent } from './compose-agent.ts'
export type { PlainEvent } from './core/adopt.ts'
export { type ApprovalPolicy, judge, patternProblem } from './core/approval.ts'
export * from './core/auto-compact.ts'
export { budgetForWindow, TokenBudget } from './core/budget.ts'
export { type Built, buildMessages } from './core/build.ts'
export type * from './core/change.ts'
export {
  checkpointToText,
  createCheckpointContent,
  generateCheckpointId,
  readCheckpointText,
} from './core/checkpoint.ts'
export {
  COMMANDS,
  type Command,
  completeCommand,
  nearCommand,
  parseCommand,
} from './core/commands.ts'
export type * from './core/content.ts'
export { textOfParts, textOfUserContent } from './core/content.ts'
export {
  type Context,
  calibrationOf,
  emptyContext,
  foldEvent,
  foldEvents,
  weightOf,
} from './core/context.ts'
export type { EntryKind, Item } from './core/entry.ts'
export { contentOf, type EntryContent } from './core/entry-content.ts'
export { asPrecisError, ERROR_TABLE, type ErrorCode, PrecisError } from './core/errors.ts'
export type * from './core/event.ts'
export { foldBase64 } from './core/fold-base64.ts'
export type * from './core/frame.ts'
export {
  GATE_MIN_TOKENS,
  type GateInput,
  type GateResult,
  passGate,
  type Refusal,
  type RefusalReason,
} from './core/gate.ts'
export { type BigPart, type Irreducible, irreducibleOf } from './core/irreducible.ts'
export type { Json } from './core/json.ts'
export { ageImages, type ImageLimits, measureImages } from './core/media.ts'
export type * from './core/message.ts'
export { collectAnswer, type ModelFrame, type ModelRequest, type Provider } from './core/model.ts'
export * from './core/policy.ts'
export type * from './core/ports.ts'
export * from './core/presets.ts'
export { readContext } from './core/reading.ts'
export { covered } from './core/refs.ts'
export { type Repaired, repair } from './core/repair.ts'
export type * from './core/report.ts'
export { reportCompaction } from './core/report.ts'
export type { TokenSplit, ToolTokens } from './core/report-split.ts'
export { renderReport } from './core/report-text.ts'
export type { Problem } from './core/round-results.ts'
export { runsOf } from './core/run.ts'
export { openRoundStart, roundsOf, seamsOf } from './core/seam.ts'
export type * from './core/strategy.ts'
export { estimateConversationTokens } from './core/tokens/chars4.ts'
export { chars4Counter, estimateCounter, type TokenCounter } from './core/tokens/counter.ts'
export { cutHead, cutTail } from './core/tokens/cut.ts'
export { estimateTokens } from './core/tokens/estimate.ts'
export type * from './core/tool.ts'
export type { ContextBudget, TriggerPolicy } from './core/trigger.ts'
export { aggregateTokenUsage, type UsageState } from './core/usage.ts'
export { allEvents, type CompactionView, type ShownEvent, workingEvents } from './core/working.ts'
export { costOf } from './providers/costs.ts'
export { loadO200k } from './providers/o200k.ts'
export { type Secret, secretsOf } from './redact/known.ts'
export { type Redacted, redact } from './redact/redact.ts'
export { type RedactionPolicy, redactFor } from './redact/redact-for.ts'
export { type RedactedValue, redactValues } from './redact/redact-values.ts'
export {
  asCompactionStrategy,
  type CompactionEvent,
  type CompactionStrategy,
} from './strategies/as-compaction-strategy.ts'
export { createCascade, type Rung } from './strategies/cascade.ts'
export {
  CHARS_PER_TOKEN,
  chunkMessages,
  chunkMessagesByTokenBudget,
  TARGET_CHUNK_TOKENS,
  TOLERANCE_TOKENS,
} from './strategies/chunk.ts'
export { compactRanges } from './strategies/compact-ranges.ts'
export { compactWhole } from './strategies/compact-whole.ts'
export { findCutPoint } from './strategies/cut-point.ts'
export { DEFAULT_STRATEGIES, registerDefaultStrategies } from './strategies/index.ts'
export { createPrune, PRUNE_NAMES } from './strategies/prune/prune.ts'
export { type RenderedThread, renderThreadToMarkdown } from './strategies/render-thread.ts'
export { randomIds, systemClock } from './system.ts'
export { archiveOf } from './threads/archive.ts'
export { createThreads, type Threads, type ThreadsOptions } from './threads/threads.ts'
export { codingTools } from './tools/index.ts'
export { openWorkspace, type Workspace } from './tools/workspace.ts'
export { PROFILES } from './validate/profiles.ts'
export type { Exchange, Profile, Violation } from './validate/rule.ts'
export { validate } from './validate/validate.ts'
export { repairProfile } from './wire/repair/profile.ts'
