// One run of a compaction: what was ordered, and what is known of it so far.
import type { Trigger } from '../core/change.ts'
import type { TokenUsage } from '../core/content.ts'
import type { CompactionRunInfo } from '../core/frame.ts'
import type { ReportFallback, ReportSettings } from '../core/report.ts'
import type { Strategy } from '../core/strategy.ts'
import type { PreparedCompaction } from '../threads/compact-thread.ts'
import type { Asking } from './asking.ts'
import type { AgentCore } from './core.ts'
import type { Desk } from './desk.ts'
import type { AgentModel } from './ports.ts'

export interface CompactionOrder {
  readonly trigger: Trigger
  /** Tried in this order until one is committed. */
  readonly strategies: readonly (string | Strategy)[]
  readonly message: string // for people, when it starts
  /** It cannot even be proposed while calls wait for results: it begins when the round is over. */
  readonly isAtRest?: boolean
  readonly targetTokens?: number
  /** Where nothing gets down to the target, this will do: better than nothing at all. */
  readonly acceptableTokens?: number
  readonly minTokens?: number
  readonly instructions?: string
  readonly nextPrompt?: string
  /** The conversation's own model. */
  readonly model?: AgentModel
  /** How strategies ask for summaries. */
  readonly asking?: Asking
  /** For the report. */
  readonly settings?: ReportSettings
  readonly signal: AbortSignal
}

/** A run in progress: what is known of it so far. */
export interface CompactionRun {
  readonly core: AgentCore
  readonly desk: Desk
  readonly order: CompactionOrder
  readonly runId: string
  strategy: string
  usage: TokenUsage | undefined // of the attempt that runs
  spent: TokenUsage | undefined // of all attempts
  nearest?: PreparedCompaction // what came nearest to the target
  fallback?: ReportFallback // what was tried before the attempt that runs
}

export function infoOf({ runId, order, strategy }: CompactionRun): CompactionRunInfo {
  return { runId, trigger: order.trigger, strategy }
}

export function idOf(strategy: string | Strategy): string {
  return typeof strategy === 'string' ? strategy : strategy.id
}
