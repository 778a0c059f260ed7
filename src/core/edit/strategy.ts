// A strategy proposes how to shrink a context. Only the gate commits.
import { PrecisError } from '../errors.ts'
import type { EventAt } from '../log/event.ts'
import type { Signal, ThinkingWish, ToolSchema } from '../model.ts'
import { callback, checkOptions, text } from '../options.ts'
import type { ModelPort, Reducer } from '../ports.ts'
import { runSteps, type Steps, wait } from '../steps.ts'
import type { Json } from '../text/json.ts'
import type { StopReason, TokenUsage } from '../view/content.ts'
import type { Context } from '../view/context.ts'
import type { Edit, Trigger } from './change.ts'
import type { Pins } from './pins.ts'

/**
 * How to ask for a summary: within the conversation, as one more message to the same model, which reuses its
 * cached prefix; or apart, with the conversation as data and no tools.
 */
export type SummaryForm = 'conversation' | 'apart'

/** Passed through to the strategy unchanged. */
export interface CompactionContext {
  readonly threadId: string
  readonly provider?: ModelPort | undefined
  readonly agent?: unknown
  readonly toolExecutor?: unknown
  readonly model?: string | undefined
  /** Overrides the strategy's own form. */
  readonly form?: SummaryForm | undefined
  /** The model asked apart; default: `model`. */
  readonly fastModel?: string | undefined
  /** The tools of the conversation's own requests. */
  readonly tools?: readonly ToolSchema[] | undefined
  readonly thinking?: ThinkingWish | undefined
  /** Of the conversation's model; absent if unknown. */
  readonly windowTokens?: number | undefined
  /** The largest context that fits a request; absent if unknown. */
  readonly capacityTokens?: number | undefined
  readonly signal?: Signal | undefined
  /** Keeps finished steps for a run that was interrupted. */
  readonly scratch?: Scratch | undefined
  /** Reports steps done and their total. */
  onProgress?(progress: {
    readonly message: string
    readonly done: number
    readonly total: number
  }): void
  /** A message for people that stops nothing. */
  onWarning?(message: string): void
}

/** Values by key that may be lost at any time. Never rejects: lost work is repeated. */
export interface Scratch {
  get(key: string): Promise<Json | undefined>
  set(key: string, value: Json): Promise<void>
  clear(): Promise<void>
}

/** A fold whose state is computed on demand and need not outlive the process. */
export type LogReducer<S> = Pick<Reducer<S>, 'name' | 'version' | 'init' | 'step'>

export interface StrategyInput {
  readonly context: Context
  /** Rows of the context's entries. What a summary among them covers is not loaded. */
  readonly eventAt: EventAt
  readonly run: CompactionContext
  readonly trigger: Trigger
  /** The target size in estimated tokens. */
  readonly budget?: number | undefined
  /** Former name of the same. */
  readonly targetTokens?: number | undefined
  readonly instructions?: string | undefined
  /** The user's next message, if known: what matters for it must stay. */
  readonly nextPrompt?: string | undefined
  /** What the gate will keep in any case: counts towards the target. */
  readonly pins?: Pins
  /**
   * The state of a reducer over the whole log up to this context, including what was compacted. Cached with
   * the thread and stepped over new events only; a reducer may grow it in place, so read it before awaiting
   * anything else. Absent if only the context is available.
   */
  reduce?<S>(reducer: LogReducer<S>): S | Promise<S>
}

/** A model's original text for the gate; `sections` are the requested headings. */
export interface WrittenSummary {
  readonly text: string
  readonly sections?: readonly string[]
  /** Required number of sections; default: all. */
  readonly fewestSections?: number
}

/** A summary that opens a new thread. */
export interface FreshStart {
  readonly message: string // its first message
  readonly summary: string
  readonly unverified: readonly string[] // names in it that the conversation lacks
  /** The entry after the first message (ALWAYS-23); absent if little is replaced. */
  readonly carried?: string
  /** Why a brief by code replaced the model's summary. */
  readonly replacedFor?: string
}

export interface Proposal {
  readonly edits: readonly Edit[]
  readonly closes?: readonly string[]
  readonly metadata?: Json
  readonly usage?: TokenUsage // cost of making it
  readonly stopReason?: StopReason // stop reason of a model's summary
  readonly written?: readonly WrittenSummary[]
  /**
   * Changes nothing here: see `FreshStart`. The gate judges the start of the new thread; committing opens
   * that thread and appends no COMPACTION.
   */
  readonly fresh?: FreshStart
}

export interface Strategy {
  readonly id: string
  /** Rejects with a PrecisError if it cannot propose, and with `aborted` on the signal. */
  propose(input: StrategyInput): Promise<Proposal>
  /** The same as steps, which wait only for a model. Throws where `propose` rejects. */
  steps?(input: StrategyInput): Steps<Proposal>
}

/** Opens a new thread and writes nothing to the old one. */
export const FRESH_SESSION = 'fresh-session'

/** Ids of our strategies that ask a model. */
export const STRATEGIES_WITH_MODEL: readonly string[] = [
  'brief',
  'summarize',
  'ai-summarize',
  'keep-recent',
  'whole-summary',
  'chunked-fold',
  FRESH_SESSION,
]

/** Another strategy's proposal within steps. */
export function* proposing(strategy: Strategy, input: StrategyInput): Steps<Proposal> {
  const { steps } = strategy
  const isTheSame = steps && (proposals.get(steps) ?? strategy.propose) === strategy.propose
  return isTheSame ? yield* steps.call(strategy, input) : yield* wait(strategy.propose(input))
}

/** Maps a strategy's steps to its `propose`. A copy with another `propose` uses that. */
const proposals = new WeakMap<object, Strategy['propose']>()

/** A strategy that proposes synchronously. */
export function immediate(strategy: {
  readonly id: string
  proposeNow(input: StrategyInput): Proposal
}): Strategy {
  const { id, proposeNow } = Object(strategy)
  checkOptions('immediate', { id, proposeNow }, { id: text, proposeNow: callback })
  return stepwise({
    id: strategy.id,
    // biome-ignore lint/correctness/useYield: it waits for nothing
    *steps(input) {
      return strategy.proposeNow(input)
    },
  })
}

/** A strategy written as steps. */
export function stepwise(strategy: Required<Pick<Strategy, 'id' | 'steps'>>): Strategy {
  const propose: Strategy['propose'] = async (input) => runSteps(strategy.steps(input))
  proposals.set(strategy.steps, propose)
  return { ...strategy, propose }
}

export function unknownStrategy(id: string, known: readonly string[]): PrecisError {
  return new PrecisError('unknown-strategy', `Unknown compaction strategy: ${id}`, {
    where: id,
    hint: `Known strategies: ${known.join(', ') || 'none'}.`,
  })
}
