// Compactions in the background: beside the turn that asks for one, or as a job that any process may do.
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
 * Goes on while the turn does; applied between two requests, and covers only what it saw. Where there is
 * a queue, the thread stands in it when this resolves: whatever becomes of this process, it is done.
 */
export async function prepareMeanwhile(
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
