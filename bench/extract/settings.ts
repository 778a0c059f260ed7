// How much is measured: the real sizes, and small ones that only show that everything runs.

export interface Settings {
  readonly seed: number
  readonly chars: number // of the session: about a million tokens
  readonly largeChars: number // of one that is four times as long
  readonly targetTokens: number // what is to be left
  readonly newShare: number // of its events, those that came since the last compaction
  readonly rounds: number
  readonly memoryRuns: number
  readonly budgetMs: number // for one figure
}

export const FULL: Settings = {
  seed: 20_261,
  chars: 4_000_000,
  largeChars: 16_000_000,
  // The default target of `extract` for a long session.
  targetTokens: 20_000,
  newShare: 0.01,
  rounds: 15,
  memoryRuns: 3,
  budgetMs: 60_000,
}

export const QUICK: Settings = {
  ...FULL,
  chars: 40_000,
  largeChars: 160_000,
  targetTokens: 2_000,
  rounds: 1,
  memoryRuns: 1,
}
