// Numbers, times, failures and the text of others, as the page shows them.
import { errorWords, escapeSteering } from '../protocol/index.ts'

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

/** The change in size, as a share of the old size. */
export function changedText(before: number | undefined, after: number | undefined): string {
  if (before === undefined || after === undefined || before === 0) return 'unknown'
  return `${Math.round((100 * Math.abs(before - after)) / before)} %`
}

/** The same with its direction: a compaction of a short thread may grow it. */
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

/** The time of day, with the date if it is not today. */
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

/** The day, with the year if it is not the current one. */
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

/** Foreign text for display: characters that hide or reorder text are made visible. */
export function visibleText(text: string): string {
  return escapeSteering(text)
}

/** Also names a thread without messages. */
export function titleText(title: string): string {
  return visibleText(title) || 'Untitled'
}
