// The part of docs/benchmarks.md that is made from the latest row.
import { withBlock } from '../report.ts'
import type { Cell } from './aggregate.ts'
import { BASELINES } from './baselines.ts'
import { BUDGETS, type Budget } from './policy.ts'
import { differenceText, shareText } from './report.ts'
import type { RetentionRow, SessionRow } from './row.ts'

export function pageWithRetention(page: string, row: RetentionRow): string {
  return withBlock(page, 'retention', `\n${retentionBlock(row)}\n`)
}

const AGAINST = ['keep-last', 'mask-results'] as const
const WEAKEST = 3

export function retentionBlock(row: RetentionRow): string {
  return [
    `${originText(row)}.`,
    headlineTable(row),
    'Strategies beside two baselines at the same budget: the mean of the differences, its interval, the ratio of the means, and in how many sessions less was kept.',
    differenceTable(row),
    weakTable(row),
  ].join('\n\n')
}

function originText({
  date,
  commit,
  changed,
  node,
  counter,
  settings,
  sessions,
}: RetentionRow): string {
  const tree = changed ? `${commit} with changes` : commit
  const cuts = sessions.reduce((sum, session) => sum + session.cuts, 0)
  return `${date}, commit ${tree}, Node ${node}, seed ${settings.seed}, ${sessions.length} sessions with ${cuts} cuts, counted by ${counter}`
}

function headlineTable({ cells }: RetentionRow): string {
  const policies = [...new Set(cells.map(({ policy }) => policy))]
  const lines = policies.map((policy) => [
    `\`${policy}\``,
    ...BUDGETS.map((budget) => cellText(find(cells, policy, budget))),
  ])
  const headers = BUDGETS.map((budget) => {
    const counts = cells.filter((cell) => cell.budget === budget).map(({ sessions }) => sessions)
    return `${budgetText(budget)}, ${Math.max(0, ...counts)} sessions`
  })
  return table(['headline (min; exact)', ...headers], lines)
}

function cellText(cell: Cell | undefined): string {
  if (!cell) return '—'
  const { headline, min, exact } = cell
  const interval = `${shareText(headline.low)}–${shareText(headline.high)}`
  return `**${shareText(headline.mean)}** ${interval} (${shareText(min)}; ${shareText(exact?.mean)})`
}

function find(cells: readonly Cell[], policy: string, budget: Budget): Cell | undefined {
  return cells.find((cell) => cell.policy === policy && cell.budget === budget)
}

function budgetText(budget: Budget): string {
  return budget === 'recorded' ? 'as recorded' : budget.replace('%', ' %')
}

function differenceTable({ cells, differences }: RetentionRow): string {
  const lines = strategiesIn(cells).flatMap((policy) =>
    AGAINST.map((baseline) => {
      const own = differences.filter((one) => one.policy === policy && one.baseline === baseline)
      const texts = BUDGETS.map((budget) =>
        differenceText(own.find((one) => one.budget === budget)),
      )
      return [`\`${policy}\``, `\`${baseline}\``, ...texts]
    }),
  )
  return table(['strategy', 'beside', ...BUDGETS.map(budgetText)], lines)
}

function strategiesIn(cells: readonly Cell[]): string[] {
  const policies = new Set(cells.map(({ policy }) => policy))
  return [...policies].filter((policy) => !Object.hasOwn(BASELINES, policy))
}

/** The sessions in which the strategies keep least, by the hash of their content. */
function weakTable({ sessions, cells }: RetentionRow): string {
  const budgets = BUDGETS.filter((budget) => budget !== 'recorded')
  const lines = strategiesIn(cells).map((policy) => [
    `\`${policy}\``,
    ...budgets.map((budget) => weakestText(sessions, policy, budget)),
  ])
  return table(['the weakest sessions', ...budgets.map(budgetText)], lines)
}

function weakestText(sessions: readonly SessionRow[], policy: string, budget: Budget): string {
  return sessions
    .flatMap(({ id, format, headlines }) => {
      const headline = headlines[budget]?.[policy]
      return headline === undefined ? [] : [{ id, format, headline }]
    })
    .toSorted((one, other) => one.headline - other.headline)
    .slice(0, WEAKEST)
    .map(({ id, format, headline }) => `\`${id}\` (${format}) ${shareText(headline)}`)
    .join(', ')
}

function table(header: readonly string[], lines: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
