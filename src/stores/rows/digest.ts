// The hash of a log: equal for two stores where every event of it is.
import { createHash } from 'node:crypto'
import type { Row, Store } from '../../core/ports.ts'
import { PageRows } from './pages.ts'

export interface LogDigest {
  readonly events: number
  readonly hash: string // SHA-256, as hex
}

/** Of the events up to a number. `each` sees the rows on the way. */
export async function computeDigest(
  store: Pick<Store, 'read'>,
  threadId: string,
  upTo: number,
  each: (row: Row) => void = () => undefined,
): Promise<LogDigest> {
  const hash = createHash('sha256')
  const pages = new PageRows()
  let events = 0
  let to = 0
  for (let from = 1; from <= upTo; from = to + 1) {
    to = Math.min(upTo, from + pages.rows - 1)
    const page = await store.read(threadId, { from, to })
    pages.learn(page)
    for (const row of page) {
      const { seq, id, v, type, timestamp, data, origin, source } = row
      hash.update(`${JSON.stringify([seq, id, v, type, timestamp, data, origin, source])}\n`)
      events += 1
      each(row)
    }
  }
  return { events, hash: hash.digest('hex') }
}
