// One compaction of a log of messages: the strategy that was asked for, and without a model if that fails
import { compactLog } from '../compaction/compact-log.ts'
import type { Trigger } from '../core/edit/change.ts'
import type { CompactionReport, ReportFallback } from '../core/edit/report.ts'
import { type Strategy, unknownStrategy } from '../core/edit/strategy.ts'
import { asPrecisError, PrecisError } from '../core/errors.ts'
import type { AskAnswer, AskRequest, ModelPort, Signal } from '../core/ports.ts'
import { type Steps, wait } from '../core/steps.ts'
import { weightOf } from '../core/view/context.ts'
import type { MessageLog } from '../messages/message-log.ts'

/** A model for summaries: a port, or a function that answers a request with a text. */
export type ModelLike = ModelPort | ((request: AskRequest) => Promise<string | AskAnswer>)

/** How a compaction is made. `budget` is the number of estimated tokens to come to. */
export interface CompactionChoices {
  readonly budget: number
  readonly strategy?: Strategy | string | undefined
  readonly model?: ModelLike | undefined
  readonly instructions?: string | undefined
  readonly nextPrompt?: string | undefined
  readonly signal?: Signal | undefined
  readonly windowTokens?: number | undefined
}

/** What is at hand at once. Strategies that ask a model are loaded when one is given. */
export interface Kit {
  /** The default, and what is left where a summary comes to nothing. */
  readonly cascade: Strategy
  /** Strategies that ask no model, by their ids. */
  readonly strategies: readonly Strategy[]
}

/** Appends one COMPACTION to the log, or two where a summary is still too long. Throws where it cannot. */
export function* runCompaction(
  log: MessageLog,
  choices: CompactionChoices,
  trigger: Trigger,
  kit: Kit,
): Steps<CompactionReport> {
  const { strategy: asked, budget, model } = choices
  const { cascade } = kit
  if (asked === undefined && model === undefined)
    return yield* runStrategy(log, cascade, choices, trigger)
  if (asked !== undefined)
    return yield* runStrategy(log, yield* findStrategy(asked, model, kit), choices, trigger)
  let fallback: ReportFallback | undefined
  try {
    const report = yield* runStrategy(log, yield* loadDefault(), choices, trigger)
    if (weightOf(log.context) <= budget) return report
    fallback = { from: report.strategyId, reason: 'The summary is longer than the budget.' }
  } catch (thrown) {
    const error = asPrecisError(thrown)
    if (error.code === 'aborted') throw error
    fallback = { from: 'brief', reason: error.message }
  }
  return yield* runStrategy(log, cascade, choices, trigger, fallback)
}

function* loadDefault(): Steps<Strategy> {
  const { brief } = yield* wait(import('../strategies/summary/brief.ts'))
  return brief
}

function* findStrategy(
  asked: Strategy | string,
  model: unknown,
  { strategies }: Kit,
): Steps<Strategy> {
  if (typeof asked !== 'string') return asked
  const known = strategies.find(({ id }) => id === asked)
  if (known) return known
  if (model === undefined && !WITH_MODEL.includes(asked))
    throw unknownStrategy(asked, [...strategies.map(({ id }) => id), ...WITH_MODEL])
  if (model === undefined)
    throw new PrecisError('no-model', `The strategy "${asked}" asks a model, and none is given.`, {
      where: 'model',
      hint: `Pass \`model\`, or a strategy that needs none: ${strategies.map(({ id }) => id).join(', ')}.`,
    })
  const { DEFAULT_STRATEGIES } = yield* wait(import('../strategies/index.ts'))
  const found = DEFAULT_STRATEGIES.find(({ id }) => id === asked)
  if (found) return found
  throw unknownStrategy(
    asked,
    DEFAULT_STRATEGIES.map(({ id }) => id),
  )
}

const WITH_MODEL: readonly string[] = [
  'brief',
  'summarize',
  'ai-summarize',
  'keep-recent',
  'whole-summary',
  'chunked-fold',
  'fresh-session',
]

function* runStrategy(
  log: MessageLog,
  strategy: Strategy,
  choices: CompactionChoices,
  trigger: Trigger,
  fallback?: ReportFallback,
): Steps<CompactionReport> {
  const { budget, model, instructions, nextPrompt, signal, windowTokens } = choices
  const provider = model === undefined ? undefined : portOf(model)
  const made = yield* compactLog({
    strategy,
    context: log.context,
    eventAt: log.eventAt,
    pins: log.pins,
    reduce: log.reduce,
    run: { threadId: 'messages', provider, signal, windowTokens, form: 'apart' },
    runId: `run_${log.context.version + 1}`,
    trigger,
    targetTokens: budget,
    instructions,
    nextPrompt,
    fallback,
  })
  if (!made.ok) {
    const { reason, message } = made.refusal
    throw new PrecisError('gate-refused', message, { where: strategy.id, details: { reason } })
  }
  log.append({ type: 'COMPACTION', data: made.change })
  return made.report
}

function portOf(model: ModelLike): ModelPort {
  if (typeof model !== 'function') return model
  return {
    async ask(request) {
      const answer = await model(request)
      return typeof answer === 'string' ? { text: answer, stopReason: 'end' } : answer
    },
  }
}
