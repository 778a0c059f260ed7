// Changes of a thread's model, preset or strategy.
import { unknownStrategy } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import type { EventDraft } from '../core/log/event.ts'
import { NO_STRATEGY, threadSettingsReducer } from '../core/settings/settings-keys.ts'
import type { ModelRef } from '../core/view/content.ts'
import { reducedBy, type ThreadState } from '../core/view/thread-state.ts'
import { PRESETS } from '../core/window/presets.ts'
import type { AppPorts } from './ports.ts'

export interface ThreadChange {
  readonly model?: string
  readonly thinking?: string
  readonly preset?: string
  readonly strategy?: string
}

const LEVELS: readonly string[] = ['off', 'low', 'medium', 'high']

/** Instead of a strategy: back to that of the preset. */
const OF_PRESET = 'preset'

/** Throws for unknown names. `state` is undefined for a thread that is about to be created. */
export async function changesFor(
  { models, threads }: Pick<AppPorts, 'models' | 'threads'>,
  state: ThreadState | undefined,
  { model, thinking, preset, strategy }: ThreadChange,
): Promise<EventDraft[]> {
  requireOneOf('thinking', thinking, LEVELS)
  requireOneOf('preset', preset, Object.keys(PRESETS))
  if (strategy !== OF_PRESET) requireStrategy(threads, strategy)
  const drafts: EventDraft[] = []
  if (model !== undefined || thinking !== undefined) {
    const now = state ? reducedBy(state, threadSettingsReducer) : {}
    const { ref } = await models.resolve(model ?? now.model)
    const level = thinking ?? now.thinking
    const data = { model: ref as ModelRef, ...(level !== undefined && { thinking: level }) }
    drafts.push({ type: 'MODEL_CHANGED', data })
  }
  if (preset !== undefined || strategy !== undefined)
    drafts.push({
      type: 'THREAD_SETTINGS',
      data: {
        ...(preset !== undefined && { preset }),
        ...(strategy !== undefined && {
          strategy: strategy === OF_PRESET ? NO_STRATEGY : strategy,
        }),
      },
    })
  return drafts
}

/** A named strategy is never replaced silently. */
export function requireStrategy(
  threads: Pick<AppPorts['threads'], 'strategyIds'>,
  strategy: string | undefined,
): void {
  const known = threads.strategyIds()
  if (strategy !== undefined && !known.includes(strategy)) throw unknownStrategy(strategy, known)
}

function requireOneOf(name: string, given: string | undefined, known: readonly string[]): void {
  if (given === undefined || known.includes(given)) return
  throw new PrecisError('invalid-input', `There is no ${name} ${JSON.stringify(given)}.`, {
    where: name,
    hint: `Known: ${known.join(', ')}.`,
  })
}
