// The SQL on owners: they stand in the cursors of the search index, and are found out when they are asked for.
import type { Database } from 'better-sqlite3'
import type { ListPlace } from '../rows/cursor.ts'
import { INDEX_VERSION, OWNER_VERSION } from '../search/index-version.ts'

export type OwnerTable = ReturnType<typeof ownerTable>

interface UnknownThread {
  readonly key: number
  readonly threadId: string
  readonly baseSeq: number
  readonly isIndexed: 0 | 1 // by other rules
}

/** How many threads one step finds the owners of. */
export const UNKNOWN = 500

const FROM_UNKNOWN = `FROM threads t LEFT JOIN search_cursors c ON c.thread_key = t.key
  WHERE c.thread_key IS NULL OR c.index_version < ${OWNER_VERSION}`

export function ownerTable(db: Database) {
  const isKnown = db.prepare<[], number>(`SELECT NOT EXISTS (SELECT 1 ${FROM_UNKNOWN})`).pluck()
  const unknown = db.prepare<[], UnknownThread>(
    `SELECT t.key, t.thread_id AS threadId, t.base_seq AS baseSeq,
     c.thread_key IS NOT NULL AS isIndexed ${FROM_UNKNOWN} LIMIT ${UNKNOWN}`,
  )
  const insert = db.prepare<[number, string, number, number]>(
    `INSERT INTO search_cursors (thread_key, owner, from_seq, to_seq, awaited, index_version)
     VALUES (?, ?, ?, ?, '[]', ${INDEX_VERSION})`,
  )
  const page = db.prepare<[object], number>(
    `SELECT t.key FROM search_cursors c JOIN threads t ON t.key = c.thread_key
     WHERE c.owner IN (SELECT value FROM json_each(@owners)) AND c.index_version >= ${OWNER_VERSION}
     AND (@time IS NULL OR (t.updated_at, t.thread_id) < (@time, @threadId))
     ORDER BY t.updated_at DESC, t.thread_id DESC LIMIT @limit`,
  )
  return {
    isKnown: () => isKnown.get() === 1,
    unknown: () => unknown.all(),
    /** Nothing of the thread is indexed yet. */
    add: (key: number, owner: string, baseSeq: number) => insert.run(key, owner, baseSeq, baseSeq),
    /** The keys of threads, latest first. */
    page: (owners: readonly string[], after: ListPlace | undefined, limit: number) => {
      const [time, threadId] = after ?? [null, null]
      return page.pluck().all({ owners: JSON.stringify(owners), time, threadId, limit })
    },
  }
}
