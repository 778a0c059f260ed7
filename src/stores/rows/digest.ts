// The hash of a log. Two logs with the same events have the same hash.
import { createHash } from 'node:crypto'
import type { Row, Store } from '../../core/ports.ts'
import { PageRows } from './pages.ts'

export interface LogDigest {
  readonly events: number
  readonly hash: string // SHA-256, as hex
}

/** Hashes the events up to a number. `each` receives the rows on the way. */
export async function computeDigest(
  store: Pick<Store, 'read'>,
  threadId: string,
  upTo: number,
  each: (row: Row) => void = () => undefined,
): Promise<LogDigest> {
  const hash = createHash('sha256')
  const pages = new PageRows()
  let events = 0
  const to = Math.min(upTo, Number.MAX_SAFE_INTEGER)
  // At most as many pages as there are rows: a damaged version may be any number.
  for (let from = 1, isMore = true; isMore && from <= to; ) {
    const limit = pages.rows
    const page = await store.read(threadId, { from, to, limit })
    pages.learn(page)
    isMore = page.length === limit
    from = (page.at(-1)?.seq ?? to) + 1
    for (const row of page) {
      const { seq, id, v, type, timestamp, data, origin, source } = row
      hash.update(`${JSON.stringify([seq, id, v, type, timestamp, data, origin, source])}\n`)
      events += 1
      each(row)
    }
  }
  return { events, hash: hash.digest('hex') }
}
