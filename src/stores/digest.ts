// The hash of a log: equal for two stores where every event of it is.
import { createHash } from 'node:crypto'
import type { Row, Store } from '../core/ports.ts'

/** Rows that are read at a time. */
const PAGE_ROWS = 500

export interface LogDigest {
  readonly events: number
  readonly hash: string // SHA-256, as hex
}

/** Of the events up to a number. `each` sees the rows on the way. */
export async function digestOf(
  store: Pick<Store, 'read'>,
  threadId: string,
  upTo: number,
  each: (row: Row) => void = () => undefined,
): Promise<LogDigest> {
  const hash = createHash('sha256')
  let events = 0
  for (let from = 1; from <= upTo; from += PAGE_ROWS) {
    const to = Math.min(upTo, from + PAGE_ROWS - 1)
    for (const row of await store.read(threadId, { from, to })) {
      const { seq, id, v, type, timestamp, data, origin, source } = row
      hash.update(`${JSON.stringify([seq, id, v, type, timestamp, data, origin, source])}\n`)
      events += 1
      each(row)
    }
  }
  return { events, hash: hash.digest('hex') }
}
