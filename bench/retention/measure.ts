// One session measured: every cut, every budget, every policy.
import { type Cut, type CutSettings, cutsOf } from './cuts.ts'
import { COUNTERS, type Counter, newestWithin, tokensIn } from './pieces.ts'
import { BUDGETS, type Budget, type Policy } from './policy.ts'
import { type Score, scorer } from './score.ts'
import type { Session } from './session.ts'

export interface MeasureSettings extends CutSettings {
  readonly counter: Counter['id']
  readonly seed: number
}

export interface Measured extends Score {
  readonly policy: string
  readonly budget: Budget
  readonly budgetTokens: number
  readonly keptTokens: number
  /** What was above the budget, and cut off from the oldest. */
  readonly overTokens: number
  readonly failure?: string
}

export interface MeasuredCut {
  readonly at: string
  readonly tokens: number
  readonly needs: { readonly terms: number; readonly pairs: number; readonly arguments: number }
  readonly measured: readonly Measured[]
}

export interface MeasuredSession {
  readonly id: string
  readonly format: string
  readonly cuts: readonly MeasuredCut[]
}

export async function measureSession(
  session: Session,
  policies: Readonly<Record<string, Policy>>,
  settings: MeasureSettings,
): Promise<MeasuredSession> {
  const counter = COUNTERS[settings.counter]
  const cuts: MeasuredCut[] = []
  for (const cut of await cutsOf(session, settings, counter))
    cuts.push(await measureCut(cut, policies, settings.seed, counter))
  return { id: session.id, format: session.format, cuts }
}

async function measureCut(
  cut: Cut,
  policies: Readonly<Record<string, Policy>>,
  seed: number,
  counter: Counter,
): Promise<MeasuredCut> {
  const score = scorer(cut.needs)
  const measured: Measured[] = []
  for (const [budget, budgetTokens] of budgetsOf(cut)) {
    for (const [policy, keep] of Object.entries(policies)) {
      const kept = await keep({ cut, budget, budgetTokens, counter, seed })
      if (!kept) continue
      const within = newestWithin(kept.pieces, budgetTokens, counter)
      measured.push({
        policy,
        budget,
        ...score(within),
        budgetTokens,
        keptTokens: tokensIn(within),
        overTokens: Math.max(0, tokensIn(kept.pieces) - budgetTokens),
        ...(kept.failure !== undefined && { failure: kept.failure }),
      })
    }
  }
  const { terms, quotes, pairs, arguments: given } = cut.needs
  const needs = { terms: terms.size + quotes.size, pairs: pairs.size, arguments: given.size }
  return { at: cut.at, tokens: cut.tokens, needs, measured }
}

function budgetsOf({ tokens, recorded }: Cut): (readonly [budget: Budget, tokens: number])[] {
  return BUDGETS.flatMap((budget): (readonly [Budget, number])[] => {
    if (budget === 'recorded') return recorded ? [[budget, tokensIn(recorded)]] : []
    return [[budget, Math.floor((tokens * Number.parseInt(budget, 10)) / 100)]]
  })
}
