// One run of a compaction: told of when it starts, tried strategy by strategy, and ended exactly once.
import type { Trigger } from '../core/change.ts'
import type { TokenUsage } from '../core/content.ts'
import { asPrecisError, PrecisError } from '../core/errors.ts'
import type { CompactionResult, CompactionRunInfo } from '../core/frame.ts'
import type { Strategy } from '../core/strategy.ts'
import { sumUsage } from '../core/usage.ts'
import type { CompactionOutcome, PreparedCompaction } from '../threads/compact-thread.ts'
import type { Asking } from './asking.ts'
import { reportsOf } from './compaction-reports.ts'
import { type Ended, refused, resultOf } from './compaction-result.ts'
import type { AgentCore } from './core.ts'
import type { Desk } from './desk.ts'
import { FRESH_SESSION, openFreshThread } from './fresh-session.ts'
import { type HookedRun, runAfterHooks, runBeforeHooks } from './hooks.ts'
import { compactionSince, takeCompaction } from './one-compaction.ts'
import type { AgentModel } from './ports.ts'
import { traced } from './trace.ts'
import { BUSY, workOn } from './work.ts'

export interface CompactionOrder {
  readonly trigger: Trigger
  /** Tried in this order until one is committed. */
  readonly strategies: readonly (string | Strategy)[]
  readonly message: string // for people, when it starts
  /** It cannot even be proposed while calls wait for results: it begins when the round is over. */
  readonly isAtRest?: boolean
  readonly targetTokens?: number
  readonly minTokens?: number
  readonly instructions?: string
  readonly nextPrompt?: string
  /** The conversation's own model. */
  readonly model?: AgentModel
  /** How strategies ask for summaries. */
  readonly asking?: Asking
  readonly signal: AbortSignal
}

/** A run in progress: what is known of it so far. */
interface Run {
  readonly core: AgentCore
  readonly desk: Desk
  readonly order: CompactionOrder
  readonly runId: string
  strategy: string
  usage: TokenUsage | undefined // of the attempt that runs
  spent: TokenUsage | undefined // of all attempts
}

/**
 * Never rejects: a run that failed is a result with its error. Only one runs at a time on a thread; to
 * start another one is a mistake of the caller.
 */
export function runCompaction(
  core: AgentCore,
  desk: Desk,
  order: CompactionOrder,
): Promise<CompactionResult> {
  if (desk.compaction) throw new PrecisError('internal', 'A compaction runs already.')
  const own = new AbortController()
  const owned = { ...order, signal: AbortSignal.any([order.signal, own.signal]) }
  const running = traced('precis.compaction', { trigger: order.trigger }, () =>
    startToEnd(core, desk, owned),
  ).finally(() => {
    delete desk.compaction
    delete desk.stopCompaction
  })
  desk.compaction = running
  desk.stopCompaction = () => own.abort()
  return running
}

async function startToEnd(
  core: AgentCore,
  desk: Desk,
  order: CompactionOrder,
): Promise<CompactionResult> {
  const { ports, frames } = core
  const { threadId } = desk
  const startedMs = ports.clock.now().getTime()
  const runId = ports.ids.next('run')
  const strategy = idOf(order.strategies[0] ?? 'none')
  const run: Run = { core, desk, order, runId, strategy, usage: undefined, spent: undefined }
  frames.emit({ type: 'agent_thinking_start', threadId, message: order.message })
  frames.emit({ type: 'COMPACTION_START', threadId, ...infoOf(run), message: order.message })
  const ended = await alone(run).catch((thrown: unknown): Ended => failure(thrown, order.signal))
  const result = resultOf({
    info: infoOf(run),
    ended,
    durationMs: ports.clock.now().getTime() - startedMs,
    model: order.model,
    spent: run.spent,
  })
  if (result.success) frames.emit({ type: 'agent_thinking_complete', threadId })
  else if (result.error && result.end !== 'aborted')
    frames.emit({
      type: 'error',
      threadId,
      error: result.error,
      context: { operation: 'compact', threadId },
    })
  frames.emit({ type: 'COMPACTION_COMPLETE', threadId, ...result })
  await afterHooks(run, result)
  return result
}

/** A run in another process is waited for; what it has committed is the end of this one as well. */
async function alone(run: Run): Promise<Ended> {
  const { core, desk, order } = run
  const { threadId } = desk
  const { version } = await core.ports.threads.context(threadId)
  const waits = order.trigger !== 'tool' && order.trigger !== 'background'
  const lease = await takeCompaction(core, threadId, { waits, signal: order.signal })
  lease.lost.addEventListener('abort', () => desk.stopCompaction?.())
  try {
    const event = lease.waited ? await compactionSince(core, threadId, version) : undefined
    return event ? { end: 'committed', outcome: { committed: true, event } } : await attempt(run)
  } finally {
    await lease.release()
  }
}

async function attempt(run: Run): Promise<Ended> {
  const { core, desk, order } = run
  const hooked = await runBeforeHooks(core.ports.hooks ?? [], hookedRun(run), {
    clock: core.ports.clock,
    signal: order.signal,
  })
  for (const message of hooked.notices) notice(run, message)
  if (hooked.veto !== undefined) {
    const message = `A hook refused the compaction: ${hooked.veto}`
    const error = new PrecisError('gate-refused', message)
    await recordFailure(run, error)
    return { end: 'vetoed', error }
  }
  const pinned = new Set((await core.ports.threads.pins(desk.threadId)).map(({ text }) => text))
  for (const text of new Set(hooked.pins))
    if (!pinned.has(text)) await core.ports.threads.pin(desk.threadId, { text })
  const instructions = [order.instructions, ...hooked.instructions].filter(Boolean).join('\n\n')
  const strategies = hooked.strategy ? [hooked.strategy, ...order.strategies] : order.strategies
  return tryAll(run, strategies, instructions === '' ? undefined : instructions)
}

async function tryAll(
  run: Run,
  strategies: readonly (string | Strategy)[],
  instructions: string | undefined,
): Promise<Ended> {
  let last: Ended = { end: 'failed', error: new PrecisError('internal', 'There is no strategy.') }
  for (const [at, strategy] of strategies.entries()) {
    run.strategy = idOf(strategy)
    if (at > 0) fallingBack(run, last)
    const trying = () => tryOne(run, strategy, instructions)
    last = await (run.order.isAtRest ? run.desk.request.run(trying) : trying())
    // What the user stopped is not to be done in another way.
    if (last.end === 'committed' || last.end === 'aborted') return last
    // Where a new thread was to be started, nothing at all is written to this one.
    if (run.strategy !== FRESH_SESSION) await recordFailure(run, last.error)
  }
  return last
}

async function tryOne(
  run: Run,
  strategy: string | Strategy,
  instructions: string | undefined,
): Promise<Ended> {
  const { core, desk, order } = run
  const { threads, models } = core.ports
  const { signal, targetTokens, minTokens, nextPrompt } = order
  try {
    const prepared = await threads.prepare(desk.threadId, strategy, {
      runId: run.runId,
      trigger: order.trigger,
      provider: models.summarizer,
      signal,
      ...order.asking,
      ...(targetTokens !== undefined && { targetTokens }),
      ...(minTokens !== undefined && { minTokens }),
      ...(instructions !== undefined && { instructions }),
      ...(nextPrompt !== undefined && { nextPrompt }),
      ...reportsOf(core.frames, desk.threadId, infoOf(run), nextPrompt),
    })
    const { usage } = prepared.proposal
    if (usage) {
      run.usage = usage
      run.spent = sumUsage(run.spent, usage)
    }
    const { fresh } = prepared.proposal
    if (fresh) {
      const opened = await openFreshThread(core, desk.threadId, prepared, fresh)
      return { end: 'committed', fresh: opened }
    }
    const outcome = await apply(run, prepared)
    if (outcome.committed) return { end: 'committed', outcome }
    return refused(outcome.refusal.message, outcome.refusal.reason)
  } catch (thrown) {
    return failure(thrown, signal)
  }
}

/**
 * A count that a provider makes of the context before must not come after the compaction: not from this
 * process, nor from another one, once the turn that started it is over.
 */
async function apply(
  { core, desk, order }: Run,
  prepared: PreparedCompaction,
): Promise<CompactionOutcome> {
  const { threads } = core.ports
  // The agent's own call is part of the round that everybody else waits for.
  if (order.trigger === 'tool' || order.isAtRest) return threads.apply(desk.threadId, prepared)
  const commit = () =>
    desk.request.run(() => {
      // It may have waited long for the round to be over.
      if (order.signal.aborted) throw new PrecisError('aborted', 'The compaction was aborted.')
      return threads.apply(desk.threadId, prepared)
    })
  if (order.trigger !== 'background' || desk.work) return commit()
  const outcome = await workOn(core, desk, commit, { isBrief: true })
  if (outcome !== BUSY) return outcome
  const message = 'Another process works on the thread now.'
  return { committed: false, refusal: { reason: 'stale', message } }
}

function failure(thrown: unknown, signal: AbortSignal): Ended {
  const error =
    thrown instanceof Error
      ? asPrecisError(thrown)
      : new PrecisError('internal', 'Compaction failed')
  return { end: signal.aborted || error.code === 'aborted' ? 'aborted' : 'failed', error }
}

/** What a failed attempt cost is known where a proposal came of it, or where the error says it. */
async function recordFailure(run: Run, error: PrecisError): Promise<void> {
  const { threads } = run.core.ports
  const { runId, strategy: strategyId } = run
  const told = error.details.usage as TokenUsage | undefined
  const usage = run.usage ?? told
  if (told && !run.usage) run.spent = sumUsage(run.spent, told)
  run.usage = undefined
  await threads.append(
    run.desk.threadId,
    [
      {
        type: 'COMPACTION_FAILED',
        data: { runId, strategyId, reason: error.message, ...(usage && { usage }) },
      },
    ],
    { openCalls: 'leave' },
  )
}

function fallingBack(run: Run, last: Ended): void {
  const why = last.end === 'committed' ? '' : last.error.message
  const message = `${why} Trying ${run.strategy}.`
  run.core.frames.emit({
    type: 'COMPACTION_PROGRESS',
    threadId: run.desk.threadId,
    ...infoOf(run),
    message,
  })
}

async function afterHooks(run: Run, result: CompactionResult): Promise<void> {
  const { ports } = run.core
  const { signal } = run.order
  const notices = await runAfterHooks(ports.hooks ?? [], hookedRun(run), result, {
    clock: ports.clock,
    signal,
  })
  for (const message of notices) notice(run, message)
}

function hookedRun(run: Run): HookedRun {
  const { threadId } = run.desk
  const { instructions } = run.order
  return { threadId, ...infoOf(run), ...(instructions !== undefined && { instructions }) }
}

function notice(run: Run, message: string): void {
  const { threadId } = run.desk
  run.core.frames.emit({ type: 'notice', threadId, level: 'warning', message })
}

function infoOf({ runId, order, strategy }: Run): CompactionRunInfo {
  return { runId, trigger: order.trigger, strategy }
}

function idOf(strategy: string | Strategy): string {
  return typeof strategy === 'string' ? strategy : strategy.id
}
