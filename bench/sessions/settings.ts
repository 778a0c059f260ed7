// How much is measured: the real sizes, and small ones that only show that everything runs.

export interface Settings {
  readonly seed: number
  readonly sessions: number
  readonly rounds: number
  readonly budgetMs: number // for all figures
}

/** Nothing is random: the sample sessions again and again. */
export const FULL: Settings = { seed: 1, sessions: 1_000, rounds: 31, budgetMs: 90_000 }

export const QUICK: Settings = { ...FULL, sessions: 20, rounds: 1 }
