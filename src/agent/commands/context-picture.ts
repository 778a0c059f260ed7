// The window as a picture in text: what fills it, by kind, and what is free.
import { weightOf } from '../../core/view/context.ts'
import type { EntryKind } from '../../core/view/entry.ts'
import type { Look } from '../loop/window-status.ts'

const BAR_WIDTH = 24
const NAMES: Readonly<Record<EntryKind, string>> = {
  user: 'user messages',
  answer: 'answers',
  result: 'tool results',
  reminder: 'reminders',
  checkpoint: 'checkpoints',
  gap: 'gaps',
}

export function contextPicture({ state, reading, model, budget }: Look): string {
  const { context } = state
  const { windowTokens } = model
  const byKind = new Map<string, number>([['system prompt', weightOf(context) - context.tokens]])
  for (const { kind, tokens } of context.items)
    byKind.set(NAMES[kind], (byKind.get(NAMES[kind]) ?? 0) + tokens)
  const known = [...byKind.values()].reduce((sum, tokens) => sum + tokens, 0)
  // What the provider counts beyond our own estimate: the tools, mostly.
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
