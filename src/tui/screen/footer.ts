// The footer: model, context size, cost, queue
import { visibleWidth } from '@earendil-works/pi-tui'
import type { ThreadDetail } from '../../protocol/index.ts'
import { BAR_COLUMNS, compact } from './context-picture.ts'
import { cut, visibleLine } from './text-lines.ts'
import type { Theme } from './theme.ts'

export interface FooterFigures {
  readonly detail?: ThreadDetail // absent until it is known
  readonly queued: number
}

const NEARLY_FULL = 80
const HALF_FULL = 60
/** Context, queue and cost; if they do not fit, the bar is dropped first. */
const FIRST_FIGURES = 3

/** Two lines; the least important figures are dropped first. */
export function footerLines(
  { detail, queued }: FooterFigures,
  width: number,
  theme: Theme,
): string[] {
  if (detail === undefined) return ['', '']
  const thinking = detail.thinking === 'off' ? [] : [`thinking ${visibleLine(detail.thinking)}`]
  const strategy = detail.strategy === undefined ? [] : [visibleLine(detail.strategy)]
  const who = [
    theme.bold(visibleLine(detail.model ?? 'no model')),
    detail.preset,
    ...thinking,
    ...strategy,
    theme.dim(visibleLine(detail.title) || 'new'),
  ]
  const rest = [`queue ${queued}`, ...computeBill(detail)]
  const whole = [buildContext(detail, theme), ...rest]
  const hasRoom = visibleWidth(whole.slice(0, FIRST_FIGURES).join(' · ')) <= width
  const figures = hasRoom ? whole : [buildShortContext(detail), ...rest]
  return [fitted(who, width), fitted(figures, width)]
}

/** A bar and a percentage for a known window, tokens otherwise. */
function buildContext({ context }: ThreadDetail, theme: Theme): string {
  const { tokens, limit, percent, by } = context
  if (tokens === undefined) return 'context unknown'
  const about = by === 'estimated' && tokens > 0 ? '≈' : ''
  if (limit === undefined) return `context ${about}${compact(tokens)} tokens`
  const share = percent ?? (tokens / limit) * 100
  const filled = Math.min(BAR_COLUMNS, Math.round((share / 100) * BAR_COLUMNS))
  const paint = share >= NEARLY_FULL ? theme.bad : share >= HALF_FULL ? theme.warning : theme.good
  const bar = paint('█'.repeat(filled)) + theme.dim('░'.repeat(BAR_COLUMNS - filled))
  return `context ${bar} ${about}${Math.round(share)} % of ${compact(limit)}`
}

function buildShortContext({ context: { tokens, limit, percent } }: ThreadDetail): string {
  if (tokens === undefined) return 'ctx unknown'
  if (limit === undefined) return `ctx ${compact(tokens)}`
  return `ctx ${Math.round(percent ?? (tokens / limit) * 100)} %`
}

function computeBill({ billed, costUsd }: ThreadDetail): string[] {
  const { totalTokens, promptTokens, cacheReadTokens } = billed
  const share =
    cacheReadTokens === undefined || promptTokens === 0
      ? []
      : [`cache ${Math.round((cacheReadTokens / promptTokens) * 100)} %`]
  const cost = costUsd === undefined ? [] : [`$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`]
  return [`billed ${compact(totalTokens)}`, ...cost, ...share]
}

function fitted(parts: readonly string[], width: number): string {
  for (let count = parts.length; count > 1; count -= 1) {
    const line = parts.slice(0, count).join(' · ')
    if (visibleWidth(line) <= width) return line
  }
  return cut(parts[0] ?? '', width)
}
