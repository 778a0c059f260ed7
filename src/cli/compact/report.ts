// The report of a compaction on a terminal: before and after as bars, removals with reasons, next steps.

import type { CompactionReport } from '../../core/edit/report.ts'
import type { TokenSplit } from '../../core/edit/token-split.ts'
import type { TokenCounter } from '../../core/window/tokens/counter.ts'
import type { AskedModel } from '../../providers/redacted-port.ts'
import { bar, oneLine, padColumns, type Style, thousands, wrapLines } from '../terminal/terminal.ts'
import { type Again, type Costs, type NextSteps, nextSteps } from './next-steps.ts'

export interface CommandReport
  extends Omit<CompactionReport, 'before' | 'after' | 'strategyId' | 'trigger'> {
  readonly input: {
    readonly kind: 'file' | 'thread'
    readonly source: string
    readonly format: string | null
  }
  readonly strategy: { readonly id: string; readonly origin: string }
  /** The counter of `before`, `after` and the budget; removals are always estimated. */
  readonly counter: TokenCounter['id']
  readonly budgetTokens?: number
  readonly before: TokenSplit
  readonly after: TokenSplit
  readonly messages: { readonly before: number; readonly after: number }
  /** Binding sentences of the user, pinned with this compaction. */
  readonly constraints: readonly string[]
  readonly costs: Costs
  readonly problems: readonly string[]
  readonly models: readonly AskedModel[] // asked for a summary
  /** What `--redact` removed because it looked secret. */
  readonly redacted?: AskedModel['redacted']
  readonly result: NextSteps['result']
}

const SHOWN_DROPS = 5
const SHOWN_PROBLEMS = 5
const SHOWN_CONSTRAINTS = 5
const MIN_BAR = 8
const MAX_BAR = 30
/** Width next to the two bars of a row. */
const BESIDE_BARS = 38

export function renderCompactReport(
  report: CommandReport,
  style: Style,
  columns: number,
  again: Again,
): string {
  const sections = [
    heading(report, style),
    picture(report, style, columns),
    changes(report, style, columns),
    kept(report, style, columns),
    problems(report, style, columns),
    [...models(report, style), ...costLines(report, style), ...secrets(report)],
    nextSteps({ ...report, again, tokens: report.after.total }, { style, columns }),
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function heading({ input, strategy, counter, settings }: CommandReport, style: Style): string[] {
  const source = input.source === '-' ? 'standard input' : input.source
  const format = input.format ?? input.kind
  const others = Object.entries(settings)
    .filter(([name]) => name !== 'strategy' && name !== 'counter')
    .map(([name, value]) => `${name} ${oneLine(String(value), 40)}`)
  return [
    `${style.bold('précis')} · ${oneLine(source, 60)} ${style.dim(`(${format})`)}`,
    `strategy ${style.bold(strategy.id)} ${style.dim(`(${strategy.origin})`)}`,
    style.dim([`counter ${counter}`, ...others].join(' · ')),
  ]
}

/** Names for the parts of a context; the last ones appear only if present. */
const ROWS: readonly (readonly [name: string, tokens: (split: TokenSplit) => number])[] = [
  ['system', ({ system }) => system],
  ['user', ({ user }) => user],
  ['answers', ({ assistant }) => assistant],
  ['thinking', ({ thinking }) => thinking],
  ['tool calls', ({ toolCalls }) => toolCalls],
  ['tool results', ({ toolResults }) => toolResults.reduce((sum, { tokens }) => sum + tokens, 0)],
  ['images', ({ images }) => images],
  ['summaries', ({ summaries }) => summaries],
]
const ALWAYS_SHOWN = 6

export function buildRows(splits: readonly TokenSplit[]): [string, ...number[]][] {
  return ROWS.map(([name, tokens]): [string, ...number[]] => [name, ...splits.map(tokens)]).filter(
    ([, ...values], at) => at < ALWAYS_SHOWN || values.some((value) => value > 0),
  )
}

function picture(report: CommandReport, style: Style, columns: number): string[] {
  const { before, after, budgetTokens, messages } = report
  const width = Math.min(MAX_BAR, Math.max(MIN_BAR, Math.floor((columns - BESIDE_BARS) / 2)))
  const rows = buildRows([before, after])
  const most = Math.max(1, ...rows.map(([, was = 0]) => was))
  const cell = (tokens = 0) =>
    `${thousands(tokens).padStart(9)} ${bar(tokens / most, width).padEnd(width)}`
  const plain = (value: number) => `${thousands(value).padStart(9)} ${' '.repeat(width)}`
  const row = (name: string, left: string, right: string) =>
    `  ${name.padEnd(13)}${left} ${right}`.trimEnd()
  const change = before.total === 0 ? 0 : Math.round((after.total / before.total - 1) * 100)
  return [
    style.dim(row('tokens', `${'before'.padStart(9)} ${' '.repeat(width)}`, 'after'.padStart(9))),
    ...rows.map(([name, was, is]) => row(name, cell(was), cell(is))),
    style.bold(row('total', plain(before.total), thousands(after.total).padStart(9))) +
      (change < 0 ? style.good(`   ${signed(change)} %`) : `   ${signed(change)} %`),
    row('messages', plain(messages.before), thousands(messages.after).padStart(9)),
    ...(budgetTokens === undefined
      ? []
      : [row('budget', ' '.repeat(10 + width), thousands(budgetTokens).padStart(9))]),
  ]
}

function changes(report: CommandReport, style: Style, columns: number): string[] {
  const { drops, largest, counter } = report
  if (drops.length === 0) return ['Nothing changed: there was nothing for this strategy to do.']
  const width = columns - 44
  return [
    `Removed, with the reason${counter === 'estimate' ? '' : ', in estimated tokens'}:`,
    ...drops.map(
      ({ why, entries, tokens }) =>
        `  ${signed(-tokens).padStart(9)}  ${oneLine(why, 60)} ${style.dim(`${thousands(entries)} ${entries === 1 ? 'entry' : 'entries'}`)}`,
    ),
    'Largest drops:',
    ...largest.slice(0, SHOWN_DROPS).map(({ ref, what, before, after }) => {
      const saved = signed(after - before).padStart(9)
      const sizes = `${thousands(before)} → ${thousands(after)}`
      const name = padColumns(oneLine(what, width), width)
      return `  ${saved}  ${ref.padEnd(7)} ${name} ${style.dim(sizes)}`
    }),
  ]
}

function kept({ constraints, pins }: CommandReport, style: Style, columns: number): string[] {
  const more = constraints.length - SHOWN_CONSTRAINTS
  const held = pins.entries.length + pins.texts
  return [
    ...(held === 0
      ? []
      : [
          `Kept word for word: ${[
            ...named(
              pins.texts,
              'sentence that binds or is pinned',
              'sentences that bind or are pinned',
            ),
            ...named(pins.entries.length, 'whole entry', 'whole entries'),
          ].join(' and ')}.`,
        ]),
    ...constraints
      .slice(0, SHOWN_CONSTRAINTS)
      .map((sentence) => `  ${style.dim('“')}${oneLine(sentence, columns - 6)}${style.dim('”')}`),
    ...(more > 0 ? [style.dim(`  and ${more} more: --json lists them all`)] : []),
  ]
}

function named(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${thousands(count)} ${count === 1 ? one : many}`]
}

function problems({ problems: found }: CommandReport, style: Style, columns: number): string[] {
  if (found.length === 0) return []
  const more = found.length - SHOWN_PROBLEMS
  return [
    `${found.length === 1 ? 'One remark' : `${found.length} remarks`} on the input and the output:`,
    ...found.slice(0, SHOWN_PROBLEMS).flatMap((problem) => wrapLines(problem, columns)),
    ...(more > 0 ? [style.dim(`  and ${more} more: --json lists them all`)] : []),
  ]
}

const WINDOW_WORDS = {
  catalogue: 'as listed',
  settings: 'as set',
  server: 'as its server says',
  default: 'a default; set it in catalogue',
} as const

function models({ models: asked }: CommandReport, style: Style): string[] {
  return asked.flatMap(({ ref, window, redacted }) => [
    `Asked ${style.bold(ref)}: window ${thousands(window.tokens)} tokens ${style.dim(`(${WINDOW_WORDS[window.from]})`)}.`,
    ...(redacted.length === 0
      ? []
      : [`  It is another provider, so these were removed from the request: ${listed(redacted)}.`]),
  ])
}

function costLines({ costs: { request, summaryUsd } }: CommandReport, style: Style): string[] {
  return [
    ...(request === undefined
      ? []
      : [
          `A request costs ${dollars(request.beforeUsd)} before and ${dollars(request.afterUsd)} after ${style.dim(`(${request.model}, nothing in its cache)`)}.`,
        ]),
    ...(summaryUsd === undefined ? [] : [`Finding the summary cost ${dollars(summaryUsd)}.`]),
  ]
}

function dollars(value: number): string {
  return `$${value < 0.01 ? value.toFixed(4) : value.toFixed(2)}`
}

function secrets({ redacted }: CommandReport): string[] {
  if (redacted === undefined) return []
  if (redacted.length === 0) return ['Nothing in the result looked like a secret.']
  return [`Taken out of the result: ${listed(redacted)}.`]
}

function listed(found: AskedModel['redacted']): string {
  return found.map(({ kind, count }) => `${thousands(count)} ${kind}`).join(', ')
}

/** −5, 0 or +5: compacting small content may grow it. */
function signed(value: number): string {
  if (value === 0) return '0'
  return value < 0 ? `−${thousands(-value)}` : `+${thousands(value)}`
}
