// What one thread takes over from another: its system prompts, its model, its settings.
import type { EventDraft } from '../core/event.ts'
import { threadSettingsReducer } from '../core/thread-settings.ts'
import { reducedBy } from '../core/thread-state.ts'
import type { AgentCore } from './core.ts'

export async function inherited({ ports }: AgentCore, from: string): Promise<EventDraft[]> {
  const { threads } = ports
  const { system } = await threads.messages(from)
  const state = await threads.state(from)
  const { model, thinking, ...settings } = reducedBy(state, threadSettingsReducer)
  const { head } = state.context
  const kinds = [
    ...(head.system === undefined ? [] : (['SYSTEM_PROMPT'] as const)),
    ...(head.userSystem === undefined ? [] : (['USER_SYSTEM_PROMPT'] as const)),
  ]
  const drafts = system.flatMap((data, at): EventDraft[] => {
    const type = kinds[at]
    return type ? [{ type, data }] : []
  })
  if (model) {
    const data = { model, ...(thinking !== undefined && { thinking }) }
    drafts.push({ type: 'MODEL_CHANGED', data })
  }
  if (Object.keys(settings).length > 0) drafts.push({ type: 'THREAD_SETTINGS', data: settings })
  return drafts
}
