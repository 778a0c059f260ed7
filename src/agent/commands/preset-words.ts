// The presets in words: for /preset, and for the table in docs/agent.md.
import { type Fallback, PRESETS, type Preset, type StrategyRun } from '../../core/window/presets.ts'

export interface PresetWords {
  readonly id: string
  readonly command: string // what /compact does
  readonly automatic: string // what happens by itself
}

const ASKS_AGENT: Readonly<Record<Preset['tool'], string>> = {
  ranges: 'asks the agent to summarise ranges between its checkpoints',
  summary: 'asks the agent for one summary of everything',
  none: 'asks the agent',
}

const STRATEGIES: Readonly<Record<string, string>> = {
  'ai-summarize': 'one summary of everything; your last three messages stay',
  cascade: 'cheap steps first, until the context is small enough',
  'chunked-fold': 'a small agent folds everything into one summary, chunk by chunk',
  'fresh-session': 'starts a fresh session with a summary; this thread does not change',
  'keep-recent': 'a summary of everything but the recent end',
  summarize: 'one summary of everything but the last two events',
}

export function presetWords(): readonly PresetWords[] {
  return Object.values(PRESETS).map((preset) => ({
    id: preset.id,
    command: commandWords(preset),
    automatic: automaticWords(preset),
  }))
}

function commandWords({ command, tool, onFailure }: Preset): string {
  return command.run === 'ask-agent'
    ? ASKS_AGENT[tool]
    : runWords(command) + failureWords(onFailure.command)
}

function automaticWords({ automatic, trigger, onFailure }: Preset): string {
  if (automatic === 'off' || !trigger.enabled) return 'nothing'
  const share = trigger.ratio === undefined ? '' : ` at ${Math.round(100 * trigger.ratio)} %`
  return `${automatic.strategyId}${share}${failureWords(onFailure.automatic)}`
}

function runWords({ strategyId, withModel }: StrategyRun): string {
  const id = withModel ?? strategyId
  const without = withModel === undefined ? '' : `; without a model ${strategyId}`
  return `${id}: ${STRATEGIES[id] ?? 'this strategy'}${without}`
}

function failureWords(fallback: Fallback): string {
  return fallback === 'unchanged' ? '' : `; if that fails ${fallback.strategyId}`
}
