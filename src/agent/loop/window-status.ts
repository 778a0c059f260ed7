// How full a thread's window is, what fits, and by which rules: checked before each request.
import type { Tool } from '../../core/agent/tool.ts'
import type { Reading } from '../../core/edit/change.ts'
import { pinnedEntries, pinnedText, pinsReducer } from '../../core/edit/pins.ts'
import type { EventDraft } from '../../core/log/event.ts'
import { type ThreadChoices, threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import { checkpointsReducer, generateCheckpointId } from '../../core/view/checkpoint.ts'
import { type Context, calibrationOf, weightOf } from '../../core/view/context.ts'
import type { Item } from '../../core/view/entry.ts'
import { openRoundStart } from '../../core/view/seam.ts'
import { reducedBy, type ThreadState } from '../../core/view/thread-state.ts'
import { PRESETS, type Preset, type PresetId } from '../../core/window/presets.ts'
import { readContext } from '../../core/window/reading.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import {
  type ContextBudget,
  computeFloor as floorOf,
  type TriggerPolicy,
} from '../../core/window/trigger.ts'
import type { AgentCore, Turn } from '../core.ts'
import type { AgentModel, AgentSettings } from '../ports.ts'
import { failed } from './results.ts'
import { taskTool } from './task-tool.ts'

export interface WindowStatus {
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

interface LookInput {
  readonly state: ThreadState
  readonly settings: AgentSettings
  readonly model: AgentModel
  readonly tools: readonly Tool[]
  readonly maxOutputTokens: number
}

/** An answer takes at most a quarter of a small window. */
const OUTPUT_SHARE = 4

function look({ state, settings, model, tools, maxOutputTokens }: LookInput): WindowStatus {
  const choices = reducedBy(state, threadSettingsReducer)
  const preset = readPreset(choices, settings)
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
      floorTokens: computeFloor(state, overheadTokens),
    },
    policy: readPolicy(preset, settings, model),
  }
}

export function readPreset(choices: ThreadChoices, settings: AgentSettings): Preset {
  const { preset = settings.preset } = choices
  return Object.hasOwn(PRESETS, preset) ? PRESETS[preset as PresetId] : PRESETS[settings.preset]
}

/** Exactly one at the end of the message, or none. */
export function checkpointDrafts(
  { preset }: { readonly preset: Preset },
  state: ThreadState,
): EventDraft[] {
  if (!preset.checkpoints) return []
  const id = generateCheckpointId(reducedBy(state, checkpointsReducer))
  return [{ type: 'CHECKPOINT', data: { id } }]
}

/** The preset's trigger, overridden by settings, most specifically those of the model. */
function readPolicy(preset: Preset, settings: AgentSettings, model: AgentModel): TriggerPolicy {
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

/** What no compaction removes: system prompts, tools, pins, the open round. */
function computeFloor(state: ThreadState, overheadTokens: number): number {
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

/** Schemas never change, so each is weighed once. */
const weighed = new WeakMap<Tool, number>()

function schemaTokens(tool: Tool): number {
  const known = weighed.get(tool)
  if (known !== undefined) return known
  const { name, description, inputSchema } = tool
  const tokens = estimateTokens(`${name}\n${description}\n${JSON.stringify(inputSchema)}`)
  weighed.set(tool, tokens)
  return tokens
}

/** The current state of a thread: model, tools, window. */
export async function readWindowStatus(turn: Turn): Promise<WindowStatus> {
  const { core, desk, signal } = turn
  const state = await core.ports.threads.state(desk.threadId)
  const { model: name } = reducedBy(state, threadSettingsReducer)
  const model = await core.ports.models.resolve(name, signal)
  if (!model.isWindowKnown && !desk.said.has(model.ref)) {
    desk.said.add(model.ref)
    const message = `The window of ${model.ref} is not known: ${model.windowTokens ?? 'no'} tokens are assumed. Set it in the catalogue setting.`
    core.frames.emit({ type: 'notice', threadId: desk.threadId, level: 'info', message })
  }
  return look({
    state,
    settings: core.settings,
    model,
    tools: readTools(turn, state),
    maxOutputTokens: core.limits.outputTokens,
  })
}

/** The tools of a thread, the same objects while their inputs do not change. */
function readTools(turn: Turn, state: ThreadState): readonly Tool[] {
  const { core, desk, depth } = turn
  const { threadId } = desk
  const choices = reducedBy(state, threadSettingsReducer)
  const { workspace } = choices
  const preset = readPreset(choices, core.settings)
  const key = `${preset.tool} ${depth} ${workspace ?? ''}`
  if (desk.tools?.key === key) return desk.tools.list
  const list = [
    ...core.ports.tools({ threadId, ...(workspace !== undefined && { workspace }) }),
    ...(depth < core.limits.depth ? [taskTool(turn)] : []),
    ...(preset.tool === 'none' ? [] : [compactTool(core, preset.tool)]),
  ]
  desk.tools = { key, list }
  return list
}

/** Offered like other tools; compact-call.ts runs it because that needs the thread. */
function compactTool({ ports }: AgentCore, mode: 'ranges' | 'summary'): Tool {
  return {
    ...ports.compactTool.schema(mode),
    effect: 'none',
    isParallel: false,
    subjectOf: () => '',
    run: async () => failed('compact cannot be run as other tools are.'),
  }
}

/**
 * A window contains more than the context (mainly tools), and providers count differently. Never below what
 * no compaction can remove.
 */
export function targetWeight(
  { reading, state, budget }: Pick<WindowStatus, 'reading' | 'state' | 'budget'>,
  targetTokens: number,
): number {
  const { ratio } = calibrationOf(state.context)
  const weight = weightOf(state.context)
  const beside = Math.max(0, (reading.tokens ?? ratio * weight) - ratio * weight)
  const wanted = Math.floor((targetTokens - beside) / ratio)
  return Math.max(0, wanted, Math.min(targetTokens, floorOf(budget)))
}
