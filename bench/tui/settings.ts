// How much is measured: the real sizes, and small ones that only show that everything runs.

export interface Settings {
  readonly seed: number
  readonly longLines: number // of a transcript
  readonly shortLines: number
  readonly columns: number
  readonly rows: number
  readonly rounds: number
  readonly tokensPerRound: number
}

export const FULL: Settings = {
  seed: 20_262,
  longLines: 10_000,
  shortLines: 100,
  columns: 100,
  rows: 40,
  rounds: 21,
  tokensPerRound: 120,
}

export const QUICK: Settings = { ...FULL, longLines: 400, rounds: 1, tokensPerRound: 20 }
