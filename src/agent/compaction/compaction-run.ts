// One compaction run: its order, its state, and its result.
import type { CompactionPlan, FreshThread } from '../../compaction/plan.ts'
import type { RunTab } from '../../compaction/run-tab.ts'
import type { RunInfo, RunResult } from '../../core/agent/frame.ts'
import type { CompactionReport } from '../../core/edit/report.ts'
import type { PrecisError } from '../../core/errors.ts'
import { asReminder, type EventOf } from '../../core/log/event.ts'
import { threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import type { AgentCore } from '../core.ts'
import { checkpointDrafts, readPreset } from '../loop/window-status.ts'
import type { AgentModel } from '../ports.ts'
import type { ThreadRuntime } from '../thread-runtime.ts'

/** A plan with what only the agent needs. */
export interface Order {
  readonly plan: CompactionPlan & { readonly signal: AbortSignal }
  readonly message: string // shown when it starts
  /** The thread version the decision was based on. */
  readonly seenVersion?: number | undefined
  /** Cannot be proposed while calls are open, so it starts after the round. */
  readonly isAtRest?: boolean
  /** The conversation's own model. */
  readonly model?: AgentModel | undefined
}

/** The state of a running compaction. */
export interface RunState {
  readonly core: AgentCore
  readonly desk: ThreadRuntime
  readonly order: Order
  readonly runId: string
  strategy: string
  spent: TokenUsage | undefined // of all attempts
  tab?: RunTab // its spending, once it holds the thread
  isLost?: boolean // another process took the thread
}

export type RunEnd =
  | {
      readonly end: 'committed'
      readonly event: EventOf<'COMPACTION'>
      /** Absent if another process committed it. */
      readonly report?: CompactionReport
    }
  | { readonly end: 'committed'; readonly fresh: FreshThread }
  | { readonly end: 'refused' | 'vetoed' | 'aborted' | 'failed'; readonly error: PrecisError }

export function readInfo({ runId, order, strategy }: RunState): RunInfo {
  return { runId, trigger: order.plan.trigger, strategy }
}

/** `model` wrote the summaries, if known. */
export function readResult(
  run: RunState,
  ended: RunEnd,
  durationMs: number,
  model: Pick<AgentModel, 'costOf'> | undefined,
): RunResult {
  const { spent } = run
  const base = { ...readInfo(run), success: ended.end === 'committed', end: ended.end, durationMs }
  const costUsd = spent && model?.costOf(spent)
  const cost = { ...(spent && { usage: spent }), ...(costUsd !== undefined && { costUsd }) }
  if (ended.end !== 'committed') return { ...base, error: ended.error, ...cost }
  if ('fresh' in ended) return { ...base, fresh: ended.fresh, ...cost }
  const { event, report } = ended
  const { before, after } = event.data
  const saved =
    before?.tokens === undefined || after?.tokens === undefined
      ? undefined
      : Math.max(0, before.tokens - after.tokens)
  return {
    ...base,
    end: readEnd(event),
    event,
    ...(before && { before }),
    ...(after && { after }),
    ...(saved !== undefined && { tokensSaved: saved }),
    ...cost,
    ...(report && { report }),
  }
}

/** A command may commit a change without edits (ALWAYS-02), which changes nothing. */
export function readEnd({ data }: EventOf<'COMPACTION'>): 'committed' | 'nothing' {
  return data.edits.length === 0 ? 'nothing' : 'committed'
}

/** Sends the hooks' text to the model, after the results if calls are open. */
export async function remindModel(
  { core, desk }: RunState,
  { fresh }: RunResult,
  texts: readonly string[],
): Promise<void> {
  const { threads } = core.ports
  const appended = await threads.append(
    fresh?.threadId ?? desk.threadId,
    (state) => {
      if (state.context.open.size > 0) return []
      const preset = readPreset(reducedBy(state, threadSettingsReducer), core.settings)
      return [...texts.map(asReminder), ...checkpointDrafts({ preset }, state)]
    },
    { openCalls: 'leave' },
  )
  if (appended.length === 0) desk.reminders.push(...texts)
}
