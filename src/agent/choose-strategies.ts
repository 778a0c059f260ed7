// Which strategies a compaction tries, in order: what the thread or its preset says, then the fallback.
import type { Preset, StrategyRun } from '../core/presets.ts'
import { FRESH_SESSION } from './fresh-session.ts'

export interface StrategyChoice {
  readonly preset: Preset
  readonly on: 'command' | 'automatic'
  /** In place of the preset's own. */
  readonly chosen?: string
  readonly hasModel: boolean
  readonly known: readonly string[]
}

/** What does nearly the same, where a strategy is not registered. */
const INSTEAD: Readonly<Record<string, { withModel: string; without: string }>> = {
  cascade: { withModel: 'summarize', without: 'trim-tool-results' },
  extract: { withModel: 'trim-tool-results', without: 'trim-tool-results' },
}

/** Empty where the preset compacts by nothing of the kind. */
export function strategiesFor(choice: StrategyChoice): string[] {
  const { preset, on, hasModel, known } = choice
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
  // A strategy that the user named is not replaced by another: that it is unknown must be said.
  const found = wanted.map((id) =>
    known.includes(id) || id === chosen ? id : standIn(id, hasModel),
  )
  return [...new Set(found)]
}

function idOf({ strategyId, withModel }: StrategyRun, hasModel: boolean): string {
  return hasModel && withModel !== undefined ? withModel : strategyId
}

function standIn(id: string, hasModel: boolean): string {
  const instead = INSTEAD[id]
  if (instead === undefined) return id
  return hasModel ? instead.withModel : instead.without
}
