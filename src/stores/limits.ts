// What a store takes at most. Generous: they are there so that a mistake ends in a sentence.

const MIB = 1024 * 1024

export const LIMITS = {
  /** Characters of a thread's or an event's id, of a type and of an origin. */
  nameLength: 256,
  /** Events in one append. */
  appendRows: 10_000,
  /** Data and source of one event, as JSON in UTF-8. */
  rowBytes: 64 * MIB,
  /** All events of one append, and a snapshot by itself. */
  appendBytes: 256 * MIB,
  /** Stretches in one `readMany`. */
  ranges: 100_000,
  /** Threads in one page of `list`. */
  pageSize: 1000,
  defaultPageSize: 100,
  /** Calls that may wait for the database at a time, and their bytes; more are `store-busy`. */
  waitingCalls: 10_000,
  waitingBytes: 512 * MIB,
  /** One step of a long read: so many rows, and no further row after so many characters. */
  stepRows: 2000,
  stepLength: MIB,
} as const
