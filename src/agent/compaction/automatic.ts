// Automatic compaction: looked at before each request and after each answer, decided by the policy, then done.
// Compactions in the background: beside the turn that asks for one, or as a job that any process may do.
import type { RunResult } from '../../core/agent/frame.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Signal } from '../../core/ports.ts'
import {
  type Decision,
  decide,
  observeReading,
  policyAfter,
  triggerTokens,
} from '../../core/window/policy.ts'
import type { AgentCore, ThreadRuntime, Turn } from '../core.ts'
import { BUSY, busyElsewhere, withThreadLease } from '../inbox/thread-lease.ts'
import { readWindowStatus, targetWeight, type WindowStatus } from '../loop/window-status.ts'
import { runCompaction } from './compaction.ts'
import type { Order } from './compaction-run.ts'
import {
  automaticOrder,
  capacityOf,
  decideByItself,
  fitting,
  isOverfull,
  MARGIN,
  noteResult,
} from './compaction-settings.ts'

const MESSAGE = 'Approaching token limit, compacting conversation...'

/** Compacts where the policy says so. True where the context has changed, so that one must look again. */
export async function compactIfFull(turn: Turn, seen: WindowStatus): Promise<boolean> {
  const { desk } = turn
  const decision = await decideByItself(turn, seen)
  switch (decision.type) {
    case 'compact': {
      const order = automaticOrder(turn, seen, MESSAGE, {
        trigger: 'auto',
        targetTokens: chooseTarget(seen, decision),
        ...fitting(seen, triggerTokens(seen.policy, seen.budget), 1),
        isOverfull: isOverfull(seen),
      })
      return order !== undefined && (await compactNow(turn, order)).success
    }
    case 'prepare':
      await prepareMeanwhile(turn, seen, targetWeight(seen, decision.targetTokens))
      return false
    case 'paused':
    case 'irreducible':
      tell(turn, decision)
      return false
    case 'warn':
      warn(turn, seen)
      return false
    default:
      desk.isWarned = false
      return false
  }
}

/** Once for each time that the level is reached. */
function warn({ core, desk }: Turn, { reading, model }: WindowStatus): void {
  if (desk.isWarned) return
  desk.isWarned = true
  const { tokens = 0 } = reading
  const share = model.windowTokens ? ` (${Math.round((tokens / model.windowTokens) * 100)} %)` : ''
  const message = `The context is nearly full: ${tokens} tokens${share}. The agent will compact it automatically soon; /compact does it now.`
  core.frames.emit({ type: 'notice', threadId: desk.threadId, level: 'warning', message })
}

/** After each answer: whether the last compaction helped shows in the first real count. */
export function noteReading({ core, desk }: Turn, seen: WindowStatus): void {
  desk.policy = observeReading(desk.policy, seen)
  const { windowTokens } = seen.model
  core.frames.emit({
    type: 'reading',
    threadId: desk.threadId,
    reading: seen.reading,
    ...(windowTokens !== undefined && { windowTokens }),
  })
}

/**
 * After a request that was refused as too long. The result says whether it is worth another try: only
 * where the context has really become smaller.
 */
export async function compactForOverflow(
  turn: Turn,
  seen: WindowStatus,
  refused: PrecisError,
): Promise<{ readonly retry: true } | { readonly retry: false; readonly why: string }> {
  const { core, desk } = turn
  const decision = decide({
    policy: seen.policy,
    state: desk.policy,
    signal: 'overflow',
    reading: seen.reading,
    budget: seen.budget,
    nowMs: core.ports.clock.now().getTime(),
  })
  if (decision.type === 'irreducible') return { retry: false, why: decision.message }
  if (decision.type !== 'compact')
    return { retry: false, why: 'Automatic compaction is switched off.' }
  const order = automaticOrder(turn, seen, `${refused.message} Compacting conversation...`, {
    trigger: 'overflow',
    targetTokens: chooseTarget(seen, decision),
    ...fitting(seen, capacityOf(seen), MARGIN),
  })
  if (!order) return { retry: false, why: 'This preset does not compact automatically.' }
  const before = seen.state.context.tokens
  const result = await compactNow(turn, order)
  if (!result.success) return { retry: false, why: result.error?.message ?? 'It failed.' }
  const after = await core.ports.threads.context(desk.threadId)
  return after.tokens < before
    ? { retry: true }
    : { retry: false, why: 'The compaction did not make the context smaller.' }
}

/**
 * A compaction that runs already is waited for: it may be all that is needed, and whoever started it
 * takes note of it.
 */
async function compactNow(turn: Turn, order: Order): Promise<RunResult> {
  const { core, desk } = turn
  while (desk.compaction) {
    const running = await desk.compaction
    if (running.success || turn.signal.aborted) return running
  }
  const result = await runCompaction(core, desk, order)
  noteResult(turn, result)
  return result
}

function chooseTarget(
  seen: WindowStatus,
  { targetTokens }: Decision & { type: 'compact' },
): number | undefined {
  return targetTokens === undefined ? undefined : targetWeight(seen, targetTokens)
}

/** Once; then it is known. */
function tell(
  { core, desk }: Turn,
  { message, tell: isNew }: Decision & { tell: boolean; message: string },
): void {
  if (!isNew) return
  desk.policy = policyAfter(desk.policy, { type: 'told' })
  core.frames.emit({ type: 'notice', threadId: desk.threadId, level: 'warning', message })
}

/**
 * Goes on while the turn does; applied between two requests, and covers only what it saw. Where there is
 * a queue, the thread stands in it when this resolves: whatever becomes of this process, it is done.
 */
async function prepareMeanwhile(
  turn: Turn,
  seen: WindowStatus,
  targetTokens: number,
): Promise<void> {
  const { core, desk } = turn
  if (desk.compaction) return
  const order = backgroundOrder(turn, seen, targetTokens)
  if (!order) return
  const isQueued = await core.ports.jobs?.add(desk.threadId).then(
    () => true,
    () => false, // done here, then
  )
  if (isQueued || desk.compaction) return
  void runCompaction(core, desk, order).then((result) => {
    noteResult(turn, result)
    // Whoever came while it was applied has found the thread at work.
    core.deliverWaiting(desk)
  })
}

/**
 * The job of a thread, whoever put it in line, and when: it looks again at what there is to do. Rejects
 * where it is to be tried again, here or elsewhere; a compaction that fails is told and done with.
 */
export async function compactAsJob(
  core: AgentCore,
  threadId: string,
  given: Signal,
): Promise<void> {
  const desk = core.desks.of(threadId)
  const own = new AbortController()
  // Stopping the thread stops this, too.
  desk.waiting.add(own)
  const signal = AbortSignal.any([own.signal, core.closing, given as AbortSignal])
  try {
    await compactIfNeeded({ core, desk, signal, depth: 0 })
  } catch (thrown) {
    if (!PrecisError.is(thrown) || thrown.code !== 'unknown-thread') throw thrown
  } finally {
    desk.waiting.delete(own)
  }
  // What was stopped by a person is not to be done; what ended with this process is for another.
  if (core.closing.aborted || given.aborted)
    throw new PrecisError('aborted', 'The job was stopped before it was done.')
}

async function compactIfNeeded(turn: Turn): Promise<void> {
  const { core, desk, signal } = turn
  while (desk.compaction) await desk.compaction
  if (!signal.aborted) await requireFree(core, desk)
  const seen = await readWindowStatus(turn)
  const decision = await decideByItself(turn, seen)
  const { targetTokens } = 'targetTokens' in decision ? decision : {}
  if (targetTokens === undefined || signal.aborted || desk.compaction) return
  const order = backgroundOrder(turn, seen, targetWeight(seen, targetTokens))
  if (!order) return
  const result = await runCompaction(core, desk, order)
  // Nothing was done, and whoever holds the thread may have died.
  if (result.error?.code === 'store-busy') throw result.error
  noteResult(turn, result)
  // Whoever came while it was applied: where that was elsewhere, they look again themselves.
  if (desk.isOurs) core.deliverWaiting(desk)
}

/**
 * A turn in another process would not let the result be applied: nobody is asked for a summary then. That
 * process works on jobs as well, and can apply it between two requests.
 */
async function requireFree(core: AgentCore, desk: ThreadRuntime): Promise<void> {
  if (desk.work) return
  const outcome = await withThreadLease(core, desk, async () => undefined, { isBrief: true })
  if (outcome === BUSY) throw busyElsewhere(desk)
}

function backgroundOrder(turn: Turn, seen: WindowStatus, targetTokens: number): Order | undefined {
  const message = 'Preparing a compaction in the background...'
  return automaticOrder(turn, seen, message, { trigger: 'background', targetTokens })
}
