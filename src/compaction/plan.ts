// The records of a compaction: a door's plan, the proposal, and the gate's result.
import type { Trigger } from '../core/edit/change.ts'
import type { PinningPolicy } from '../core/edit/detected-pins.ts'
import type { Refusal } from '../core/edit/gate-checks.ts'
import type { CompactionReport, ReportFallback, ReportSettings } from '../core/edit/report.ts'
import type { CompactionContext, Proposal, Strategy } from '../core/edit/strategy.ts'
import type { EventOf, PinData } from '../core/log/event.ts'

/** The complete request of a door; nothing is merged later. */
export interface CompactionPlan extends Omit<CompactionContext, 'threadId'> {
  readonly trigger: Trigger
  /** Tried in order until one is committed. */
  readonly strategies: readonly (string | Strategy)[]
  readonly targetTokens?: number | undefined
  /** Acceptable if no strategy reaches the target. */
  readonly acceptableTokens?: number | undefined
  /** Tried if none reaches that either, for the target or the acceptable size. */
  readonly lastResort?: string | Strategy | undefined
  /** No request can hold the context, so leaving it unchanged is not an option. */
  readonly isOverfull?: boolean | undefined
  readonly minTokens?: number | undefined
  readonly instructions?: string | undefined
  readonly nextPrompt?: string | undefined
  readonly runId?: string | undefined // set if the run was announced already
  readonly timestamp?: Date | undefined // set if it happened elsewhere
  /** Commit right after this version or not at all; default: after a conflict the gate judges again. */
  readonly expectedVersion?: number | undefined
  /** Pins to set in the same append; existing ones are skipped. */
  readonly pins?: readonly Omit<PinData, 'pinId'>[] | undefined
  /** Pins to detect automatically. */
  readonly pinning?: PinningPolicy | undefined
  /** For the report: settings in force, and earlier attempts. */
  readonly settings?: ReportSettings | undefined
  readonly fallback?: ReportFallback | undefined
}

/** A proposal with everything the gate needs. Plain JSON: can be stored and shown. */
export interface ProposalRecord {
  readonly runId: string
  readonly strategyId: string
  readonly trigger: Trigger
  readonly basedOn: number // thread version it was made for
  readonly madeAt?: string | undefined // set if it was made elsewhere
  readonly expectedVersion?: number | undefined // the only version it may follow
  readonly targetTokens?: number | undefined
  readonly minTokens?: number | undefined
  readonly settings?: ReportSettings | undefined
  readonly fallback?: ReportFallback | undefined
  /** Requested or detected pins: set in the same append, or not at all. */
  readonly pins?: readonly PinData[] | undefined
  readonly proposal: Proposal
}

/** A thread that replaced another. */
export interface FreshThread {
  readonly threadId: string
  readonly summary: string
  readonly replacedFor?: string // why a brief took the place of the model's summary
}

/** One event in the thread's log; or a new thread and no event in the old one. */
export type Committed = {
  readonly committed: true
  readonly report: CompactionReport
} & (
  | {
      readonly event: EventOf<'COMPACTION'>
      readonly version: number // after it and its pins
      readonly fresh?: undefined
    }
  | { readonly event?: undefined; readonly version?: undefined; readonly fresh: FreshThread }
)

/** The gate refused it: nothing has changed. */
export interface Refused {
  readonly committed: false
  readonly refusal: Refusal
}
