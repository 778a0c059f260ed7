// How much is measured: the real sizes, and small ones that only show that everything runs.

export interface Settings {
  readonly seed: number
  readonly eventChars: number // of the text of one event
  readonly longEvents: number
  readonly shortEvents: number
  readonly contextEntries: number // of a thread that is opened
  readonly openRounds: number
  readonly batchRounds: number
  readonly budgetMs: number // for one comparison of appends
  readonly queries: number
  readonly followed: number // events that another process appends
  readonly crowdProcesses: number // that append at the same time
  readonly crowdRounds: number
  readonly crowdMs: number // that one round of several processes takes
}

export const FULL: Settings = {
  seed: 20_261,
  eventChars: 600,
  longEvents: 100_000,
  shortEvents: 1_000,
  contextEntries: 300,
  openRounds: 21,
  batchRounds: 201,
  budgetMs: 15_000,
  queries: 200,
  followed: 200,
  crowdProcesses: 8,
  crowdRounds: 7,
  crowdMs: 1_500,
}

export const QUICK: Settings = {
  ...FULL,
  longEvents: 1_000,
  shortEvents: 500,
  contextEntries: 60,
  openRounds: 1,
  batchRounds: 1,
  queries: 5,
  followed: 5,
  crowdProcesses: 2,
  crowdRounds: 1,
  crowdMs: 300,
}
