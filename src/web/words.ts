// The words of the page for ids of the log: strategies, categories, roles, labels, reasons.
// Numbers, times, failures and the text of others, as the page shows them.
import { errorWords, escapeSteering } from '../protocol/index.ts'

export interface Category {
  readonly name: string
  readonly shown: string
  /** The end of its class: one colour everywhere. */
  readonly id: string
}

/** In the order in which they are drawn, everywhere. */
const CATEGORIES: readonly Category[] = [
  { name: 'system', shown: 'System', id: 'system' },
  { name: 'tools', shown: 'Tools and overhead', id: 'tools' },
  { name: 'summaries', shown: 'Summaries', id: 'summaries' },
  { name: 'user', shown: 'You', id: 'user' },
  { name: 'assistant', shown: 'Agent', id: 'assistant' },
  { name: 'thinking', shown: 'Thinking', id: 'thinking' },
  { name: 'tool calls', shown: 'Tool calls', id: 'calls' },
  { name: 'tool results', shown: 'Tool results', id: 'results' },
  { name: 'images', shown: 'Images', id: 'images' },
  { name: 'free', shown: 'Free', id: 'free' },
]

export function categoryOf(name: string): Category {
  return CATEGORIES.find((each) => each.name === name) ?? { name, shown: name, id: 'tools' }
}

export function inOrder<T extends { readonly name: string }>(some: readonly T[]): readonly T[] {
  const place = ({ name }: T) => CATEGORIES.findIndex((each) => each.name === name)
  return some.toSorted((one, other) => place(one) - place(other))
}

const ROLES: Readonly<Record<string, readonly [shown: string, category: string]>> = {
  system: ['System prompt', 'system'],
  user: ['You', 'user'],
  answer: ['Agent', 'assistant'],
  result: ['Tool result', 'tool results'],
  reminder: ['Reminder', 'system'],
  checkpoint: ['Checkpoint', 'system'],
}
const WRITTEN: ReadonlySet<string> = new Set(['summary', 'brief', 'files', 'pins', 'continuation'])

/** Who speaks in an entry of the context, and the category that it counts as. */
export function roleWords(
  role: string,
  label: string | undefined,
): { readonly shown: string; readonly category: Category } {
  const [shown, category] = ROLES[role] ?? [role, 'system']
  if (label === undefined) return { shown, category: categoryOf(category) }
  const isWritten = WRITTEN.has(label)
  return {
    shown: isWritten ? labelWords(label) : `${shown}, ${labelWords(label).toLowerCase()}`,
    category: categoryOf(isWritten ? 'summaries' : category),
  }
}

const LABELS: Readonly<Record<string, string>> = {
  summary: 'Summary',
  brief: 'Brief',
  files: 'List of files',
  pins: 'Pins',
  continuation: 'Request to continue',
  trimmed: 'Shortened',
  masked: 'Reduced',
  repaired: 'Repaired',
  closed: 'Closed call',
  recalled: 'Brought back',
  carried: 'Carried over',
}

export function labelWords(label: string): string {
  return LABELS[label] ?? label
}

/** Who said what a search found. */
export function speakerWords(speaker: string): string {
  if (speaker === 'user') return 'You'
  return `${speaker[0]?.toUpperCase() ?? ''}${speaker.slice(1)}`
}

const WRITTEN_FOR_MODEL = /^user: (?:\[Context note|The conversation history before)/
const ENTRY_ROLE = /^(user|answer)(?=:)/

/** An entry in short: who speaks as everywhere, and no words that only introduce it to the model. */
export function entryWords(what: string): string {
  if (WRITTEN_FOR_MODEL.test(what)) return 'Written by a compaction'
  return what.replace(ENTRY_ROLE, (role) => ROLES[role]?.[0] ?? role)
}

const AGENTS: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  opencode: 'OpenCode',
  'oh-my-pi': 'Oh My Pi',
  'copilot-cli': 'Copilot CLI',
  'gemini-cli': 'Gemini CLI',
  cline: 'Cline',
}

/** The name of an agent by the id of its format. */
export function agentWords(id: string): string {
  return AGENTS[id] ?? id
}

const ORIGINS: Readonly<Record<string, string>> = {
  'fresh-session': 'fresh session',
  import: 'imported',
  fork: 'fork',
  task: 'task',
}

export function originWords(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : (ORIGINS[reason] ?? reason)
}

export interface Envelope {
  readonly intro: string
  readonly body: string
  readonly outro: string
}

const TAGS = /^([\s\S]*?<summary>\n)([\s\S]*)(\n<\/summary>[\s\S]*)$/
const NOTE = /^(\[Context note, not a (?:new )?request: [^\]]*\]\n+)([\s\S]*)$/

/** What people read of a summary, and what only introduces it to the model. */
export function splitEnvelope(text: string): Envelope {
  const tags = TAGS.exec(text)
  if (tags) return { intro: tags[1] ?? '', body: tags[2] ?? '', outro: tags[3] ?? '' }
  const note = NOTE.exec(text)
  if (note) return { intro: note[1] ?? '', body: note[2] ?? '', outro: '' }
  return { intro: '', body: text, outro: '' }
}

export function tokensText(tokens: number | undefined): string {
  if (tokens === undefined) return 'unknown'
  if (tokens < 1_000) return String(tokens)
  if (tokens < 100_000) return `${(tokens / 1_000).toFixed(1)}K`
  return tokens < 1_000_000
    ? `${Math.round(tokens / 1_000)}K`
    : `${(tokens / 1_000_000).toFixed(2)}M`
}

export function percentText(percent: number | undefined): string {
  return percent === undefined
    ? 'unknown'
    : `${percent < 10 && percent > 0 ? percent.toFixed(1) : Math.round(percent)} %`
}

/** How much smaller or larger, as a share of what it was. */
export function changedText(before: number | undefined, after: number | undefined): string {
  if (before === undefined || after === undefined || before === 0) return 'unknown'
  return `${Math.round((100 * Math.abs(before - after)) / before)} %`
}

/** The same with its direction. A compaction of a short thread may leave more than there was. */
export function savedText(before: number | undefined, after: number | undefined): string {
  const changed = changedText(before, after)
  if (changed === 'unknown' || changed === '0 %') return changed
  return `${isLarger(before, after) ? '+' : '−'}${changed}`
}

export function isLarger(before: number | undefined, after: number | undefined): boolean {
  return (after ?? 0) > (before ?? 0)
}

export function costText(costUsd: number | undefined): string {
  return costUsd === undefined ? 'cost unknown' : `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`
}

export function timeText(time: Date): string {
  return time.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}

/** The time of the day, and the date where it is not today's. */
export function shortTime(time: Date): string {
  const isToday = time.toDateString() === new Date().toDateString()
  return time.toLocaleString(undefined, {
    ...(!isToday && { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
  })
}

export function clockText(time: Date): string {
  return time.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
}

/** The day, with its year where that is not this one. */
export function dayText(time: Date): string {
  const now = new Date()
  if (time.toDateString() === now.toDateString()) return 'Today'
  const isThisYear = time.getFullYear() === now.getFullYear()
  return time.toLocaleDateString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  })
}

export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

const AGES = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

export function ageText(ms: number): string {
  for (const [unit, size] of AGES) if (ms >= size) return `${Math.floor(ms / size)} ${unit} ago`
  return 'now'
}

export function countText(count: number, one: string, many: string): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`
}

export function readMessage(error: unknown): string {
  return error instanceof Error ? errorWords(error) : String(error)
}

/**
 * Text of others, as it is shown: characters that hide or turn the words around them are seen, not
 * obeyed.
 */
export function visibleText(text: string): string {
  return escapeSteering(text)
}

/** Of a thread in which nothing was said yet, too. */
export function titleText(title: string): string {
  return visibleText(title) || 'Untitled'
}

/** LOG-88: what was billed, beside one window; undefined as long as it is far from it. */
export function billedWarning(usage: {
  readonly percentUsed: number
  readonly nearLimit: boolean
}): string | undefined {
  if (!usage.nearLimit) return undefined
  return `The billed sum is ${usage.percentUsed < 100 ? 'near the limit of' : 'larger than'} one window.`
}
