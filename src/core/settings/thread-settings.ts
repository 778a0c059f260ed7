// Settings of one thread: model, preset, strategy, working directory
import type { EventDraft, ThreadEvent, ThreadSettings } from '../log/event.ts'
import type { Reducer } from '../ports.ts'
import type { Json } from '../text/json.ts'
import type { ModelRef } from '../view/content.ts'
import { reducedBy, type ThreadState } from '../view/thread-state.ts'

export interface ThreadChoices extends ThreadSettings {
  readonly model?: ModelRef
  readonly thinking?: string
}

/** The value of a reset setting: the default of the preset applies again. */
export const NO_STRATEGY = ''

export const threadSettingsReducer: Reducer<ThreadChoices> = {
  name: 'thread-settings',
  version: 1,
  init: () => ({}),
  step(choices: ThreadChoices, event: ThreadEvent): ThreadChoices {
    if (event.type === 'THREAD_SETTINGS') return withoutNone({ ...choices, ...event.data })
    if (event.type !== 'MODEL_CHANGED') return choices
    const { thinking: _, ...rest } = choices
    return { ...rest, ...event.data }
  },
  encode: (choices) => choices as unknown as Json,
  decode(json) {
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      throw new TypeError('no settings of a thread')
    return json as ThreadChoices
  },
}

function withoutNone(choices: ThreadChoices): ThreadChoices {
  if (choices.strategy !== NO_STRATEGY) return choices
  const { strategy: _, ...rest } = choices
  return rest
}

/** What one thread takes over from another: its system prompts (their texts, in order), its model, its settings. */
export function inheritedDrafts(state: ThreadState, prompts: readonly string[]): EventDraft[] {
  const { model, thinking, ...settings } = reducedBy(state, threadSettingsReducer)
  const { head } = state.context
  const kinds = [
    ...(head.system === undefined ? [] : (['SYSTEM_PROMPT'] as const)),
    ...(head.userSystem === undefined ? [] : (['USER_SYSTEM_PROMPT'] as const)),
  ]
  const drafts = prompts.flatMap((data, at): EventDraft[] => {
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
