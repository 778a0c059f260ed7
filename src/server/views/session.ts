// A thread with its figures (LOG-74: SessionResponse).
import type { z } from 'zod'
import { undoneNext } from '../../agent/commands/undo.ts'
import type { AgentCore } from '../../agent/core.ts'
import { waitingIn } from '../../agent/inbox/waiting.ts'
import { readPreset } from '../../agent/loop/window-status.ts'
import { threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { aggregateTokenUsage, billedUsage, usageReducer } from '../../core/window/usage.ts'
import type { TokenUsageFigures } from '../../protocol/client.ts'
import type { sessionResponseSchema } from '../../protocol/schemas.ts'
import { unknownThread } from '../../threads/live-thread.ts'
import type { Activity } from '../live/activity.ts'
import type { AppPorts } from '../ports.ts'
import type { ThreadTotals } from './count-event.ts'
import { buildContextFigures, readTokenUsage } from './figures.ts'
import { buildSummary } from './thread-summary.ts'
import type { Tallies } from './thread-totals.ts'

export type SessionResponse = z.output<typeof sessionResponseSchema>

export interface SessionPorts
  extends Pick<
    AppPorts,
    'threads' | 'store' | 'models' | 'approvals' | 'presence' | 'defaultPreset' | 'machine'
  > {
  readonly activity: Activity
  readonly tallies: Tallies
}

export async function buildSession(
  ports: SessionPorts,
  threadId: string,
): Promise<SessionResponse> {
  const { threads, store, models, tallies, defaultPreset } = ports
  const info = await store.info(threadId)
  if (!info) throw unknownThread(threadId)
  const state = await threads.state(threadId)
  const core = { ports: { threads, store } } as unknown as AgentCore // all that is asked for here
  const choices = reducedBy(state, threadSettingsReducer)
  const { strategy, workspace, thinking = 'off' } = choices
  // A thread stays readable if its model is unavailable.
  const model = await models.resolve(choices.model).catch(() => undefined)
  const ref = model?.ref ?? choices.model
  const tally = await tallies.soon(threadId, info.version)
  const costUsd = tally?.usd
  const { undone } = await threads.context(threadId)
  const undoes = await undoneNext(core, threadId)
  const file = await ports.machine?.stateOf(threadId)
  const tokenUsage = tally && (await readUsage(ports, threadId, tally, model?.windowTokens))
  return {
    session: {
      ...(await buildSummary(store, info)),
      ...(ref !== undefined && { model: ref }),
      thinking,
      preset: readPreset(choices, { preset: defaultPreset }).id,
      ...(strategy !== undefined && { strategy }),
      ...(workspace !== undefined && { workspace }),
      ...goingOn(ports, threadId),
      canUndo: undoes !== undefined,
      ...(undoes !== undefined && { undoes }),
      canRedo: undone.length > 0,
      queued: (await waitingIn(core, threadId)).length,
      billed: billedUsage(reducedBy(state, usageReducer)),
      ...(costUsd !== undefined && { costUsd }),
      ...(!tally && { isCounting: true }),
      ...(file && { file }),
    },
    ...(tokenUsage && { tokenUsage }),
    context: buildContextFigures(await threads.reading(threadId), model?.windowTokens),
  }
}

/** On this process and on all others of the store. */
function goingOn({ activity, approvals, presence }: SessionPorts, threadId: string) {
  const here = activity.of(threadId)
  const there = presence?.of(threadId)
  return {
    isWorking: here.isWorking || (there?.isWorking ?? false),
    isCompacting: here.isCompacting || (there?.isCompacting ?? false),
    approvals: [...approvals.of(threadId), ...(there?.approvals ?? [])],
  }
}

/** LOG-76: a failed computation does not fail the request. */
async function readUsage(
  { threads, tallies }: SessionPorts,
  threadId: string,
  tally: ThreadTotals,
  limit: number | undefined,
): Promise<TokenUsageFigures | undefined> {
  if (limit === undefined) return undefined
  if (tally.usage) return readTokenUsage(tally.usage, limit)
  const read = async () => {
    const usage = aggregateTokenUsage(await threads.getEvents(threadId))
    // Only a context read at the counted version can be counted on.
    if ((await threads.context(threadId)).version === tally.seq)
      tallies.set(threadId, tally.seq, usage)
    return readTokenUsage(usage, limit)
  }
  return read().catch(() => undefined)
}
