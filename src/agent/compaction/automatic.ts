// Automatic compaction: checked before each request and after each answer, decided by the policy.
import type { RunResult } from '../../core/agent/frame.ts'
import type { PrecisError } from '../../core/errors.ts'
import { type Decision, decide, observeReading, policyAfter } from '../../core/window/policy.ts'
import { triggerTokens } from '../../core/window/trigger.ts'
import type { Turn } from '../core.ts'
import { targetWeight, type WindowStatus } from '../loop/window-status.ts'
import {
  automaticOrder,
  capacityOf,
  decideByItself,
  fitting,
  isOverfull,
  MARGIN,
  noteResult,
} from './automatic-order.ts'
import { prepareMeanwhile } from './background.ts'
import { runCompaction } from './compaction.ts'
import type { Order } from './compaction-run.ts'

const MESSAGE = 'Approaching token limit, compacting conversation...'

/** Compacts if the policy says so. True if the context changed, so the caller must check again. */
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
      return (await compactNow(turn, order)).success
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

/** Once each time the level is reached. */
function warn({ core, desk }: Turn, { reading, model }: WindowStatus): void {
  if (desk.isWarned) return
  desk.isWarned = true
  const { tokens = 0 } = reading
  const share = model.windowTokens ? ` (${Math.round((tokens / model.windowTokens) * 100)} %)` : ''
  const message = `The context is nearly full: ${tokens} tokens${share}. The agent will compact it automatically soon; /compact does it now.`
  core.frames.emit({ type: 'notice', threadId: desk.threadId, level: 'warning', message })
}

/** After each answer: the first real count shows whether the last compaction helped. */
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
 * After a request was refused as too long. The result says whether a retry makes sense: only if the context
 * became smaller.
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
  const before = seen.state.context.tokens
  const result = await compactNow(turn, order)
  if (!result.success) return { retry: false, why: result.error?.message ?? 'It failed.' }
  const after = await core.ports.threads.context(desk.threadId)
  return after.tokens < before
    ? { retry: true }
    : { retry: false, why: 'The compaction did not make the context smaller.' }
}

/** Waits for a compaction that is already running, which may be enough; its initiator records the result. */
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

/** Says it once. */
function tell(
  { core, desk }: Turn,
  { message, tell: isNew }: Decision & { tell: boolean; message: string },
): void {
  if (!isNew) return
  desk.policy = policyAfter(desk.policy, { type: 'told' })
  core.frames.emit({ type: 'notice', threadId: desk.threadId, level: 'warning', message })
}
