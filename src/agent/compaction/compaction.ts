// Runs one compaction: emits start, calls src/compaction, emits exactly one end.
import { compactThread, type Door, failed, readId } from '../../compaction/compact-thread.ts'
import type { Committed, Refused } from '../../compaction/plan.ts'
import { RunTab } from '../../compaction/run-tab.ts'
import type { RunResult } from '../../core/agent/frame.ts'
import { sentence } from '../../core/edit/report-text.ts'
import { FRESH_SESSION } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import type { ModelPort } from '../../core/ports.ts'
import { threadBills } from '../../threads/compaction-progress.ts'
import { type AgentCore, traced } from '../core.ts'
import { type HookedRun, runAfterHooks, runBeforeHooks } from '../hooks.ts'
import { BUSY, withThreadLease } from '../inbox/thread-lease.ts'
import { waitingIn } from '../inbox/waiting.ts'
import { retryTeller } from '../loop/answer.ts'
import type { AgentModel } from '../ports.ts'
import type { ThreadRuntime } from '../thread-runtime.ts'
import { compactionSince, takeCompaction } from './compaction-lease.ts'
import {
  type Order,
  type RunEnd,
  type RunState,
  readInfo,
  readResult,
  remindModel,
} from './compaction-run.ts'
import { queuedAgain } from './fresh-session.ts'

/**
 * Never rejects; a failed run resolves to a result that holds its error. Only one may run per thread:
 * starting another is a bug of the caller.
 */
export function runCompaction(
  core: AgentCore,
  desk: ThreadRuntime,
  order: Order,
): Promise<RunResult> {
  if (desk.compaction) throw new PrecisError('internal', 'A compaction is already running.')
  const own = new AbortController()
  const signal = AbortSignal.any([order.plan.signal, own.signal])
  const { trigger } = order.plan
  const running = traced('precis.compaction', { trigger }, () =>
    startToEnd(core, desk, { ...order, plan: { ...order.plan, signal } }),
  ).finally(() => {
    delete desk.compaction
    delete desk.stopCompaction
  })
  desk.compaction = running
  desk.stopCompaction = () => own.abort()
  return running
}

async function startToEnd(core: AgentCore, desk: ThreadRuntime, order: Order): Promise<RunResult> {
  const { ports, frames } = core
  const { threadId } = desk
  const startedMs = ports.clock.now().getTime()
  const runId = ports.ids.next('run')
  const strategy = readId(order.plan.strategies[0] ?? 'none')
  const run: RunState = { core, desk, order, runId, strategy, spent: undefined }
  frames.emit({ type: 'agent_thinking_start', threadId, message: order.message })
  frames.emit({ type: 'COMPACTION_START', threadId, ...readInfo(run), message: order.message })
  const ended = await alone(run).catch(
    (thrown: unknown): RunEnd => failed(thrown, order.plan.signal.aborted),
  )
  const durationMs = ports.clock.now().getTime() - startedMs
  const result = readResult(run, ended, durationMs, await openSummarizer(run))
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

/** Another model often writes the summaries, at another price. */
async function openSummarizer({ core, order, spent }: RunState): Promise<AgentModel | undefined> {
  if (spent?.model === undefined) return undefined
  if (spent.model === order.model?.ref) return order.model
  return core.ports.models.resolve(spent.model, order.plan.signal).catch(() => undefined)
}

/** Waits for a run in another process and shares its result. */
async function alone(run: RunState): Promise<RunEnd> {
  const { core, desk, order } = run
  const { threadId } = desk
  const { trigger, signal } = order.plan
  const version = order.seenVersion ?? (await core.ports.threads.context(threadId)).version
  const waits = trigger !== 'tool' && trigger !== 'background'
  const lease = await takeCompaction(core, threadId, { waits, signal })
  lease.lost.addEventListener('abort', () => {
    run.isLost = true
    run.tab?.lose()
    desk.stopCompaction?.()
  })
  try {
    const event = lease.waited ? await compactionSince(core, threadId, version) : undefined
    if (!event) return await attempt(run)
    run.strategy = event.data.strategyId
    return { end: 'committed', event }
  } finally {
    await lease.release()
  }
}

async function attempt(run: RunState): Promise<RunEnd> {
  const { core, desk, order } = run
  const { plan } = order
  const hooked = await runBeforeHooks(core.ports.hooks ?? [], hookedRun(run), {
    clock: core.ports.clock,
    signal: plan.signal,
  })
  for (const message of hooked.notices) notice(run, message)
  if (hooked.veto !== undefined) {
    const message = `A hook refused the compaction: ${hooked.veto}`
    const error = new PrecisError('gate-refused', message)
    await recordFailure(run, { strategyId: run.strategy, error })
    return { end: 'vetoed', error }
  }
  const { threads, store } = core.ports
  const bills = threadBills(store, desk.threadId)
  run.tab = await RunTab.open(bills, run.runId, () => threads.getEvents(desk.threadId))
  const texts = [...new Set([...(core.settings.pins ?? []), ...hooked.pins])]
  const { entries } = hooked
  const said = [plan.instructions, ...hooked.instructions].filter(Boolean).join('\n\n')
  const road = await compactThread(
    core.ports.threads,
    desk.threadId,
    {
      ...plan,
      runId: run.runId,
      strategies: hooked.strategy ? [hooked.strategy, ...plan.strategies] : plan.strategies,
      instructions: said === '' ? undefined : said,
      pins: [
        ...texts.map((text) => ({ text, by: 'user' as const })),
        ...(entries.length > 0 ? [{ entries, by: 'pattern' as const }] : []),
      ],
      ...buildReports(run),
    },
    buildDoor(run),
  )
  run.strategy = road.strategyId
  run.spent = road.spent
  if ('error' in road) return { end: road.end, error: road.error }
  const { committed, record } = road
  if (committed.event) return { end: 'committed', ...committed }
  const unverified = record.proposal.fresh?.unverified ?? []
  if (unverified.length > 0)
    notice(run, `The summary names what the conversation does not have: ${unverified.join(', ')}`)
  return { end: 'committed', fresh: committed.fresh }
}

/** The agent's part: when to commit, what to record, what moves along. */
function buildDoor(run: RunState): Door {
  const { core, desk, order } = run
  return {
    ...(order.isAtRest && { attempt: (trying) => desk.request.run(trying) }),
    tab: run.tab,
    async commit(apply) {
      const outcome = await whenAllowed(run, apply)
      if (outcome.committed) await run.tab?.settle()
      return outcome
    },
    onAttempt(strategyId, fallback) {
      run.strategy = strategyId
      if (!fallback) return
      const message = `${sentence(fallback.reason)} Trying ${strategyId}.`
      const { threadId } = desk
      core.frames.emit({ type: 'COMPACTION_PROGRESS', threadId, ...readInfo(run), message })
    },
    // A failed fresh session writes nothing to this thread (FRESH-30).
    onFailure: async (failure) => {
      if (failure.strategyId === FRESH_SESSION || run.isLost) return run.tab?.carry()
      await recordFailure(run, failure)
      await run.tab?.settle()
    },
    moving: async () => (await waitingIn(core, desk.threadId)).map(queuedAgain),
  }
}

/**
 * A provider's count of the old context must not follow the compaction: neither from this process nor, after
 * the turn, from another.
 */
async function whenAllowed(
  { core, desk, order }: RunState,
  apply: () => Promise<Committed | Refused>,
): Promise<Committed | Refused> {
  const { trigger, signal } = order.plan
  // The agent's own call is part of the round the others wait for.
  if (trigger === 'tool' || order.isAtRest) return apply()
  const commit = () =>
    desk.request.run(() => {
      // The wait for the end of the round may have been long.
      if (signal.aborted) throw new PrecisError('aborted', 'The compaction was aborted.')
      return apply()
    })
  if (trigger !== 'background' || desk.work) return commit()
  const outcome = await withThreadLease(core, desk, commit, { isBrief: true })
  if (outcome !== BUSY) return outcome
  const message = 'Another process works on the thread now.'
  return { committed: false, refusal: { reason: 'stale', message } }
}

async function recordFailure(
  { core, desk, runId }: RunState,
  { strategyId, error, usage }: Parameters<NonNullable<Door['onFailure']>>[0],
): Promise<void> {
  const data = { runId, strategyId, reason: error.message, ...(usage && { usage }) }
  await core.ports.threads.append(desk.threadId, [{ type: 'COMPACTION_FAILED', data }], {
    openCalls: 'leave',
  })
}

/** Progress reported by a strategy. `nextPrompt` is shown with it, because it waits for the end. */
function buildReports(run: RunState): Pick<Order['plan'], 'provider' | 'onProgress' | 'onWarning'> {
  const { core, desk, order } = run
  const { threadId } = desk
  const { nextPrompt, provider } = order.plan
  return {
    ...(provider && { provider: withRetriesTold(run, provider) }),
    onProgress({ message, done, total }) {
      core.frames.emit({
        type: 'COMPACTION_PROGRESS',
        threadId,
        ...readInfo(run),
        message,
        ...(total > 0 && { share: done / total }),
        done,
        total,
        ...(nextPrompt !== undefined && { nextPrompt }),
      })
    },
    onWarning: (message) => notice(run, message),
  }
}

function withRetriesTold(run: RunState, port: ModelPort): ModelPort {
  const onRetry = retryTeller(run)
  const { converse, limitsOf } = port
  return {
    ask: (request) => port.ask({ ...request, onRetry }),
    ...(limitsOf && { limitsOf: limitsOf.bind(port) }),
    ...(converse && { converse: (request) => converse.call(port, { ...request, onRetry }) }),
  }
}

async function afterHooks(run: RunState, result: RunResult): Promise<void> {
  const { ports } = run.core
  const { signal } = run.order.plan
  const { notices, reminders } = await runAfterHooks(ports.hooks ?? [], hookedRun(run), result, {
    clock: ports.clock,
    signal,
  })
  for (const message of notices) notice(run, message)
  if (reminders.length === 0 || result.end === 'aborted') return
  await remindModel(run, result, reminders).catch((error: Error) =>
    notice(run, `The reminder of a hook was not added: ${error.message}`),
  )
}

function hookedRun(run: RunState): HookedRun {
  const { threadId } = run.desk
  const { instructions } = run.order.plan
  return { threadId, ...readInfo(run), ...(instructions !== undefined && { instructions }) }
}

function notice(run: RunState, message: string): void {
  const { threadId } = run.desk
  run.core.frames.emit({ type: 'notice', threadId, level: 'warning', message })
}
