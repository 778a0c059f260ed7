// The window as a picture: used by kind, free, and the largest entries
import type { ContextPicture } from '../../protocol/index.ts'
import { compact } from './footer.ts'
import { padded, visibleLine } from './theme.ts'

const BAR_COLUMNS = 24
const NAME_COLUMNS = 16
const MOST_LARGEST = 5

export function contextWords({ categories, context, largest }: ContextPicture): string {
  const sum = categories.reduce((total, { tokens }) => total + tokens, 0)
  const whole = Math.max(context.limit ?? 0, sum, 1)
  const bars = categories.map(({ name, tokens }) => barLine(name, tokens, whole))
  const rest = largest
    .slice(0, MOST_LARGEST)
    .map(({ ref, what, tokens }) => `  ${padded(compact(tokens), 6)} ${ref}  ${visibleLine(what)}`)
  return [readHead(context), ...bars, ...(rest.length > 0 ? ['The largest:', ...rest] : [])].join(
    '\n',
  )
}

function readHead({ tokens, limit, percent, by }: ContextPicture['context']): string {
  if (tokens === undefined) return 'How full the context is, is unknown.'
  const of = limit === undefined ? '' : ` of ${compact(limit)}`
  const share = percent === undefined ? '' : ` (${Math.round(percent)} %)`
  return `${compact(tokens)}${of} tokens${share}, ${by ?? 'estimated'}`
}

function barLine(name: string, tokens: number, whole: number): string {
  const filled = tokens > 0 ? Math.max(1, Math.round((tokens / whole) * BAR_COLUMNS)) : 0
  const mark = name === 'free' ? '·' : '█'
  const bar = mark.repeat(Math.min(filled, BAR_COLUMNS))
  return `${padded(visibleLine(name), NAME_COLUMNS)} ${padded(bar, BAR_COLUMNS)} ${compact(tokens)}`
}
