// Numbers, failures and the text of others, as the page shows them.
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
    : `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`
}

export function costText(costUsd: number | undefined): string {
  return costUsd === undefined ? 'cost unknown' : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`
}

export function timeText(time: Date): string {
  return time.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
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
