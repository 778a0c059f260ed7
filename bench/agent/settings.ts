// How much is measured: the real sizes, and small ones that only show that everything runs.

export interface Settings {
  readonly seed: number
  readonly eventChars: number // of the text of one event
  readonly longEvents: number
  readonly shortEvents: number
  readonly eventsBetween: number // from one compaction of a thread to the next
  readonly contextEntries: number // left by each of them
  readonly rounds: number
  readonly turnsPerRound: number
}

export const FULL: Settings = {
  seed: 20_261,
  eventChars: 600,
  longEvents: 50_000,
  shortEvents: 1_000,
  eventsBetween: 500,
  contextEntries: 60,
  rounds: 41,
  turnsPerRound: 5,
}

export const QUICK: Settings = {
  ...FULL,
  longEvents: 1_000,
  shortEvents: 500,
  rounds: 1,
  turnsPerRound: 1,
}
