// Formats numbers and errors; an unknown value is never shown as 0
import { errorWords } from '../protocol/index.ts'

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
    : `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`
}

export function costText(costUsd: number | undefined): string {
  return costUsd === undefined ? 'cost unknown' : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`
}

export function timeText(time: Date): string {
  return time.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? errorWords(error) : String(error)
}
