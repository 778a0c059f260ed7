// The records of the one road: the plan that a door makes, the proposal that came of it, and how the gate ended it.
import type { Trigger } from '../core/edit/change.ts'
import type { PinningPolicy } from '../core/edit/detected-pins.ts'
import type { Refusal } from '../core/edit/gate-checks.ts'
import type { CompactionReport, ReportFallback, ReportSettings } from '../core/edit/report.ts'
import type { CompactionContext, Proposal, Strategy } from '../core/edit/strategy.ts'
import type { EventOf, PinData } from '../core/log/event.ts'

/** What was asked for. Every door makes one, once; behind it nothing is merged any more. */
export interface CompactionPlan extends Omit<CompactionContext, 'threadId'> {
  readonly trigger: Trigger
  /** Tried in this order until one is committed. */
  readonly strategies: readonly (string | Strategy)[]
  readonly targetTokens?: number | undefined
  /** Where no strategy reaches the target, this will do. */
  readonly acceptableTokens?: number | undefined
  /** Where none reaches that either: tried in their place, to the target or to what is acceptable. */
  readonly lastResort?: string | Strategy | undefined
  /** No request can hold the context as it is: to leave it unchanged is no way out. */
  readonly isOverfull?: boolean | undefined
  readonly minTokens?: number | undefined
  readonly instructions?: string | undefined
  readonly nextPrompt?: string | undefined
  readonly runId?: string | undefined // where the caller has told others of this run already
  readonly timestamp?: Date | undefined // when it happened, where it was made elsewhere
  /** Committed right behind this version, or not at all: otherwise a conflict passes the gate again. */
  readonly expectedVersion?: number | undefined
  /** What is pinned with this compaction, in the same append; what is pinned already is left out. */
  readonly pins?: readonly Omit<PinData, 'pinId'>[] | undefined
  /** What is pinned with it although nobody has asked for it. */
  readonly pinning?: PinningPolicy | undefined
  /** For the report: what else was in force, and what was tried before. */
  readonly settings?: ReportSettings | undefined
  readonly fallback?: ReportFallback | undefined
}

/** A proposal with all that the gate needs to know of it. Plain JSON: it can be kept and shown. */
export interface ProposalRecord {
  readonly runId: string
  readonly strategyId: string
  readonly trigger: Trigger
  readonly basedOn: number // the version of the thread it was made for
  readonly madeAt?: string | undefined // where it was made elsewhere
  readonly expectedVersion?: number | undefined // behind which alone it may be committed
  readonly targetTokens?: number | undefined
  readonly minTokens?: number | undefined
  readonly settings?: ReportSettings | undefined
  readonly fallback?: ReportFallback | undefined
  /** Asked for with it, or found in what it covers: set in the same append, or not at all. */
  readonly pins?: readonly PinData[] | undefined
  readonly proposal: Proposal
}

/** A thread that has taken the place of another. */
export interface FreshThread {
  readonly threadId: string
  readonly summary: string
  readonly replacedFor?: string // why a brief took the place of the model's summary
}

/** One event in the log of the thread; or a new thread, and nothing at all in the old one. */
export type Committed = {
  readonly committed: true
  readonly report: CompactionReport
} & (
  | {
      readonly event: EventOf<'COMPACTION'>
      readonly version: number // of the thread behind it and what it pinned
      readonly fresh?: undefined
    }
  | { readonly event?: undefined; readonly version?: undefined; readonly fresh: FreshThread }
)

/** The gate did not let it pass: nothing has changed. */
export interface Refused {
  readonly committed: false
  readonly refusal: Refusal
}
