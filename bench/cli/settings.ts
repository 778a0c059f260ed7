// How much is measured: the real sizes, and small ones that only show that everything runs.

export interface Settings {
  readonly seed: number
  readonly sessionBytes: number // of the session that is imported, compacted and written
  readonly hookBytes: number // of the session whose hooks are measured
  readonly longBytes: number // of the session whose import and compaction are weighed
  readonly limitBytes: number // what each may take of memory
  readonly rounds: number
  readonly starts: number
  readonly budgetMs: number // for one figure
}

export const FULL: Settings = {
  seed: 1, // nothing is random: the sample session again and again
  sessionBytes: 4_000_000,
  hookBytes: 5_000_000,
  longBytes: 100_000_000,
  limitBytes: 500_000_000,
  rounds: 31,
  starts: 41,
  budgetMs: 60_000,
}

export const QUICK: Settings = {
  ...FULL,
  sessionBytes: 400_000,
  hookBytes: 400_000,
  longBytes: 1_000_000,
  rounds: 1,
  starts: 1,
}
