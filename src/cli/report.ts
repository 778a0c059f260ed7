// The report of a compaction: before and after as a picture, what became smaller, what to do next.
import type { ResolvedSettings } from '../core/settings.ts'
import type { AskedModel } from '../providers/redacted-port.ts'
import { CATEGORIES, type Drop, type Measure } from './measure.ts'
import { bar, oneLine, padColumns, type Style, thousands } from './terminal.ts'

export interface Side extends Measure {
  readonly messages: number
}

export interface Report {
  readonly input: { readonly source: string; readonly format: string }
  readonly strategy: { readonly id: string; readonly origin: string }
  readonly counter: 'estimate'
  readonly budgetTokens?: number
  readonly before: Side
  readonly after: Side
  readonly changes: Readonly<Record<string, number>> // how many new entries of each label
  readonly drops: readonly Drop[]
  readonly thinkingHidden: number // answers whose thinking is no longer sent
  readonly problems: readonly string[]
  readonly models: readonly AskedModel[] // which were asked for a summary
  /** What looks like a secret in the result, and whether it was taken out. */
  readonly secrets: { readonly found: AskedModel['redacted']; readonly removed: boolean }
  readonly output: string | null // a file, `-`, or nothing was written
  readonly options: readonly string[] // as they were given, to be given again
}

const SHOWN_DROPS = 5
const SHOWN_PROBLEMS = 5
const MIN_BAR = 8
const MAX_BAR = 30
/** What stands beside the two bars of a row. */
const BESIDE_BARS = 38

export function originOf({ origins }: ResolvedSettings, key: string): string {
  const { origin, where } = origins[key] ?? { origin: 'default' }
  return where === undefined ? origin : `${origin}: ${where}`
}

/** `program` is how the reader starts precis. */
export function renderReport(
  report: Report,
  style: Style,
  columns: number,
  program = 'precis',
): string {
  const sections = [
    heading(report, style),
    picture(report, style, columns),
    changes(report, style, columns),
    problems(report, style, columns),
    [...models(report, style), ...secrets(report, style)],
    nextSteps(report, style, program),
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function heading({ input, strategy }: Report, style: Style): string[] {
  const source = input.source === '-' ? 'standard input' : input.source
  return [
    `${style.bold('précis')} · ${oneLine(source, 60)} ${style.dim(`(${input.format})`)}`,
    `strategy ${style.bold(strategy.id)} ${style.dim(`(${strategy.origin})`)}`,
  ]
}

function picture({ before, after, budgetTokens }: Report, style: Style, columns: number): string[] {
  const width = Math.min(MAX_BAR, Math.max(MIN_BAR, Math.floor((columns - BESIDE_BARS) / 2)))
  const most = Math.max(1, ...CATEGORIES.map((name) => before.categories[name]))
  const cell = (tokens: number) =>
    `${thousands(tokens).padStart(9)} ${bar(tokens / most, width).padEnd(width)}`
  const plain = (value: number) => `${thousands(value).padStart(9)} ${' '.repeat(width)}`
  const row = (name: string, left: string, right: string) =>
    `  ${name.padEnd(13)}${left} ${right}`.trimEnd()
  const change = before.tokens === 0 ? 0 : Math.round((after.tokens / before.tokens - 1) * 100)
  return [
    style.dim(row('tokens', `${'before'.padStart(9)} ${' '.repeat(width)}`, 'after'.padStart(9))),
    ...CATEGORIES.map((name) =>
      row(name, cell(before.categories[name]), cell(after.categories[name])),
    ),
    style.bold(row('total', plain(before.tokens), thousands(after.tokens).padStart(9))) +
      style.good(`   ${signed(change)} %`),
    row('messages', plain(before.messages), thousands(after.messages).padStart(9)),
    ...(budgetTokens === undefined
      ? []
      : [row('budget', ' '.repeat(10 + width), thousands(budgetTokens).padStart(9))]),
    style.dim('  Tokens are estimated; definitions of tools are not counted.'),
  ]
}

function changes(report: Report, style: Style, columns: number): string[] {
  const { changes: kinds, drops, thinkingHidden } = report
  if (drops.length === 0) return ['Nothing changed: there was nothing for this strategy to do.']
  const changed = Object.entries(kinds).map(([kind, count]) => `${thousands(count)} ${kind}`)
  const width = columns - 36
  return [
    `What changed: ${changed.join(', ')}. Largest drops:`,
    ...drops.slice(0, SHOWN_DROPS).map(({ what, before, after }) => {
      const saved = signed(after - before).padStart(9)
      const sizes = `${thousands(before)} → ${thousands(after)}`
      return `  ${saved}  ${padColumns(oneLine(what, width), width)} ${style.dim(sizes)}`
    }),
    ...(thinkingHidden === 0
      ? []
      : [
          `The thinking of ${thousands(thinkingHidden)} answers is no longer sent: it is bound to what stood before it.`,
        ]),
  ]
}

function problems({ problems: found }: Report, style: Style, columns: number): string[] {
  if (found.length === 0) return []
  const more = found.length - SHOWN_PROBLEMS
  return [
    `${found.length === 1 ? 'One remark' : `${found.length} remarks`} on the input:`,
    ...found.slice(0, SHOWN_PROBLEMS).map((problem) => `  ${oneLine(problem, columns - 2)}`),
    ...(more > 0 ? [style.dim(`  and ${more} more: --json lists them all`)] : []),
  ]
}

const WINDOW_WORDS = {
  catalogue: 'as listed',
  settings: 'as set',
  server: 'as its server says',
  default: 'a default, nobody says: set it in catalogue',
} as const

function models({ models: asked }: Report, style: Style): string[] {
  return asked.flatMap(({ ref, window, redacted }) => [
    `Asked ${style.bold(ref)}: window ${thousands(window.tokens)} tokens ${style.dim(`(${WINDOW_WORDS[window.from]})`)}.`,
    ...(redacted.length === 0
      ? []
      : [`  It is another provider, and was not told: ${listed(redacted)}.`]),
  ])
}

function secrets({ secrets: { found, removed } }: Report, style: Style): string[] {
  if (found.length === 0) return []
  if (removed) return [`Taken out of the result: ${listed(found)}.`]
  const hint = style.dim('--redact takes it out.')
  return [`The result holds what looks secret: ${listed(found)}. ${hint}`]
}

function listed(found: Report['secrets']['found']): string {
  return found.map(({ kind, count }) => `${thousands(count)} ${kind}`).join(', ')
}

function nextSteps({ input, output, options }: Report, style: Style, program: string): string[] {
  if (output !== null) return output === '-' ? [] : [`Written to ${style.bold(output)}.`]
  const source = input.source === '-' ? '-' : quoted(input.source)
  const compact = [program, 'compact', source, ...options.map(quoted)].join(' ')
  const steps = [
    [`${compact} --output compacted.json`, 'write the result'],
    [`${compact} --output - | …`, 'hand it to a program'],
    [`${compact} --budget 50%`, 'fail unless it gets this small'],
    [`${program} compact --help`, 'all options'],
  ] as const
  const width = Math.max(...steps.map(([command]) => command.length))
  return [
    'Nothing was written. Next:',
    ...steps.map(([command, what]) => `  ${command.padEnd(width)}  ${style.dim(what)}`),
  ]
}

/** −5, 0 or +5: a compaction of small things can make them larger. */
function signed(value: number): string {
  if (value === 0) return '0'
  return value < 0 ? `−${thousands(-value)}` : `+${thousands(value)}`
}

function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
