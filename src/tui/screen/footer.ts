// The footer: model, context size, cost, queue
// The window as a picture: used by kind, free, and the largest entries
import { visibleWidth } from '@earendil-works/pi-tui'
import type { ContextPicture, ThreadDetail } from '../../protocol/index.ts'
import { cut, padded, type Theme, visibleLine } from './theme.ts'

export interface FooterFigures {
  readonly detail?: ThreadDetail // absent until it is known
  readonly queued: number
}

const NEARLY_FULL = 80
const HALF_FULL = 60
const BAR_COLUMNS = 10
/** The context, the queue and the bill: where they do not fit, the bar goes first. */
const FIRST_FIGURES = 3

/** Two lines. What does not fit goes, the least important first. */
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

/** A bar and a percentage where the window is known, tokens alone if it is not. */
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

export function compact(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  const [value, unit] = tokens < 1_000_000 ? [tokens / 1_000, 'k'] : [tokens / 1_000_000, 'M']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`
}

function fitted(parts: readonly string[], width: number): string {
  for (let count = parts.length; count > 1; count -= 1) {
    const line = parts.slice(0, count).join(' · ')
    if (visibleWidth(line) <= width) return line
  }
  return cut(parts[0] ?? '', width)
}

const PICTURE_COLUMNS = 10
const NAME_COLUMNS = 12
const MOST_LARGEST = 5

export function contextWords({ categories, context, largest }: ContextPicture): string {
  const sum = categories.reduce((total, { tokens }) => total + tokens, 0)
  const whole = Math.max(context.limit ?? 0, sum, 1)
  // The longest bar is that of the largest part: beside a large window all of them would look alike.
  const most = Math.max(1, ...categories.filter(isUsed).map(({ tokens }) => tokens))
  const bars = categories.map(({ name, tokens }) => barLine(name, tokens, { most, whole }))
  const rest = largest
    .slice(0, MOST_LARGEST)
    .map(({ ref, what, tokens }) => `  ${padded(compact(tokens), 6)} ${ref}  ${visibleLine(what)}`)
  return [readHead(context), ...bars, ...(rest.length > 0 ? ['The largest:', ...rest] : [])].join(
    '\n',
  )
}

function readHead({ tokens, limit, percent, by }: ContextPicture['context']): string {
  if (tokens === undefined) return 'The size of the context is unknown.'
  const of = limit === undefined ? '' : ` of ${compact(limit)}`
  const share = percent === undefined ? '' : ` (${Math.round(percent)} %)`
  return `${compact(tokens)}${of} tokens${share}, ${by ?? 'estimated'}`
}

function isUsed({ name }: { readonly name: string }): boolean {
  return name !== 'free'
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

function barLine(
  name: string,
  tokens: number,
  { most, whole }: { readonly most: number; readonly whole: number },
): string {
  const eighths = Math.min(8 * PICTURE_COLUMNS, Math.ceil((8 * PICTURE_COLUMNS * tokens) / most))
  const full = '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
  const bar = isUsed({ name }) ? full : ''
  const share = (100 * tokens) / whole
  const percent = share > 0 && share < 1 ? '<1 %' : `${Math.round(share)} %`
  return `${padded(visibleLine(name), NAME_COLUMNS)} ${padded(bar, PICTURE_COLUMNS)} ${padded(compact(tokens), 6)} ${percent}`
}
