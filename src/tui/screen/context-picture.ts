// The window as a picture: used by kind, free, and the largest entries
import type { ContextPicture } from '../../protocol/index.ts'
import { padded, visibleLine } from './text-lines.ts'

export const BAR_COLUMNS = 10

export function compact(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  const [value, unit] = tokens < 1_000_000 ? [tokens / 1_000, 'k'] : [tokens / 1_000_000, 'M']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`
}

const PICTURE_COLUMNS = 10

const NAME_COLUMNS = 12

const MOST_LARGEST = 5

export function contextWords({ categories, context, largest }: ContextPicture): string {
  const sum = categories.reduce((total, { tokens }) => total + tokens, 0)
  const whole = Math.max(context.limit ?? 0, sum, 1)
  // Bars are relative to the largest part: relative to a large window all would look alike.
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
