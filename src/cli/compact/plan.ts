// Chooses the strategy of a command, and the settings its report names.
import type { CompactionHooks } from '../../agent/hooks.ts'
import type { CompactionPlan } from '../../compaction/plan.ts'
import type { Composed } from '../../compose.ts'
import type { ReportSettings } from '../../core/edit/report.ts'
import { PrecisError } from '../../core/errors.ts'
import { isStandIn } from '../../core/model.ts'
import type { ResolvedSettings, Settings } from '../../core/settings/settings.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import { PRESETS } from '../../core/window/presets.ts'
import type { Flags } from './flags.ts'
import { protectedEntries, systemEntries } from './kept-entries.ts'

/**
 * The requested strategy; if only a model is given, the preset's choice with a model. The stand-in does not
 * count.
 */
export function chooseStrategy(
  { settings, origins }: ResolvedSettings,
  flags: Pick<Flags, 'model'>,
  known: readonly string[],
): string {
  const { command } = PRESETS[settings.preset]
  const withModel = command.run === 'strategy' ? command.withModel : undefined
  const isChosen = origins.strategy?.origin !== 'default'
  const asksModel = flags.model !== undefined && !isStandIn(flags.model)
  const id = isChosen || !asksModel ? settings.strategy : (withModel ?? settings.strategy)
  if (known.includes(id)) return id
  const near = nearestWord(id, known)
  const { where = '--strategy' } = origins.strategy ?? {}
  throw new PrecisError('usage', `Unknown compaction strategy: ${id}`, {
    where,
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known strategies: ${known.join(', ')}.`,
  })
}

/** A strategy's error, worded for the command line. */
export function inWordsOfCommand(error: PrecisError, strategyId: string): PrecisError {
  if (error.code !== 'no-model') return error
  return new PrecisError(
    'no-model',
    `The strategy ${strategyId} needs a model, but no model is set`,
    {
      where: strategyId,
      hint: 'Add --model M, or set models.default; `--model dev` tries it out without a key. The default strategy, cascade, needs no model.',
      cause: error,
    },
  )
}

/** Where the choice of the strategy comes from. */
export function readOrigin({ origins }: ResolvedSettings, { model, apply }: Flags): string {
  if (apply !== undefined) return `proposal: ${apply}`
  const { origin, where } = origins.strategy ?? { origin: 'default' }
  if (origin === 'default' && model !== undefined && !isStandIn(model)) return 'default: --model'
  return where === undefined ? origin : `${origin}: ${where}`
}

/** Instructions for a model that was not asked. */
export function unaskedProblems(
  strategyId: string,
  { model, instructions }: Flags,
  asked: readonly unknown[],
): string[] {
  if (asked.length > 0) return []
  const why = `${strategyId} has asked no model; --strategy brief does, for one`
  return [
    ...(model === undefined ? [] : [`--model ${model} made no difference: ${why}`]),
    ...(instructions === undefined ? [] : [`--instructions made no difference: ${why}`]),
  ]
}

/** What influenced the result: settings other than defaults, and flags. */
export function shownSettings(
  { origins }: ResolvedSettings,
  { budget, instructions }: Flags,
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

export interface Wishes {
  readonly pins: readonly string[] // texts
  readonly protect: Settings['protect']
  readonly instructions?: string
}

export function readWishes(
  { pins = [], protect, summaries }: Settings,
  given: {
    readonly pins?: readonly string[] | undefined
    readonly instructions?: string | undefined
  } = {},
): Wishes {
  const lines = [
    summaries.instructions,
    summaries.language === undefined ? undefined : `Write in ${summaries.language}.`,
    given.instructions,
  ].filter((line) => line !== undefined)
  return {
    pins: [...new Set([...pins, ...(given.pins ?? [])])],
    protect,
    ...(lines.length > 0 && { instructions: lines.join('\n') }),
  }
}

/** What to pin with a compaction; the gate then keeps it, whatever the strategy. */
export async function wishedPins(
  composed: Pick<Composed, 'threads' | 'store'>,
  threadId: string,
  { pins, protect }: Wishes,
): Promise<NonNullable<CompactionPlan['pins']>> {
  const entries = [
    ...(await protectedEntries(composed, threadId, protect)),
    ...(await systemEntries(composed, threadId)),
  ]
  return [
    ...pins.map((text) => ({ text, by: 'user' as const })),
    ...(entries.length > 0 ? [{ entries, by: 'pattern' as const }] : []),
  ]
}

/** The same for an agent that compacts by itself. */
export function wishesHooks(
  composed: Pick<Composed, 'threads' | 'store'>,
  settings: Settings,
): CompactionHooks[] {
  const wishes = readWishes(settings)
  const { pins, protect, instructions } = wishes
  if (instructions === undefined && pins.length === 0 && Object.keys(protect).length === 0)
    return []
  return [
    {
      name: 'settings',
      async before({ threadId }) {
        const entries = await protectedEntries(composed, threadId, protect)
        return { pins, entries, ...(instructions !== undefined && { instructions }) }
      },
    },
  ]
}
