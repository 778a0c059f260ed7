// How much is measured: the real sizes, and small ones that only show that everything runs.

export interface Settings {
  readonly seed: number // nothing is drawn at random
  readonly longRounds: number // of five events each
  readonly shortRounds: number
  readonly rounds: number
  readonly framesPerRound: number
}

export const FULL: Settings = {
  seed: 1,
  longRounds: 20_000,
  shortRounds: 200,
  rounds: 12,
  framesPerRound: 60,
}

export const QUICK: Settings = { ...FULL, longRounds: 120, shortRounds: 60, rounds: 1 }
