// How much is measured: the real sizes, and small ones that only show that everything runs.

export interface Settings {
  readonly seed: number
  readonly budgetMs: number // for a figure that could go on for long
  readonly eventChars: number // of the text of one event
  readonly longEvents: number
  readonly shortEvents: number
  readonly foldSteps: number // in one round
  readonly foldRounds: number
  readonly appendThreads: number // short threads that take turns
  readonly appendRounds: number // for each of them
  readonly appendsPerRound: number
  readonly contextEntries: number // left by the compaction of a thread that is opened
  readonly openRounds: number
  readonly batchRounds: number
  readonly batchEvents: number // in one round, where that is more than one batch
  readonly memoryEvents: number
  readonly memoryRuns: number
  readonly estimateChars: number
  readonly estimateRounds: number
  readonly manyEntries: number
  readonly fewEntries: number
  readonly changeRounds: number
  readonly decodeEvents: number
  readonly decodeRounds: number
}

export const FULL: Settings = {
  seed: 20_261,
  budgetMs: 15_000,
  eventChars: 600,
  longEvents: 100_000,
  shortEvents: 1_000,
  foldSteps: 1_000,
  foldRounds: 41,
  appendThreads: 10,
  appendRounds: 5,
  appendsPerRound: 100,
  contextEntries: 300,
  openRounds: 21,
  batchRounds: 401,
  batchEvents: 300,
  memoryEvents: 50_000,
  memoryRuns: 3,
  estimateChars: 1_000_000,
  estimateRounds: 21,
  manyEntries: 10_000,
  fewEntries: 1_000,
  changeRounds: 101,
  decodeEvents: 5_000,
  decodeRounds: 61,
}

export const QUICK: Settings = {
  ...FULL,
  longEvents: 1_000,
  shortEvents: 200,
  foldSteps: 100,
  foldRounds: 1,
  appendThreads: 1,
  appendRounds: 1,
  appendsPerRound: 5,
  contextEntries: 60,
  openRounds: 1,
  batchRounds: 1,
  batchEvents: 20,
  memoryEvents: 1_000,
  memoryRuns: 1,
  estimateChars: 20_000,
  estimateRounds: 1,
  manyEntries: 400,
  fewEntries: 40,
  changeRounds: 1,
  decodeEvents: 200,
  decodeRounds: 1,
}
