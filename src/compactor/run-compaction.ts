// One compaction of a message log: the requested strategy, or one without a model if that fails.
import { compactLog } from '../compaction/compact-log.ts'
import type { Trigger } from '../core/edit/change.ts'
import type { Pins } from '../core/edit/pins.ts'
import type { CompactionReport, ReportFallback } from '../core/edit/report.ts'
import { STRATEGIES_WITH_MODEL, type Strategy, unknownStrategy } from '../core/edit/strategy.ts'
import { asPrecisError, PrecisError } from '../core/errors.ts'
import type { PinData } from '../core/log/event.ts'
import type { Signal } from '../core/model.ts'
import type { AskAnswer, AskRequest, ModelPort } from '../core/ports.ts'
import { type Steps, wait } from '../core/steps.ts'
import { weightOf } from '../core/view/context.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import type { MessageLog } from '../messages/message-log.ts'

/** A model for summaries: a port, or a function from request to text. */
export type ModelLike = ModelPort | ((request: AskRequest) => Promise<string | AskAnswer>)

/** How to compact. `budget` is the target in estimated tokens. */
export interface RunChoices {
  readonly budget: number
  readonly strategy?: Strategy | string | undefined
  readonly model?: ModelLike | undefined
  readonly instructions?: string | undefined
  readonly nextPrompt?: string | undefined
  readonly signal?: Signal | undefined
  readonly windowTokens?: number | undefined
}

/** The strategies at hand. Those that ask a model are loaded on demand. */
export interface Kit {
  /** The default, and the fallback for a failed summary. */
  readonly cascade: Strategy
  /** Strategies without a model, by id. */
  readonly strategies: readonly Strategy[]
  /** Finds binding sentences of the user, oldest first; each compaction pins them. */
  readonly findBinding?: (reduce: MessageLog['reduce']) => readonly string[]
}

/** Appends one COMPACTION to the log, or two if a summary is still too long. Throws if impossible. */
export function* runCompaction(
  log: MessageLog,
  choices: RunChoices,
  trigger: Trigger,
  kit: Kit,
): Steps<CompactionReport> {
  const { strategy: asked, budget, model } = choices
  const { cascade } = kit
  const pins = [...log.pins, ...pinsFound(log, kit, budget)]
  if (asked === undefined && model === undefined)
    return yield* runStrategy(log, cascade, choices, trigger, pins)
  if (asked !== undefined)
    return yield* runStrategy(log, yield* findStrategy(asked, model, kit), choices, trigger, pins)
  let fallback: ReportFallback | undefined
  try {
    const report = yield* runStrategy(log, yield* loadDefault(), choices, trigger, pins)
    if (weightOf(log.context) <= budget) return report
    fallback = { from: report.strategyId, reason: 'The summary is longer than the budget.' }
  } catch (thrown) {
    const error = asPrecisError(thrown)
    if (error.code === 'aborted') throw error
    fallback = { from: 'brief', reason: error.message }
  }
  return yield* runStrategy(log, cascade, choices, trigger, pins, fallback)
}

/** Detected pins take at most a third of the budget, newest first. */
const PINS_SHARE = 3

function pinsFound({ pins, reduce }: MessageLog, { findBinding }: Kit, budget: number): PinData[] {
  const asked = new Set(pins.map(({ text }) => text))
  const found: PinData[] = []
  let room = Math.ceil(budget / PINS_SHARE)
  for (const text of (findBinding?.(reduce) ?? []).toReversed()) {
    if (asked.has(text)) continue
    room -= estimateTokens(text)
    if (room < 0) break
    found.unshift({ pinId: `found.${found.length + 1}`, text, by: 'detected' })
  }
  return found
}

function* loadDefault(): Steps<Strategy> {
  const { brief } = yield* wait(import('../strategies/summary/brief.ts'))
  return brief
}

function* findStrategy(asked: Strategy | string, model: unknown, kit: Kit): Steps<Strategy> {
  if (typeof asked !== 'string') return asked
  requireStrategy(asked, model, kit)
  const known = kit.strategies.find(({ id }) => id === asked)
  if (known) return known
  const { DEFAULT_STRATEGIES } = yield* wait(import('../strategies/index.ts'))
  const found = DEFAULT_STRATEGIES.find(({ id }) => id === asked)
  if (found) return found
  throw unknownStrategy(
    asked,
    DEFAULT_STRATEGIES.map(({ id }) => id),
  )
}

/** Throws for an unavailable strategy, before there is anything to compact. */
export function requireStrategy(
  asked: Strategy | string | undefined,
  model: unknown,
  { strategies }: Kit,
): void {
  if (typeof asked !== 'string') return
  const ids = strategies.map(({ id }) => id)
  if (ids.includes(asked) || (model !== undefined && LOADED.includes(asked))) return
  if (!STRATEGIES_WITH_MODEL.includes(asked))
    throw unknownStrategy(asked, [
      ...new Set([...ids, ...(model === undefined ? STRATEGIES_WITH_MODEL : LOADED)]),
    ])
  throw new PrecisError('no-model', `The strategy "${asked}" needs a model, but no model is set.`, {
    where: 'model',
    hint: `Pass \`model\`, or a strategy that needs none: ${ids.join(', ')}.`,
  })
}

/** Strategies `precis/light` can load if the call is asynchronous. */
const LOADED: readonly string[] = [...STRATEGIES_WITH_MODEL, 'extract', 'prune']

function* runStrategy(
  log: MessageLog,
  strategy: Strategy,
  choices: RunChoices,
  trigger: Trigger,
  pins: Pins,
  fallback?: ReportFallback,
): Steps<CompactionReport> {
  const { budget, model, instructions, nextPrompt, signal, windowTokens } = choices
  const provider = model === undefined ? undefined : openPort(model)
  const made = yield* compactLog({
    strategy,
    context: log.context,
    eventAt: log.eventAt,
    pins,
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

function openPort(model: ModelLike): ModelPort {
  const isFunction = typeof model === 'function'
  return {
    async ask(request) {
      const answer: unknown = await unlessFailed(
        async () => unlessAborted(isFunction ? model(request) : model.ask(request), request.signal),
        request.signal,
      )
      return readAnswer(answer)
    },
    ...(!isFunction && model.limitsOf && { limitsOf: model.limitsOf.bind(model) }),
    ...(!isFunction && model.converse && { converse: model.converse.bind(model) }),
  }
}

/** An error of the caller's model is the model's failure, not ours. */
async function unlessFailed<T>(ask: () => Promise<T>, signal: Signal | undefined): Promise<T> {
  try {
    return await ask()
  } catch (thrown) {
    if (PrecisError.is(thrown)) throw thrown
    const said = asPrecisError(thrown).message
    if (signal?.aborted) throw new PrecisError('aborted', 'The summary was aborted.')
    throw new PrecisError('model-failed', `The model failed: ${said}`, {
      where: 'model',
      hint: 'The error is the one that your model threw: see its `cause`.',
      cause: thrown,
    })
  }
}

function readAnswer(answer: unknown): AskAnswer {
  if (typeof answer === 'string') return { text: answer, stopReason: 'end' }
  const { text, stopReason } = Object(answer)
  if (typeof text === 'string' && typeof stopReason === 'string') return answer as AskAnswer
  throw new PrecisError(
    'model-failed',
    'The answer cannot be read: the model must return a text or { text, stopReason }.',
    { where: 'model', hint: "Return the text of the answer, or { text, stopReason: 'end' }." },
  )
}

/** The function may ignore signals: the caller does not wait longer than it wants. */
async function unlessAborted<T>(answer: T | Promise<T>, signal: Signal | undefined): Promise<T> {
  if (!signal) return answer
  const aborted = Promise.withResolvers<never>()
  const stop = () => aborted.reject(new PrecisError('aborted', 'The summary was aborted.'))
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    return await Promise.race([answer, aborted.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
