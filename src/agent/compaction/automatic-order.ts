// Automatic compactions: the decision, the order, and what is remembered of the result.
import type { CompactionPlan } from '../../compaction/plan.ts'
import type { RunResult } from '../../core/agent/frame.ts'
import { buildMarker, weightOf } from '../../core/view/context.ts'
import { type Decision, decide, policyAfter } from '../../core/window/policy.ts'
import { computeCapacity, windowOf } from '../../core/window/trigger.ts'
import type { Turn } from '../core.ts'
import { targetWeight, type WindowStatus } from '../loop/window-status.ts'
import type { Order } from './compaction-run.ts'
import { planFor, strategiesFor } from './compaction-settings.ts'

export async function decideByItself(turn: Turn, seen: WindowStatus): Promise<Decision> {
  const { core, desk } = turn
  await readPolicy(turn, seen)
  return decide({
    policy: seen.policy,
    state: desk.policy,
    signal: 'auto',
    reading: seen.reading,
    budget: seen.budget,
    nowMs: core.ports.clock.now().getTime(),
  })
}

/** The cooldown survives a restart: the log has the time of the last compaction. */
async function readPolicy({ core, desk }: Turn, { state }: WindowStatus): Promise<void> {
  if (desk.isPolicyRead) return
  desk.isPolicyRead = true
  const marker = buildMarker(state.context)
  if (marker === undefined) return
  const events = await core.ports.threads.getEvents(desk.threadId)
  const event = events.find(({ seq, type }) => seq === marker && type === 'COMPACTION')
  if (event) desk.policy = { ...desk.policy, lastCompactionAtMs: event.timestamp.getTime() }
}

/** Never for a preset that does nothing automatically: its policy is switched off. */
export function automaticOrder(
  turn: Turn,
  seen: WindowStatus,
  message: string,
  given: Pick<
    CompactionPlan,
    'trigger' | 'targetTokens' | 'acceptableTokens' | 'lastResort' | 'isOverfull'
  >,
): Order {
  const { choices, preset, model } = seen
  const strategies = strategiesFor({
    preset,
    on: 'automatic',
    ...(choices.strategy !== undefined && { chosen: choices.strategy }),
    hasModel: true,
  })
  return {
    plan: planFor(turn, { preset, seen }, { ...given, strategies }),
    message,
    model,
    seenVersion: seen.state.context.version,
  }
}

export function noteResult({ core, desk }: Turn, result: RunResult): void {
  if (result.end === 'aborted' || result.end === 'vetoed') return
  const atMs = core.ports.clock.now().getTime()
  desk.policy = policyAfter(
    desk.policy,
    result.success ? { type: 'compacted', atMs } : { type: 'failed' },
  )
}

/** For an unreachable target: anything below this limit that is smaller than now is acceptable. */
export function fitting(
  seen: WindowStatus,
  limitTokens: number | undefined,
  margin: number,
): Pick<Order['plan'], 'acceptableTokens' | 'lastResort'> {
  const smaller = Math.floor(MARGIN * weightOf(seen.state.context))
  const fits =
    limitTokens === undefined ? smaller : targetWeight(seen, Math.ceil(margin * limitTokens) - 1)
  return { acceptableTokens: Math.min(smaller, fits), lastResort: LAST_RESORT }
}

export function capacityOf({ budget }: WindowStatus): number | undefined {
  const window = windowOf(budget)
  return window === undefined ? undefined : computeCapacity(budget, window)
}

/** Whether no request can hold the context, if the window is known. */
export function isOverfull(seen: WindowStatus): boolean {
  const { tokens = 0 } = seen.reading
  return tokens > (capacityOf(seen) ?? Number.POSITIVE_INFINITY)
}

const LAST_RESORT = 'cascade'

export const MARGIN = 0.9
