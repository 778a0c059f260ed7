// Which strategies a compaction tries, in order: what the thread or its preset says, then the fallback.
import type { Preset, StrategyRun } from '../../core/window/presets.ts'
import { FRESH_SESSION } from './fresh-session.ts'

export interface StrategyChoice {
  readonly preset: Preset
  readonly on: 'command' | 'automatic'
  /** In place of the preset's own. */
  readonly chosen?: string
  readonly hasModel: boolean
}

/** Empty where the preset compacts by nothing of the kind. */
export function strategiesFor(choice: StrategyChoice): string[] {
  const { preset, on, hasModel } = choice
  // Nobody's session is changed for another one while they work in it.
  const isForPeople = on === 'automatic' && choice.chosen === FRESH_SESSION
  const chosen = isForPeople ? undefined : choice.chosen
  const planned = on === 'command' ? preset.command : preset.automatic
  if (planned === 'off' && chosen === undefined) return []
  const first =
    chosen ??
    (planned !== 'off' && planned.run === 'strategy' ? idOf(planned, hasModel) : undefined)
  const fallback = preset.onFailure[on]
  const wanted = [
    ...(first === undefined ? [] : [first]),
    ...(fallback === 'unchanged' ? [] : [fallback.strategyId]),
  ]
  return [...new Set(wanted)]
}

function idOf({ strategyId, withModel }: StrategyRun, hasModel: boolean): string {
  return hasModel && withModel !== undefined ? withModel : strategyId
}
