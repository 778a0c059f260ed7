// Which strategy a command runs, and what of the settings its report names.
import type { ReportSettings } from '../../core/edit/report.ts'
import { PrecisError } from '../../core/errors.ts'
import type { ResolvedSettings } from '../../core/settings/settings.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import { PRESETS } from '../../core/window/presets.ts'
import type { CompactFlags } from './flags.ts'
import type { Wishes } from './wishes.ts'

/** What is asked for; where only a model is, what the preset does with one. */
export function chooseStrategy(
  { settings, origins }: ResolvedSettings,
  flags: Pick<CompactFlags, 'model'>,
  known: readonly string[],
): string {
  const { command } = PRESETS[settings.preset]
  const withModel = command.run === 'strategy' ? command.withModel : undefined
  const isChosen = origins.strategy?.origin !== 'default'
  const id =
    isChosen || flags.model === undefined ? settings.strategy : (withModel ?? settings.strategy)
  if (known.includes(id)) return id
  const near = nearestWord(id, known)
  const { where = '--strategy' } = origins.strategy ?? {}
  throw new PrecisError('usage', `Unknown compaction strategy: ${id}`, {
    where,
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known strategies: ${known.join(', ')}.`,
  })
}

/** Where the choice of the strategy comes from. */
export function originOf({ origins }: ResolvedSettings, { model, apply }: CompactFlags): string {
  if (apply !== undefined) return `proposal: ${apply}`
  const { origin, where } = origins.strategy ?? { origin: 'default' }
  if (origin === 'default' && model !== undefined) return 'default: --model'
  return where === undefined ? origin : `${origin}: ${where}`
}

/** What was said to a model that nobody has asked. */
export function unaskedProblems(
  strategyId: string,
  { model, instructions }: CompactFlags,
  asked: readonly unknown[],
): string[] {
  if (asked.length > 0) return []
  const why = `${strategyId} has asked no model; --strategy summarize does, for one`
  return [
    ...(model === undefined ? [] : [`--model ${model} made no difference: ${why}`]),
    ...(instructions === undefined ? [] : [`--instructions made no difference: ${why}`]),
  ]
}

/** What decided how it was made: the settings in force that are not plainly the default, and the flags. */
export function shownSettings(
  { origins }: ResolvedSettings,
  { budget, instructions }: CompactFlags,
  { pins }: Wishes,
): ReportSettings {
  const named = Object.fromEntries(
    Object.entries(origins)
      .filter(([key, { origin }]) => SHOWN.has(key) && origin !== 'default')
      .map(([key, { value }]) => [key, plain(value)]),
  )
  return {
    ...named,
    ...(budget !== undefined && { budget }),
    ...(instructions !== undefined && { instructions }),
    ...(pins.length > 0 && { pins: pins.length }),
  }
}

const SHOWN: ReadonlySet<string> = new Set([
  'preset',
  'pinning.detect',
  'pinning.patterns',
  'protect.tools',
  'protect.paths',
  'summaries.form',
  'summaries.instructions',
  'summaries.language',
  'models.default',
  'models.fast',
])

function plain(value: unknown): string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value)
}
