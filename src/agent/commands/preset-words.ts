// What commands say: the presets, the window and the end of a compaction in words.
import type { RunResult } from '../../core/agent/frame.ts'
import { metTargetIn } from '../../core/edit/irreducible.ts'
import {
  committedFacts,
  freshCaveats,
  renderCaveats,
  renderSizes,
  sentence,
} from '../../core/edit/report-text.ts'
import { FRESH_SESSION } from '../../core/edit/strategy.ts'
import { weightOf } from '../../core/view/context.ts'
import type { EntryKind } from '../../core/view/entry.ts'
import { type Fallback, PRESETS, type Preset, type StrategyRun } from '../../core/window/presets.ts'
import type { WindowStatus } from '../loop/window-status.ts'

interface PresetWords {
  readonly id: string
  readonly command: string // effect of /compact
  readonly automatic: string // automatic behaviour
}

const ASKS_AGENT: Readonly<Record<Preset['tool'], string>> = {
  ranges: 'asks the agent to summarise ranges between its checkpoints',
  summary: 'asks the agent for one summary of everything',
  none: 'asks the agent',
}

const STRATEGIES: Readonly<Record<string, string>> = {
  'ai-summarize': 'one summary of everything; your last three messages stay',
  brief: 'code writes the facts, the model the goal, reasons and next step',
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
  const without = withModel === undefined ? '' : `; without a model, or with dev, ${strategyId}`
  return `${id}: ${STRATEGIES[id] ?? 'this strategy'}${without}`
}

function failureWords(fallback: Fallback): string {
  return fallback === 'unchanged' ? '' : `; if that fails ${fallback.strategyId}`
}

const BAR_WIDTH = 24
const NAMES: Readonly<Record<EntryKind, string>> = {
  user: 'user messages',
  answer: 'answers',
  result: 'tool results',
  reminder: 'reminders',
  checkpoint: 'checkpoints',
  gap: 'gaps',
}

/** The window as a text picture: its content by kind, and the free part. */
export function contextPicture({ state, reading, model, budget }: WindowStatus): string {
  const { context } = state
  const { windowTokens } = model
  const byKind = new Map<string, number>([['system prompt', weightOf(context) - context.tokens]])
  for (const { kind, tokens } of context.items)
    byKind.set(NAMES[kind], (byKind.get(NAMES[kind]) ?? 0) + tokens)
  const known = [...byKind.values()].reduce((sum, tokens) => sum + tokens, 0)
  // What the provider counts beyond our estimate: mostly the tools.
  const rest = Math.max(0, (reading.tokens ?? known) - known)
  if (rest > 0) byKind.set('tools and the rest', rest)
  const used = reading.tokens ?? known
  const free = windowTokens === undefined ? undefined : Math.max(0, windowTokens - used)
  if (free !== undefined) byKind.set('free', free)
  const whole = windowTokens ?? used
  const lines = [...byKind]
    .filter(([name, tokens]) => tokens > 0 || name === 'free')
    .map(([name, tokens]) => barLine(name, tokens, whole))
  const percent = windowTokens ? ` (${Math.round((used / windowTokens) * 100)} %)` : ''
  return [
    `${used} of ${windowTokens ?? 'an unknown number of'} tokens${percent}, ${reading.by ?? 'estimated'}; ${budget.outputReserveTokens ?? 0} kept for the answer`,
    ...lines,
  ].join('\n')
}

function barLine(name: string, tokens: number, whole: number): string {
  const filled = whole === 0 ? 0 : Math.min(BAR_WIDTH, Math.round((tokens / whole) * BAR_WIDTH))
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled)
  return `${name.padEnd(20)} ${bar} ${String(tokens).padStart(9)}`
}

const FRESH = 'New session started with compacted context'
const SUCCESS = '✅ Conversation compacted successfully'

/** The end of a compaction: the text stored in the thread, and more for the caller. */
export function compactionWords(result: RunResult): [said: string, ...more: string[]] {
  const { success, strategy, error, end, fresh, event, report } = result
  if (!success) {
    const why = error?.message ?? end
    // Only the words of FRESH-30: the hint is in the error.
    if (strategy === FRESH_SESSION) return [`Compact failed: ${why}`]
    return [`❌ Compaction failed: ${why}`, ...(error?.hint === undefined ? [] : [error.hint])]
  }
  if (fresh) return [FRESH, ...freshCaveats(fresh)]
  if (!event) return [SUCCESS]
  if (end === 'nothing') return [nothingDone(result)]
  const facts = committedFacts(event.data, report?.fallback)
  const [sizes, caveats] = [renderSizes(facts), renderCaveats(facts)]
  const said = caveats.length > 0 ? ['Conversation compacted.', ...caveats].join(' ') : SUCCESS
  return sizes === '' ? [said] : [said, `${facts.strategy}: ${sizes}`]
}

/** It keeps the last messages and takes all others, however few. */
const TAKES_ALL = 'summarize'

/** Why a compaction changed nothing, and what would. */
function nothingDone(result: RunResult): string {
  const { strategy, report } = result
  const nothing = `${strategy} ${whyNothing(result)}`
  const { fallback } = report ?? {}
  if (fallback)
    return `Nothing was compacted: ${fallback.from} failed. ${sentence(fallback.reason)} Then ${nothing}`
  if (strategy === TAKES_ALL) return `Nothing was compacted: ${nothing}`
  return `Nothing was compacted: ${nothing} /strategy ${TAKES_ALL}, then /compact, summarises all but the last messages.`
}

function whyNothing({ event }: RunResult): string {
  const met = metTargetIn(event?.data.metadata)
  if (!met) return 'found nothing to remove.'
  const [tokens, target] = [met.tokens, met.targetTokens].map((each) =>
    Math.round(each).toLocaleString('en-US'),
  )
  return `left the context as it was: what can be compacted (${tokens} tokens) is within its target of ${target}.`
}
