// How full a thread's window is, what fits, and by which rules that is judged: looked at before each request.
import type { Tool } from '../../core/agent/tool.ts'
import type { Reading } from '../../core/edit/change.ts'
import { pinnedEntries, pinnedText, pinsReducer } from '../../core/edit/pins.ts'
import { type ThreadChoices, threadSettingsReducer } from '../../core/settings/thread-settings.ts'
import { type Context, calibrationOf, weightOf } from '../../core/view/context.ts'
import type { Item } from '../../core/view/entry.ts'
import { openRoundStart } from '../../core/view/seam.ts'
import { reducedBy, type ThreadState } from '../../core/view/thread-state.ts'
import { PRESETS, type Preset, type PresetId } from '../../core/window/presets.ts'
import { readContext } from '../../core/window/reading.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import type { ContextBudget, TriggerPolicy } from '../../core/window/trigger.ts'
import type { AgentModel, AgentSettings } from '../ports.ts'

export interface Look {
  readonly state: ThreadState
  readonly choices: ThreadChoices
  readonly preset: Preset
  readonly model: AgentModel
  readonly tools: readonly Tool[]
  readonly outputTokens: number
  readonly reading: Reading
  readonly budget: ContextBudget
  readonly policy: TriggerPolicy
}

export interface LookInput {
  readonly state: ThreadState
  readonly settings: AgentSettings
  readonly model: AgentModel
  readonly tools: readonly Tool[]
  readonly maxOutputTokens: number
}

/** An answer may take a quarter of a small window, not all of it. */
const OUTPUT_SHARE = 4

export function look({ state, settings, model, tools, maxOutputTokens }: LookInput): Look {
  const choices = reducedBy(state, threadSettingsReducer)
  const preset = presetOf(choices, settings)
  const overheadTokens = tools.reduce((sum, tool) => sum + schemaTokens(tool), 0)
  const outputTokens = outputRoom(model, maxOutputTokens)
  return {
    state,
    choices,
    preset,
    model,
    tools,
    outputTokens,
    reading: readContext(state.context, {
      ...(calibrationOf(state.context).overheadTokens === undefined && { overheadTokens }),
    }),
    budget: {
      ...(model.windowTokens !== undefined && { windowTokens: model.windowTokens }),
      outputReserveTokens: outputTokens,
      floorTokens: floorOf(state, overheadTokens),
    },
    policy: policyOf(preset, settings, model),
  }
}

export function presetOf(choices: ThreadChoices, settings: AgentSettings): Preset {
  const { preset = settings.preset } = choices
  return Object.hasOwn(PRESETS, preset) ? PRESETS[preset as PresetId] : PRESETS[settings.preset]
}

/** The preset's trigger, with what the settings say in its place, for this model above all. */
function policyOf(preset: Preset, settings: AgentSettings, model: AgentModel): TriggerPolicy {
  const auto = { ...settings.auto, ...settings.autoByModel?.[model.ref] }
  const { enabled, threshold, reserveTokens, absoluteTokens } = auto
  const { warningThreshold, targetRatio, cooldownMs } = auto
  return {
    ...preset.trigger,
    ...(enabled !== undefined && { enabled: enabled && preset.automatic !== 'off' }),
    ...(threshold !== undefined && { ratio: threshold }),
    ...(reserveTokens !== undefined && { reserveTokens }),
    ...(absoluteTokens !== undefined && { absoluteTokens }),
    ...(warningThreshold !== undefined && { warnRatio: warningThreshold }),
    ...(targetRatio !== undefined && { targetRatio }),
    ...(cooldownMs !== undefined && { cooldownMs }),
  }
}

function outputRoom({ outputTokens, windowTokens }: AgentModel, wanted: number): number {
  const quarter = windowTokens === undefined ? wanted : Math.floor(windowTokens / OUTPUT_SHARE)
  return Math.max(1, Math.min(wanted, outputTokens ?? wanted, quarter))
}

/** What no compaction removes: the system prompts, the tools, what is pinned, the open round. */
function floorOf(state: ThreadState, overheadTokens: number): number {
  const { context } = state
  const pins = reducedBy(state, pinsReducer)
  const items = context.items.toArray()
  const held = pinnedEntries(items, context.open, pins)
  const open = openRoundStart(items, context.open)
  const stays = (item: Item, at: number) => at >= open || held.has(item.id)
  const text = pinnedText(pins)
  return (
    items.reduce((sum, item, at) => (stays(item, at) ? sum + item.tokens : sum), 0) +
    headTokens(context) +
    overheadTokens +
    (text === undefined ? 0 : estimateTokens(text))
  )
}

function headTokens(context: Context): number {
  return weightOf(context) - context.tokens
}

/** Schemas do not change: each is weighed once. */
const weighed = new WeakMap<Tool, number>()

function schemaTokens(tool: Tool): number {
  const known = weighed.get(tool)
  if (known !== undefined) return known
  const { name, description, inputSchema } = tool
  const tokens = estimateTokens(`${name}\n${description}\n${JSON.stringify(inputSchema)}`)
  weighed.set(tool, tokens)
  return tokens
}
