// One run of a compaction: told of when it starts, tried strategy by strategy, and ended exactly once.
import type { TokenUsage } from '../core/content.ts'
import { PrecisError } from '../core/errors.ts'
import type { CompactionResult } from '../core/frame.ts'
import type { Strategy } from '../core/strategy.ts'
import { sumUsage } from '../core/usage.ts'
import { type Ended, resultOf } from './compaction-result.ts'
import { type CompactionOrder, type CompactionRun, idOf, infoOf } from './compaction-run.ts'
import type { AgentCore } from './core.ts'
import type { Desk } from './desk.ts'
import { FRESH_SESSION } from './fresh-session.ts'
import { type HookedRun, runAfterHooks, runBeforeHooks } from './hooks.ts'
import { compactionSince, takeCompaction } from './one-compaction.ts'
import type { AgentModel } from './ports.ts'
import { traced } from './trace.ts'
import { failure, settleForLess, tryStrategy } from './try-strategy.ts'

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
  const run: CompactionRun = {
    core,
    desk,
    order,
    runId,
    strategy,
    usage: undefined,
    spent: undefined,
  }
  frames.emit({ type: 'agent_thinking_start', threadId, message: order.message })
  frames.emit({ type: 'COMPACTION_START', threadId, ...infoOf(run), message: order.message })
  const ended = await alone(run).catch((thrown: unknown): Ended => failure(thrown, order.signal))
  const result = resultOf({
    info: infoOf(run),
    ended,
    durationMs: ports.clock.now().getTime() - startedMs,
    model: await summarizerOf(run),
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

/** Summaries are often made by another model than that of the conversation, at another price. */
async function summarizerOf({
  core,
  order,
  spent,
}: CompactionRun): Promise<AgentModel | undefined> {
  if (spent?.model === undefined) return undefined
  if (spent.model === order.model?.ref) return order.model
  return core.ports.models.resolve(spent.model, order.signal).catch(() => undefined)
}

/** A run in another process is waited for; what it has committed is the end of this one as well. */
async function alone(run: CompactionRun): Promise<Ended> {
  const { core, desk, order } = run
  const { threadId } = desk
  const { version } = await core.ports.threads.context(threadId)
  const waits = order.trigger !== 'tool' && order.trigger !== 'background'
  const lease = await takeCompaction(core, threadId, { waits, signal: order.signal })
  lease.lost.addEventListener('abort', () => desk.stopCompaction?.())
  try {
    const event = lease.waited ? await compactionSince(core, threadId, version) : undefined
    return event ? { end: 'committed', event } : await attempt(run)
  } finally {
    await lease.release()
  }
}

async function attempt(run: CompactionRun): Promise<Ended> {
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
  for (const text of new Set([...(core.settings.pins ?? []), ...hooked.pins]))
    if (!pinned.has(text)) await core.ports.threads.pin(desk.threadId, { text })
  const instructions = [order.instructions, ...hooked.instructions].filter(Boolean).join('\n\n')
  const strategies = hooked.strategy ? [hooked.strategy, ...order.strategies] : order.strategies
  return tryAll(run, strategies, instructions === '' ? undefined : instructions)
}

async function tryAll(
  run: CompactionRun,
  strategies: readonly (string | Strategy)[],
  instructions: string | undefined,
): Promise<Ended> {
  let last: Ended = {
    end: 'failed',
    error: new PrecisError('internal', 'No strategy is configured.'),
  }
  // That one came near says more than that another one had nothing to do, and asks for less the next time.
  let nearest: Ended | undefined
  for (const [at, strategy] of strategies.entries()) {
    const from = run.strategy
    run.strategy = idOf(strategy)
    if (at > 0) fallingBack(run, from, last)
    const trying = () => tryStrategy(run, strategy, instructions)
    last = await (run.order.isAtRest ? run.desk.request.run(trying) : trying())
    // What the user stopped is not to be done in another way.
    if (last.end === 'committed' || last.end === 'aborted') return last
    // Where a new thread was to be started, nothing at all is written to this one.
    if (run.strategy !== FRESH_SESSION) await recordFailure(run, last.error)
    // Whoever named it wants to know; another one in its place would hide the slip.
    if (last.error.code === 'unknown-strategy') return last
    if (last.error.details.reason === 'above-target') nearest = last
  }
  return (await settleForLess(run)) ?? nearest ?? last
}

/** What a failed attempt cost is known where a proposal came of it, or where the error says it. */
async function recordFailure(run: CompactionRun, error: PrecisError): Promise<void> {
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

function fallingBack(run: CompactionRun, from: string, last: Ended): void {
  const why = last.end === 'committed' ? '' : last.error.message
  run.fallback = { from, reason: why }
  const message = `${why} Trying ${run.strategy}.`
  run.core.frames.emit({
    type: 'COMPACTION_PROGRESS',
    threadId: run.desk.threadId,
    ...infoOf(run),
    message,
  })
}

async function afterHooks(run: CompactionRun, result: CompactionResult): Promise<void> {
  const { ports } = run.core
  const { signal } = run.order
  const notices = await runAfterHooks(ports.hooks ?? [], hookedRun(run), result, {
    clock: ports.clock,
    signal,
  })
  for (const message of notices) notice(run, message)
}

function hookedRun(run: CompactionRun): HookedRun {
  const { threadId } = run.desk
  const { instructions } = run.order
  return { threadId, ...infoOf(run), ...(instructions !== undefined && { instructions }) }
}

function notice(run: CompactionRun, message: string): void {
  const { threadId } = run.desk
  run.core.frames.emit({ type: 'notice', threadId, level: 'warning', message })
}
