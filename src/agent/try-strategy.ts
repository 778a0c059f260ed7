// One attempt of a compaction: a strategy proposes, and what it proposed is applied when the thread allows.
import { asPrecisError, PrecisError } from '../core/errors.ts'
import type { Strategy } from '../core/strategy.ts'
import { sumUsage } from '../core/usage.ts'
import type { CompactionOutcome, PreparedCompaction } from '../threads/compact-thread.ts'
import { reportsOf } from './compaction-reports.ts'
import { type Ended, refused } from './compaction-result.ts'
import { type CompactionRun, infoOf } from './compaction-run.ts'
import { openFreshThread } from './fresh-session.ts'
import { pinningOf } from './pinning.ts'
import { BUSY, workOn } from './work.ts'

/** Never rejects: what went wrong is how it ended. */
export async function tryStrategy(
  run: CompactionRun,
  strategy: string | Strategy,
  instructions: string | undefined,
): Promise<Ended> {
  const { core, desk, order } = run
  const { threads, models } = core.ports
  const { signal, targetTokens, minTokens, nextPrompt, settings } = order
  try {
    const prepared = await threads.prepare(desk.threadId, strategy, {
      runId: run.runId,
      trigger: order.trigger,
      provider: models.summarizer,
      signal,
      pinning: await pinningOf(core, desk.threadId),
      ...order.asking,
      ...(targetTokens !== undefined && { targetTokens }),
      ...(minTokens !== undefined && { minTokens }),
      ...(instructions !== undefined && { instructions }),
      ...(nextPrompt !== undefined && { nextPrompt }),
      ...(settings && { settings }),
      ...(run.fallback && { fallback: run.fallback }),
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
    if (outcome.committed) return { end: 'committed', event: outcome.event, report: outcome.report }
    if (outcome.refusal.reason === 'above-target') run.nearest ??= prepared
    return refused(outcome.refusal.message, outcome.refusal.reason)
  } catch (thrown) {
    return failure(thrown, signal)
  }
}

/** Takes up again what was refused only because it is not small enough; nobody is asked anew. */
export async function settleForLess(run: CompactionRun): Promise<Ended | undefined> {
  const { nearest, order } = run
  const { acceptableTokens } = order
  if (!nearest || acceptableTokens === undefined) return undefined
  try {
    const outcome = await apply(run, { ...nearest, targetTokens: acceptableTokens })
    if (!outcome.committed) return undefined
    run.strategy = nearest.strategyId
    return { end: 'committed', event: outcome.event, report: outcome.report }
  } catch (thrown) {
    return failure(thrown, order.signal)
  }
}

/**
 * A count that a provider makes of the context before must not come after the compaction: not from this
 * process, nor from another one, once the turn that started it is over.
 */
async function apply(
  { core, desk, order }: CompactionRun,
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

export function failure(thrown: unknown, signal: AbortSignal): Ended {
  const error =
    thrown instanceof Error
      ? asPrecisError(thrown)
      : new PrecisError('internal', 'Compaction failed')
  return { end: signal.aborted || error.code === 'aborted' ? 'aborted' : 'failed', error }
}
