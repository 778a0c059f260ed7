// Measured sessions as figures: every session counts once, however long it is.
import type { Measured, MeasuredSession } from './measure.ts'
import type { Budget } from './policy.ts'
import { random } from './random.ts'

export interface Interval {
  readonly mean: number
  readonly low: number
  readonly high: number
}

export interface Cell {
  readonly policy: string
  readonly budget: Budget
  readonly sessions: number
  readonly headline: Interval
  readonly min: number // of the headline, over the sessions
  readonly unary: number
  readonly pair: number
  readonly exact?: Interval
  /** The share of the budget that was used. */
  readonly used: number
  /** The share of runs that ended above the budget and were cut to it. */
  readonly over: number
  /** The share of runs that could not do their work. */
  readonly failed: number
}

export interface Difference {
  readonly policy: string
  readonly baseline: string
  readonly budget: Budget
  readonly sessions: number
  readonly headline: Interval // of the differences, session by session
  /** Of the means over the same sessions; absent where the baseline keeps nothing. */
  readonly ratio?: number
  readonly exact?: Interval
  readonly worse: readonly string[] // the sessions in which the policy kept less
}

export type SessionMeans = Readonly<Record<'unary' | 'pair' | 'headline', number>> & {
  readonly exact?: number
}

/** The means over the cuts of each session, by session. */
export type Means = ReadonlyMap<string, SessionMeans>

export function meansOf(
  sessions: readonly MeasuredSession[],
  policy: string,
  budget: Budget,
): Means {
  const means = new Map<string, SessionMeans>()
  for (const { id, runs } of runsOf(sessions, policy, budget)) {
    const exact = runs.flatMap((run) => run.exact ?? [])
    means.set(id, {
      unary: meanOf(runs.map(({ unary }) => unary)),
      pair: meanOf(runs.map(({ pair }) => pair)),
      headline: meanOf(runs.map(({ headline }) => headline)),
      ...(exact.length > 0 && { exact: meanOf(exact) }),
    })
  }
  return means
}

export function cellOf(
  sessions: readonly MeasuredSession[],
  policy: string,
  budget: Budget,
  seed: number,
): Cell | undefined {
  const means = [...meansOf(sessions, policy, budget).values()]
  if (means.length === 0) return undefined
  const runs = runsOf(sessions, policy, budget).flatMap((session) => session.runs)
  const headlines = means.map(({ headline }) => headline)
  const exact = means.flatMap((mean) => mean.exact ?? [])
  return {
    policy,
    budget,
    sessions: means.length,
    headline: intervalOf(headlines, seed),
    min: Math.min(...headlines),
    unary: meanOf(means.map(({ unary }) => unary)),
    pair: meanOf(means.map(({ pair }) => pair)),
    ...(exact.length > 0 && { exact: intervalOf(exact, seed) }),
    used: meanOf(runs.map(({ keptTokens, budgetTokens }) => keptTokens / budgetTokens)),
    over: meanOf(runs.map(({ overTokens }) => (overTokens > 0 ? 1 : 0))),
    failed: meanOf(runs.map(({ failure }) => (failure === undefined ? 0 : 1))),
  }
}

export function differenceOf(
  sessions: readonly MeasuredSession[],
  policy: string,
  baseline: string,
  budget: Budget,
  seed: number,
): Difference | undefined {
  const others = meansOf(sessions, baseline, budget)
  const pairs = [...meansOf(sessions, policy, budget)].flatMap(([id, own]) => {
    const other = others.get(id)
    return other ? [{ id, own, other }] : []
  })
  if (pairs.length === 0) return undefined
  const exact = pairs.flatMap(({ own, other }) =>
    own.exact === undefined || other.exact === undefined ? [] : [own.exact - other.exact],
  )
  const base = meanOf(pairs.map(({ other }) => other.headline))
  return {
    policy,
    baseline,
    budget,
    sessions: pairs.length,
    headline: intervalOf(
      pairs.map(({ own, other }) => own.headline - other.headline),
      seed,
    ),
    ...(base > 0 && { ratio: meanOf(pairs.map(({ own }) => own.headline)) / base }),
    ...(exact.length > 0 && { exact: intervalOf(exact, seed) }),
    worse: pairs.filter(({ own, other }) => own.headline < other.headline).map(({ id }) => id),
  }
}

interface SessionRuns {
  readonly id: string
  readonly runs: readonly Measured[]
}

function runsOf(
  sessions: readonly MeasuredSession[],
  policy: string,
  budget: Budget,
): SessionRuns[] {
  return sessions
    .map(({ id, cuts }) => {
      const all = cuts.flatMap(({ measured }) => measured)
      return { id, runs: all.filter((run) => run.policy === policy && run.budget === budget) }
    })
    .filter(({ runs }) => runs.length > 0)
}

const RESAMPLES = 2_000
const TAIL = 0.025

/** The mean, and where 95 of 100 means lie if the sessions had been drawn anew. */
export function intervalOf(values: readonly number[], seed: number): Interval {
  const next = random(seed)
  const means = Array.from({ length: RESAMPLES }, () =>
    meanOf(values.map(() => values[Math.floor(next() * values.length)] ?? 0)),
  ).toSorted((one, other) => one - other)
  const at = (share: number) => means[Math.round(share * (means.length - 1))] ?? 0
  return { mean: meanOf(values), low: at(TAIL), high: at(1 - TAIL) }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
