// A thread with everything that stands around its transcript (LOG-74: SessionResponse).
import type { z } from 'zod'
import { presetOf } from '../agent/look.ts'
import { inboxReducer } from '../core/inbox.ts'
import { threadSettingsReducer } from '../core/thread-settings.ts'
import { reducedBy } from '../core/thread-state.ts'
import { billedUsage, usageReducer } from '../core/usage.ts'
import type { TokenUsageFigures } from '../protocol/client.ts'
import type { sessionResponseSchema } from '../protocol/schemas.ts'
import { unknownThread } from '../threads/live-thread.ts'
import type { Activity } from './activity.ts'
import type { Costs } from './costs.ts'
import { contextFiguresOf, tokenUsageOf } from './figures.ts'
import type { AppPorts } from './ports.ts'
import { summaryOf } from './thread-summary.ts'

export type SessionResponse = z.output<typeof sessionResponseSchema>

export interface SessionPorts
  extends Pick<AppPorts, 'threads' | 'store' | 'models' | 'approvals' | 'defaultPreset'> {
  readonly activity: Activity
  readonly costs: Costs
}

export async function sessionOf(ports: SessionPorts, threadId: string): Promise<SessionResponse> {
  const { threads, store, models, approvals, activity, costs, defaultPreset } = ports
  const info = await store.info(threadId)
  if (!info) throw unknownThread(threadId)
  const state = await threads.state(threadId)
  const choices = reducedBy(state, threadSettingsReducer)
  const { strategy, workspace, thinking = 'off' } = choices
  // A thread can be looked at where its model cannot be had.
  const model = await models.resolve(choices.model).catch(() => undefined)
  const ref = model?.ref ?? choices.model
  const costUsd = await costs.of(threadId)
  const tokenUsage = await usageOf(ports, threadId, model?.windowTokens)
  return {
    session: {
      ...(await summaryOf(store, info)),
      ...(ref !== undefined && { model: ref }),
      thinking,
      preset: presetOf(choices, { preset: defaultPreset }).id,
      ...(strategy !== undefined && { strategy }),
      ...(workspace !== undefined && { workspace }),
      ...activity.of(threadId),
      queued: reducedBy(state, inboxReducer).length,
      billed: billedUsage(reducedBy(state, usageReducer)),
      ...(costUsd !== undefined && { costUsd }),
      approvals: approvals.of(threadId),
    },
    ...(tokenUsage && { tokenUsage }),
    context: contextFiguresOf(await threads.reading(threadId), model?.windowTokens),
  }
}

/** LOG-76: that it cannot be computed does not fail the request. */
async function usageOf(
  { threads }: SessionPorts,
  threadId: string,
  limit: number | undefined,
): Promise<TokenUsageFigures | undefined> {
  return threads.getEvents(threadId).then(
    (events) => tokenUsageOf(events, limit),
    () => undefined,
  )
}
