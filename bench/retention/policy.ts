// What a policy is asked, and what it answers.
import type { Cut } from './cuts.ts'
import type { Counter, Piece } from './pieces.ts'

/** Shares of what came before the cut, or as much as the agent's own compaction left there. */
export const BUDGETS = ['5%', '10%', '20%', 'recorded'] as const
export type Budget = (typeof BUDGETS)[number]

export interface Task {
  readonly cut: Cut
  readonly budget: Budget
  readonly budgetTokens: number
  readonly counter: Counter
  readonly seed: number
}

export interface Kept {
  /** Oldest first. The caller cuts what exceeds the budget. */
  readonly pieces: readonly Piece[]
  /** Why the policy could not do its work; then everything is as it was. */
  readonly failure?: string
}

/** Gives undefined where it has nothing to say of a cut. */
export type Policy = (task: Task) => Promise<Kept | undefined> | Kept | undefined
