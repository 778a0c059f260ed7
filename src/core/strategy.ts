// A strategy proposes how a context could be smaller. It commits nothing: the gate does.
import type { Edit, Trigger } from './change.ts'
import type { StopReason, TokenUsage } from './content.ts'
import type { Context } from './context.ts'
import type { EventAt } from './event.ts'
import type { Json } from './json.ts'
import type { ModelPort, Signal } from './ports.ts'

/** What a run hands through to its strategy, untouched. */
export interface CompactionContext {
  readonly threadId: string
  readonly provider?: ModelPort
  readonly agent?: unknown
  readonly toolExecutor?: unknown
  readonly model?: string
  readonly signal?: Signal
}

export interface StrategyInput {
  readonly context: Context
  /** Rows of the entries in the context. What a summary among them covers is not loaded. */
  readonly eventAt: EventAt
  readonly run: CompactionContext
  readonly trigger: Trigger
  /** Where the context should end up, in estimated tokens. */
  readonly targetTokens?: number
  readonly instructions?: string
}

export interface Proposal {
  readonly edits: readonly Edit[]
  readonly closes?: readonly string[]
  readonly metadata?: Json
  readonly usage?: TokenUsage // what finding it cost
  readonly stopReason?: StopReason // how the summary ended, where a model wrote one
}

export interface Strategy {
  readonly id: string
  /** Rejects with a PrecisError where it cannot propose; an aborted signal rejects with `aborted`. */
  propose(input: StrategyInput): Promise<Proposal>
}
