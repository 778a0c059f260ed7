// Background compactions: beside the current turn, or as a job that any process may do.
import { PrecisError } from '../../core/errors.ts'
import type { Signal } from '../../core/model.ts'
import type { AgentCore, Turn } from '../core.ts'
import { BUSY, busyElsewhere, withThreadLease } from '../inbox/thread-lease.ts'
import { readWindowStatus, targetWeight, type WindowStatus } from '../loop/window-status.ts'
import type { ThreadRuntime } from '../thread-runtime.ts'
import { automaticOrder, decideByItself, noteResult } from './automatic-order.ts'
import { runCompaction } from './compaction.ts'
import type { Order } from './compaction-run.ts'

/**
 * Runs beside the turn, is applied between two requests, and covers only what it saw. With a queue, the
 * thread's job is stored when this resolves, so it runs even if this process dies.
 */
export async function prepareMeanwhile(
  turn: Turn,
  seen: WindowStatus,
  targetTokens: number,
): Promise<void> {
  const { core, desk } = turn
  if (desk.compaction) return
  const order = backgroundOrder(turn, seen, targetTokens)
  const isQueued = await core.ports.jobs?.add(desk.threadId).then(
    () => true,
    () => false, // then do it here
  )
  if (isQueued || desk.compaction) return
  void runCompaction(core, desk, order).then((result) => {
    noteResult(turn, result)
    // Messages that arrived during the commit found the thread busy.
    core.deliverWaiting(desk)
  })
}

/**
 * A thread's job, whenever it was queued: checks again what is to be done. Rejects to be retried, here or
 * elsewhere; a failed compaction is reported and not retried.
 */
export async function compactAsJob(
  core: AgentCore,
  threadId: string,
  given: Signal,
): Promise<void> {
  const desk = core.desks.of(threadId)
  const own = new AbortController()
  // Aborting the thread stops this, too.
  desk.waiting.add(own)
  const signal = AbortSignal.any([own.signal, core.closing, given as AbortSignal])
  try {
    await compactIfNeeded({ core, desk, signal, depth: 0 })
  } catch (thrown) {
    if (!PrecisError.is(thrown) || thrown.code !== 'unknown-thread') throw thrown
  } finally {
    desk.waiting.delete(own)
  }
  // Do not retry what a person stopped; leave to others what ended with this process.
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
  const result = await runCompaction(core, desk, order)
  // Nothing was done, and the holder of the thread may have died.
  if (result.error?.code === 'store-busy') throw result.error
  noteResult(turn, result)
  // Messages that arrived during the commit; another process checks its own.
  if (desk.isOurs) core.deliverWaiting(desk)
}

/**
 * A turn in another process would block the commit, so do not pay for a summary. That process works on jobs,
 * too, and can apply it between two requests.
 */
async function requireFree(core: AgentCore, desk: ThreadRuntime): Promise<void> {
  if (desk.work) return
  const outcome = await withThreadLease(core, desk, async () => undefined, { isBrief: true })
  if (outcome === BUSY) throw busyElsewhere(desk)
}

function backgroundOrder(turn: Turn, seen: WindowStatus, targetTokens: number): Order {
  const message = 'Preparing a compaction in the background...'
  return automaticOrder(turn, seen, message, { trigger: 'background', targetTokens })
}
