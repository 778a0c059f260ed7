// The figures for a terminal.
import type { Cell, Difference, Interval } from './aggregate.ts'
import { BUDGETS, type Budget } from './policy.ts'
import type { RetentionRow, SessionRow } from './row.ts'

export interface ReportOptions {
  /** The headlines of every session, with the file that each is. */
  readonly fileNames?: ReadonlyMap<string, string>
}

const AGAINST = ['keep-last', 'mask-results'] as const

export function linesOf(row: RetentionRow, { fileNames }: ReportOptions = {}): string {
  const cuts = row.sessions.reduce((sum, session) => sum + session.cuts, 0)
  return [
    ...BUDGETS.flatMap((budget) => tableOf(row, budget)),
    ...(fileNames ? BUDGETS.flatMap((budget) => eachOf(row, budget, fileNames)) : []),
    `${row.sessions.length} sessions, ${cuts} cuts, counted by ${row.counter}`,
  ].join('\n\n')
}

const HEADER = [
  'policy',
  'headline (95 %)',
  'min',
  'unary',
  'pair',
  'exact',
  'used',
  'over',
  'failed',
  ...AGAINST.map((name) => `against ${name}`),
]

function tableOf({ cells, differences }: RetentionRow, budget: Budget): string[] {
  const own = cells.filter((cell) => cell.budget === budget)
  if (own.length === 0) return []
  const rows = own.map((cell) => [
    ...cellTexts(cell),
    ...AGAINST.map((baseline) =>
      differenceText(
        differences.find(
          (one) => one.budget === budget && one.policy === cell.policy && one.baseline === baseline,
        ),
      ),
    ),
  ])
  return [`── ${budget}, ${own[0]?.sessions} sessions ──\n${aligned([HEADER, ...rows])}`]
}

function cellTexts(cell: Cell): string[] {
  const { policy, headline, min, unary, pair, exact, used, over, failed } = cell
  const shares = [min, unary, pair, exact?.mean, used, over, failed]
  return [policy, intervalText(headline), ...shares.map(shareText)]
}

export function differenceText(difference: Difference | undefined): string {
  if (!difference) return '—'
  const { headline, ratio, worse } = difference
  const interval = `${signedText(headline.low)} to ${signedText(headline.high)}`
  const times = ratio === undefined ? '' : `, ×${ratio.toFixed(2)}`
  return `${signedText(headline.mean)} (${interval})${times}, worse in ${worse.length}`
}

/** One line a session, the weakest of the last policy first. */
function eachOf(
  { sessions }: RetentionRow,
  budget: Budget,
  fileNames: ReadonlyMap<string, string>,
): string[] {
  const own = sessions.filter(({ headlines }) => headlines[budget])
  const policies = Object.keys(own[0]?.headlines[budget] ?? {})
  const of = (session: SessionRow, policy = '') => session.headlines[budget]?.[policy]
  const last = policies.at(-1)
  const rows = own
    .toSorted((one, other) => (of(one, last) ?? 0) - (of(other, last) ?? 0))
    .map((session) => [
      session.id,
      ...policies.map((policy) => shareText(of(session, policy))),
      fileNames.get(session.id) ?? '',
    ])
  if (rows.length === 0) return []
  return [`── ${budget}, each session ──\n${aligned([['session', ...policies, 'file'], ...rows])}`]
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const lineOf = (row: readonly string[]) =>
    row.map((text, column) => text.padEnd(widths?.[column] ?? 0)).join('  ')
  return rows.map((row) => lineOf(row).trimEnd()).join('\n')
}

function intervalText({ mean, low, high }: Interval): string {
  return `${shareText(mean)} (${shareText(low)} to ${shareText(high)})`
}

/** Three decimals; a dash where there is nothing to tell. */
export function shareText(value: number | undefined): string {
  return value === undefined ? '—' : value.toFixed(3).replace(/^0/, '')
}

function signedText(value: number): string {
  return `${value < 0 ? '−' : '+'}${shareText(Math.abs(value))}`
}
