// What a store takes at most. Generous: they are there so that a mistake ends in a sentence.

const MEBI = 1024 * 1024

export const LIMITS = {
  /** Characters of a thread's or an event's id, of a type and of an origin. */
  nameLength: 256,
  /** Events in one append. */
  appendRows: 10_000,
  /** Characters of JSON: the data of one event. Its `source` counts for the append. */
  rowLength: 64 * MEBI,
  /** Characters of JSON: all events of one append, and a snapshot by itself. */
  appendLength: 256 * MEBI,
  /** Levels of JSON: twice what an event may have, so that no walk through it exhausts the stack. */
  jsonDepth: 2_000,
  /** Stretches in one `readMany`. */
  ranges: 100_000,
  /** Threads in one page of `list`. */
  pageSize: 1000,
  defaultPageSize: 100,
  /** Finds of one search, and characters of its query. */
  finds: 100,
  defaultFinds: 20,
  queryLength: 10_000,
  /** Values of one filter of a search, and characters of a tool or path in it. */
  filterValues: 1000,
  filterLength: 4096,
  /** The maximum of a timer; a longer one would fire at once. */
  timerMs: 2 ** 31 - 1,
  /** The longest lease: a day. */
  leaseMs: 24 * 60 * 60 * 1000,
  /** Calls that may wait for the database, and their characters; more fail with `store-busy`. */
  waitingCalls: 10_000,
  waitingLength: 512 * MEBI,
  /** One step of a long read: at most so many rows, and none after so many characters. */
  stepRows: 2000,
  stepLength: MEBI,
  /** One step of indexing: rows of a thread, characters in total, and parts of a long row. */
  indexRows: 500,
  indexLength: MEBI / 4,
  indexParts: 64,
} as const
