// How a thread is compacted: model and form of summaries, pins, other settings in force.
import type { CompactionPlan } from '../../compaction/plan.ts'
import type { ReportSettings } from '../../core/edit/report.ts'
import { FRESH_SESSION } from '../../core/edit/strategy.ts'
import type { Preset, StrategyRun } from '../../core/window/presets.ts'
import { computeCapacity, windowOf } from '../../core/window/trigger.ts'
import type { Turn } from '../core.ts'
import { buildSchemas, readThinking } from '../loop/request.ts'
import { targetWeight, type WindowStatus } from '../loop/window-status.ts'
import type { AgentSettings } from '../ports.ts'

type PlanDraft = Pick<CompactionPlan, 'trigger' | 'strategies'> & Partial<CompactionPlan>

/** The plan of an agent's compactions; without a known model, `seen` is absent. */
export function planFor(
  { core, signal }: Pick<Turn, 'core' | 'signal'>,
  { preset, seen }: { readonly preset: Preset; readonly seen?: WindowStatus | undefined },
  given: PlanDraft,
): CompactionPlan & { readonly signal: AbortSignal } {
  const { settings, ports } = core
  return {
    provider: ports.models.summarizer,
    pinning: readPinning(settings, preset),
    minTokens: settings.gateMinTokens,
    ...(seen && readCompactionSettings(settings, seen)),
    ...given,
    signal,
  }
}

/**
 * The presets of the five designs follow their design exactly: nothing is detected unless the settings ask
 * for it.
 */
function readPinning({ pinning }: AgentSettings, preset: Preset): CompactionPlan['pinning'] {
  const { detect = preset.findsPins, ...rest } = pinning ?? {}
  return { ...rest, detect }
}

function readCompactionSettings(
  { summaries }: AgentSettings,
  seen: WindowStatus,
): Partial<CompactionPlan> {
  return {
    model: seen.model.ref,
    tools: buildSchemas(seen),
    ...readThinking(seen),
    form: summaries?.form,
    fastModel: summaries?.fastModel,
    windowTokens: seen.model.windowTokens,
    capacityTokens: readCapacity(seen),
    settings: settingsInForce(seen),
  }
}

function readCapacity(seen: WindowStatus): number | undefined {
  const window = windowOf(seen.budget)
  return window === undefined ? undefined : targetWeight(seen, computeCapacity(seen.budget, window))
}

/** The settings that decide when and how far to compact, for the report. */
function settingsInForce({ preset, policy, model, choices }: WindowStatus): ReportSettings {
  const { ratio, reserveTokens, absoluteTokens, targetRatio } = policy
  return {
    preset: preset.id,
    model: model.ref,
    ...(model.windowTokens !== undefined && { windowTokens: model.windowTokens }),
    ...(choices.strategy !== undefined && { strategy: choices.strategy }),
    ...(ratio !== undefined && { threshold: ratio }),
    ...(reserveTokens !== undefined && { reserveTokens }),
    ...(absoluteTokens !== undefined && { absoluteTokens }),
    targetRatio,
  }
}

/** The strategies of a compaction in order: the thread's or preset's, then the fallback. */
interface StrategyChoice {
  readonly preset: Preset
  readonly on: 'command' | 'automatic'
  /** Overrides the preset's. */
  readonly chosen?: string
  readonly hasModel: boolean
}

/** Empty if the preset has no such compaction. */
export function strategiesFor(choice: StrategyChoice): string[] {
  const { preset, on, hasModel } = choice
  // A session is never replaced automatically while its user works in it.
  const isForPeople = on === 'automatic' && choice.chosen === FRESH_SESSION
  const chosen = isForPeople ? undefined : choice.chosen
  const planned = on === 'command' ? preset.command : preset.automatic
  if (planned === 'off' && chosen === undefined) return []
  const first =
    chosen ??
    (planned !== 'off' && planned.run === 'strategy' ? readId(planned, hasModel) : undefined)
  const fallback = preset.onFailure[on]
  const wanted = [
    ...(first === undefined ? [] : [first]),
    ...(fallback === 'unchanged' ? [] : [fallback.strategyId]),
  ]
  return [...new Set(wanted)]
}

function readId({ strategyId, withModel }: StrategyRun, hasModel: boolean): string {
  return hasModel && withModel !== undefined ? withModel : strategyId
}
