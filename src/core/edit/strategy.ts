// A strategy proposes how a context could be smaller. It commits nothing: the gate does.
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
 * How a summary is asked for: in the conversation, as one more message to the same model, so that its
 * prefix is found in the cache; or apart, with the conversation as data and no tools.
 */
export type SummaryForm = 'conversation' | 'apart'

/** What a run hands through to its strategy, untouched. */
export interface CompactionContext {
  readonly threadId: string
  readonly provider?: ModelPort | undefined
  readonly agent?: unknown
  readonly toolExecutor?: unknown
  readonly model?: string | undefined
  /** In place of the form that a strategy has by itself. */
  readonly form?: SummaryForm | undefined
  /** Who is asked apart; absent: `model`. */
  readonly fastModel?: string | undefined
  /** What the conversation's own requests are sent with. */
  readonly tools?: readonly ToolSchema[] | undefined
  readonly thinking?: ThinkingWish | undefined
  /** Of the conversation's model; absent where it is unknown. */
  readonly windowTokens?: number | undefined
  /** What the context may weigh at most for a request to fit; absent where it is unknown. */
  readonly capacityTokens?: number | undefined
  readonly signal?: Signal | undefined
  /** Where finished steps are kept, for a run that was cut short and is begun again. */
  readonly scratch?: Scratch | undefined
  /** How far a run has come: so many steps done, of so many. */
  onProgress?(progress: {
    readonly message: string
    readonly done: number
    readonly total: number
  }): void
  /** Something that people should know, and that stops nothing. */
  onWarning?(message: string): void
}

/** Values by key that may be forgotten at any time. Never rejects: what it cannot keep is done again. */
export interface Scratch {
  get(key: string): Promise<Json | undefined>
  set(key: string, value: Json): Promise<void>
  clear(): Promise<void>
}

/** A fold over a log whose state is made when someone asks for it, and need not outlive the process. */
export type LogReducer<S> = Pick<Reducer<S>, 'name' | 'version' | 'init' | 'step'>

export interface StrategyInput {
  readonly context: Context
  /** Rows of the entries in the context. What a summary among them covers is not loaded. */
  readonly eventAt: EventAt
  readonly run: CompactionContext
  readonly trigger: Trigger
  /** Where the context should end up, in estimated tokens. */
  readonly budget?: number | undefined
  /** The same under its former name. */
  readonly targetTokens?: number | undefined
  readonly instructions?: string | undefined
  /** What the user says next, where that is known: what matters for it must stay. */
  readonly nextPrompt?: string | undefined
  /** What the gate is going to keep, whatever is proposed: it counts for the target. */
  readonly pins?: Pins
  /**
   * The state of a reducer over the whole log, as of this context, with what was compacted away. It is kept
   * with the thread and stepped over new events only; a reducer may grow it in place, so it is to be read
   * before anything else is awaited. Absent if only the context is at hand.
   */
  reduce?<S>(reducer: LogReducer<S>): S | Promise<S>
}

/** A text of a model, as it wrote it, for the gate to judge; `sections` are the headings asked of it. */
export interface WrittenSummary {
  readonly text: string
  readonly sections?: readonly string[]
  /** So many of the sections must be there; absent: all of them. */
  readonly fewestSections?: number
}

/** A summary that opens a new thread in place of this one. */
export interface FreshStart {
  readonly message: string // the first message there
  readonly summary: string
  readonly unverified: readonly string[] // names in it that the conversation does not have
  /** The entry that follows the first message (ALWAYS-23); absent where little is replaced. */
  readonly carried?: string
  /** Why a brief by code took the place of the model's summary. */
  readonly replacedFor?: string
}

export interface Proposal {
  readonly edits: readonly Edit[]
  readonly closes?: readonly string[]
  readonly metadata?: Json
  readonly usage?: TokenUsage // what finding it cost
  readonly stopReason?: StopReason // how the summary ended, where a model wrote one
  readonly written?: readonly WrittenSummary[]
  /**
   * Nothing is to be changed here: see `FreshStart`. The gate judges what the new thread would begin with;
   * whoever commits opens that thread, and appends no COMPACTION.
   */
  readonly fresh?: FreshStart
}

export interface Strategy {
  readonly id: string
  /** Rejects with a PrecisError where it cannot propose; an aborted signal rejects with `aborted`. */
  propose(input: StrategyInput): Promise<Proposal>
  /** The same as steps: they wait for nothing where no model is asked. Throws where `propose` rejects. */
  steps?(input: StrategyInput): Steps<Proposal>
}

/** Starts a thread of its own, and writes nothing to the old one. */
export const FRESH_SESSION = 'fresh-session'

/** Our own strategies that ask a model, by their ids. */
export const STRATEGIES_WITH_MODEL: readonly string[] = [
  'brief',
  'summarize',
  'ai-summarize',
  'keep-recent',
  'whole-summary',
  'chunked-fold',
  FRESH_SESSION,
]

/** What a strategy proposes, for steps that ask another one. */
export function* proposing(strategy: Strategy, input: StrategyInput): Steps<Proposal> {
  const { steps } = strategy
  const isTheSame = steps && (proposals.get(steps) ?? strategy.propose) === strategy.propose
  return isTheSame ? yield* steps.call(strategy, input) : yield* wait(strategy.propose(input))
}

/** By the steps of a strategy: its `propose`. A copy of the strategy may have another one, which counts. */
const proposals = new WeakMap<object, Strategy['propose']>()

/** A strategy that proposes at once. */
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

/** A strategy that is written as steps. */
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
