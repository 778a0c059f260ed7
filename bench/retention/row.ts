// A row of results: the figures of all policies, and how each session fared, under a name that is a hash.
import { appendFileSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ResultRow, resultRow } from '../result-row.ts'
import { type Cell, cellOf, type Difference, differenceOf, meansOf } from './aggregate.ts'
import { BASELINES } from './baselines.ts'
import type { MeasuredSession, MeasureSettings } from './measure.ts'
import type { Counter } from './pieces.ts'
import { BUDGETS, type Budget } from './policy.ts'

export interface RetentionRow extends Omit<ResultRow, 'figures'> {
  readonly counter: Counter['id']
  readonly cells: readonly Cell[]
  /** Of every strategy to every baseline. */
  readonly differences: readonly Difference[]
  readonly sessions: readonly SessionRow[]
}

export interface SessionRow {
  readonly id: string
  readonly format: string
  readonly cuts: number
  /** Of the longest prefix. */
  readonly tokens: number
  readonly headlines: { readonly [B in Budget]?: Readonly<Record<string, number>> }
}

const RESULTS = fileURLToPath(new URL('../results/retention.jsonl', import.meta.url))

export function rowOf(
  sessions: readonly MeasuredSession[],
  { counter, ...settings }: MeasureSettings,
): RetentionRow {
  const { figures: _, ...origin } = resultRow('retention', settings, [])
  const { seed } = settings
  const policies = policiesIn(sessions)
  const strategies = policies.filter((policy) => !Object.hasOwn(BASELINES, policy))
  const baselines = policies.filter((policy) => Object.hasOwn(BASELINES, policy))
  return {
    ...origin,
    counter,
    cells: BUDGETS.flatMap((budget) =>
      policies.flatMap((policy) => cellOf(sessions, policy, budget, seed) ?? []),
    ),
    differences: BUDGETS.flatMap((budget) =>
      strategies.flatMap((policy) =>
        baselines.flatMap((other) => differenceOf(sessions, policy, other, budget, seed) ?? []),
      ),
    ),
    sessions: sessions.map((session) => sessionRow(session, policies)),
  }
}

function policiesIn(sessions: readonly MeasuredSession[]): string[] {
  const all = sessions.flatMap(({ cuts }) => cuts.flatMap(({ measured }) => measured))
  return [...new Set(all.map(({ policy }) => policy))]
}

function sessionRow(session: MeasuredSession, policies: readonly string[]): SessionRow {
  const { id, format, cuts } = session
  const headlines = BUDGETS.flatMap((budget) => {
    const means = policies.flatMap((policy) => {
      const mean = meansOf([session], policy, budget).get(id)
      return mean ? [[policy, mean.headline] as const] : []
    })
    return means.length > 0 ? [[budget, Object.fromEntries(means)] as const] : []
  })
  return {
    id,
    format,
    cuts: cuts.length,
    tokens: Math.max(...cuts.map(({ tokens }) => tokens)),
    headlines: Object.fromEntries(headlines),
  }
}

export function appendRetentionRow(row: RetentionRow): void {
  appendFileSync(RESULTS, `${rowText(row)}\n`)
}

export function latestRetentionRow(): RetentionRow {
  const last = readFileSync(RESULTS, 'utf8').trimEnd().split('\n').at(-1) ?? ''
  return JSON.parse(last) as RetentionRow
}

const DECIMALS = 10_000

export function rowText(row: RetentionRow): string {
  return JSON.stringify(row, (_, value: unknown) =>
    typeof value === 'number' ? Math.round(value * DECIMALS) / DECIMALS : value,
  )
}
