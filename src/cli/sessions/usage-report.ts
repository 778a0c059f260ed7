// Usage and cost of sessions, summed by day, model, project or agent.
import { PrecisError } from '../../core/errors.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import { oneLine, padColumns, type Style, thousands, wrapLines } from '../terminal/terminal.ts'
import type { KnownSession } from './select-sessions.ts'
import type { DayUsage } from './session-facts.ts'

export interface UsageRow extends Omit<DayUsage, 'day' | 'model'> {
  readonly name: string
  readonly sessions: number
  /** Answers without a known price: not part of the cost. */
  readonly unpriced: number
}

const GROUPS = ['day', 'model', 'project', 'agent'] as const
export type UsageGroup = (typeof GROUPS)[number]

export function requireGroup(text: string): UsageGroup {
  const found = GROUPS.find((group) => group === text)
  if (found) return found
  const near = nearestWord(text, GROUPS)
  throw new PrecisError('usage', `Unknown group: ${text}`, {
    where: '--by',
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known groups: ${GROUPS.join(', ')}.`,
  })
}

/** Days newest first, others by cost. */
export function sumUsage(
  sessions: readonly (KnownSession & { readonly usage: readonly DayUsage[] })[],
  by: UsageGroup,
): UsageRow[] {
  const rows = new Map<string, UsageRow>()
  for (const { facts, usage, isSubAgent = facts.isSubAgent ?? false } of sessions) {
    const seen = new Set<string>()
    for (const each of usage) {
      const name = nameGroup(by, facts, each) || 'unknown'
      // A sub-agent's cost belongs to the session that started it.
      rows.set(name, added(rows.get(name), name, each, !isSubAgent && !seen.has(name)))
      seen.add(name)
    }
  }
  const spent = ({ costUsd = 0, promptTokens, completionTokens }: UsageRow) =>
    costUsd + (promptTokens + completionTokens) / 1e12
  return [...rows.values()].sort((a, b) =>
    by === 'day' ? (a.name < b.name ? 1 : -1) : spent(b) - spent(a),
  )
}

function nameGroup(by: UsageGroup, facts: KnownSession['facts'], { day, model }: DayUsage): string {
  if (by === 'day') return day
  if (by === 'model') return model
  return by === 'project' ? (facts.project ?? '') : facts.format
}

function added(
  row: UsageRow | undefined,
  name: string,
  usage: DayUsage,
  isNewSession: boolean,
): UsageRow {
  const costUsd =
    row?.costUsd === undefined && usage.costUsd === undefined
      ? undefined
      : (row?.costUsd ?? 0) + (usage.costUsd ?? 0)
  return {
    name,
    sessions: (row?.sessions ?? 0) + (isNewSession ? 1 : 0),
    answers: (row?.answers ?? 0) + usage.answers,
    promptTokens: (row?.promptTokens ?? 0) + usage.promptTokens,
    completionTokens: (row?.completionTokens ?? 0) + usage.completionTokens,
    cacheReadTokens: (row?.cacheReadTokens ?? 0) + usage.cacheReadTokens,
    cacheWriteTokens: (row?.cacheWriteTokens ?? 0) + usage.cacheWriteTokens,
    unpriced: (row?.unpriced ?? 0) + (usage.costUsd === undefined ? usage.answers : 0),
    ...(costUsd !== undefined && { costUsd }),
  }
}

/** A readable cost; an unknown part makes it a lower bound. */
export function shownCost(costUsd: number | undefined, unpriced = 0): string {
  if (costUsd === undefined) return '–'
  return `$${costUsd.toFixed(2)}${unpriced > 0 ? '+' : ''}`
}

interface Column {
  readonly heading: string
  /** On narrow terminals the lowest is dropped first. */
  readonly weight: number
  cell(row: UsageRow): string
}

const COLUMNS: readonly Column[] = [
  { heading: 'sessions', weight: 2, cell: ({ sessions }) => thousands(sessions) },
  { heading: 'answers', weight: 1, cell: ({ answers }) => thousands(answers) },
  { heading: 'in', weight: 5, cell: ({ promptTokens }) => shortCount(promptTokens) },
  { heading: 'from cache', weight: 3, cell: ({ cacheReadTokens }) => shortCount(cacheReadTokens) },
  { heading: 'out', weight: 4, cell: ({ completionTokens }) => shortCount(completionTokens) },
  { heading: 'cost', weight: 6, cell: ({ costUsd, unpriced }) => shownCost(costUsd, unpriced) },
]
const LEAST_NAME_COLUMNS = 16

export function renderUsage(
  { by, rows }: { readonly by: UsageGroup; readonly rows: readonly UsageRow[] },
  style: Style,
  columns: number,
): string {
  if (rows.length === 0) return 'No session here says what it used.\n'
  const widthOf = ({ heading, cell }: Column) =>
    2 + Math.max(heading.length, ...rows.map((row) => cell(row).length))
  let shown = COLUMNS
  const taken = () => shown.reduce((sum, column) => sum + widthOf(column), 0)
  while (columns - taken() < LEAST_NAME_COLUMNS && shown.length > 1) {
    const lightest = Math.min(...shown.map(({ weight }) => weight))
    shown = shown.filter(({ weight }) => weight > lightest)
  }
  const widest = Math.max(by.length, ...rows.map(({ name }) => name.length))
  const room = Math.min(widest, Math.max(LEAST_NAME_COLUMNS, columns - taken()))
  const line = (name: string, cells: readonly string[]) =>
    `${padColumns(oneLine(name, room), room)}${cells.map((cell, at) => cell.padStart(widthOf(shown[at] as Column))).join('')}`
  const unpriced = '+ and –: models whose price is not known; `catalogue` adds it.'
  const lines = [
    style.dim(
      line(
        by,
        shown.map(({ heading }) => heading),
      ),
    ),
    ...rows.map((row) =>
      line(
        row.name,
        shown.map(({ cell }) => cell(row)),
      ),
    ),
    ...(rows.some((row) => row.unpriced > 0)
      ? wrapLines(unpriced, columns, '').map(style.dim)
      : []),
  ]
  return `${lines.join('\n')}\n`
}

function shortCount(value: number): string {
  if (value < 10_000) return thousands(value)
  return value < 10_000_000 ? `${Math.round(value / 1_000)}k` : `${(value / 1_000_000).toFixed(1)}M`
}
