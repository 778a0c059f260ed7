// How much is measured: the real sizes, and small ones that only show that everything runs.

export interface Settings {
  readonly seed: number
  readonly budgetMs: number // for one figure
  readonly largeChars: number // of a large file
  readonly smallChars: number // of a small one
  readonly rounds: number
}

export const FULL: Settings = {
  seed: 20_261,
  budgetMs: 15_000,
  largeChars: 4_000_000,
  // Not so small that all it allocates dies young: the collector has an easy time with that.
  smallChars: 1_000_000,
  rounds: 21,
}

export const QUICK: Settings = { ...FULL, largeChars: 4_000, smallChars: 1_000, rounds: 1 }
