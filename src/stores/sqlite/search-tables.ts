// The SQL of the search index: words in FTS5, their places in a table beside it.
import type { Database } from 'better-sqlite3'
import { type Lease, type LeaseKey, type LeaseRequest, leaseAfter } from '../leases.ts'
import type { ListPlace } from '../rows/pages.ts'
import type { SnapshotCells } from '../rows/stored-event.ts'
import {
  INDEX_VERSION,
  type IndexedPart,
  type LaggingThread,
  MOST_VERSION,
  OWNER_VERSION,
  type SearchRequest,
} from '../search/search-index.ts'

export type SearchTables = ReturnType<typeof searchTables>

/** How far a thread is indexed. */
interface Cursor {
  readonly key: number
  readonly owner: string
  readonly fromSeq: number
  readonly toSeq: number
  readonly awaited: string // JSON
}

interface FoundPart {
  readonly key: number
  readonly threadId: string
  readonly seq: number
  readonly part: number
  readonly kind: IndexedPart['kind']
  readonly tool: string | null
  readonly file: string | null
}

interface FindParameters extends SearchRequest {
  readonly match: string
  readonly count: number
  /** The threads to search; null for all. */
  readonly segments:
    | readonly { readonly key: number; readonly from: number; readonly to: number }[]
    | null
}

/** Threads handled by one indexing step. */
export const LAGGING = 100

const BEHIND = `FROM threads t LEFT JOIN search_cursors c ON c.thread_key = t.key
  WHERE min(t.version, ${MOST_VERSION}) > coalesce(c.to_seq, t.base_seq) OR t.base_seq < c.from_seq
  OR c.index_version < ${INDEX_VERSION}`
const GONE = `FROM search_cursors WHERE thread_key NOT IN (SELECT key FROM threads)`

const PART = 'p.thread_key AS key, t.thread_id AS threadId, p.seq, p.part, p.kind, p.tool, p.file'
const FOUND = `FROM search_words JOIN search_parts p ON p.id = search_words.rowid
  JOIN threads t ON t.key = p.thread_key
  WHERE search_words MATCH @match
    AND (@kinds IS NULL OR p.kind IN (SELECT value FROM json_each(@kinds)))
    AND (@sinceMs IS NULL OR p.time_ms >= @sinceMs) AND (@untilMs IS NULL OR p.time_ms <= @untilMs)
    AND (@tool IS NULL OR p.tool = @tool)
    AND (@fileEnd IS NULL OR substr('/' || p.file, -length(@fileEnd)) = @fileEnd)
    AND (@segments IS NULL OR EXISTS (SELECT 1 FROM json_each(@segments) s
      WHERE p.thread_key = s.value ->> 'key'
      AND p.seq BETWEEN s.value ->> 'from' AND s.value ->> 'to'))
    AND (@owners IS NULL OR p.thread_key IN (SELECT thread_key FROM search_cursors
      WHERE owner IN (SELECT value FROM json_each(@owners))))`
const FIND = `SELECT ${PART} ${FOUND} ORDER BY bm25(search_words), p.time_ms DESC LIMIT @count`
/** Compute the rank before grouping rows. Rows that a thread shares count as its own. */
const FIND_THREADS = `WITH found AS MATERIALIZED (
    SELECT ${PART}, p.time_ms, bm25(search_words) AS score ${FOUND})
  SELECT key, threadId, seq, part, kind, tool, file, min(score) AS best FROM found
  GROUP BY CASE WHEN @segments IS NULL THEN key END ORDER BY best, time_ms DESC LIMIT @count`

export function searchTables(db: Database) {
  const lagging = db.prepare<[], LaggingThread>(
    `SELECT t.key, t.thread_id AS threadId, min(t.version, ${MOST_VERSION}) AS version, t.base_seq AS baseSeq,
     c.from_seq AS fromSeq, c.to_seq AS toSeq, c.awaited, c.index_version AS indexVersion,
     (SELECT count(*) FROM search_parts p WHERE p.thread_key = t.key AND p.seq = c.to_seq + 1)
       AS partsDone ${BEHIND} LIMIT ${LAGGING}`,
  )
  const gone = db.prepare<[], number>(`SELECT thread_key ${GONE} LIMIT ${LAGGING}`).pluck()
  const isBehind = db
    .prepare<[], number>(`SELECT EXISTS (SELECT 1 ${BEHIND}) OR EXISTS (SELECT 1 ${GONE})`)
    .pluck()
  const removeWords = db.prepare<[number]>(
    'DELETE FROM search_words WHERE rowid IN (SELECT id FROM search_parts WHERE thread_key = ?)',
  )
  const removeParts = db.prepare<[number]>('DELETE FROM search_parts WHERE thread_key = ?')
  const removeCursor = db.prepare<[number]>('DELETE FROM search_cursors WHERE thread_key = ?')
  const insertPart = db.prepare<unknown[]>(
    `INSERT INTO search_parts (thread_key, seq, part, kind, time_ms, tool, file)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertWords = db.prepare<[number | bigint, string]>(
    'INSERT INTO search_words (rowid, words) VALUES (?, ?)',
  )
  const upsertCursor = db.prepare<[number, string, number, number, string]>(
    `INSERT INTO search_cursors (thread_key, owner, from_seq, to_seq, awaited, index_version)
     VALUES (?, ?, ?, ?, ?, ${INDEX_VERSION}) ON CONFLICT DO UPDATE SET to_seq = excluded.to_seq, awaited = excluded.awaited`,
  )
  const find = db.prepare<[object], FoundPart>(FIND)
  const findThreads = db.prepare<[object], FoundPart>(FIND_THREADS)
  return {
    isBehind: () => isBehind.get() === 1,
    lagging: () => lagging.all(),
    /** Indexed threads that no longer exist. */
    gone: () => gone.all(),
    remove: (key: number): void => {
      for (const statement of [removeWords, removeParts, removeCursor]) statement.run(key)
    },
    add: (key: number, { seq, part, kind, timeMs, tool, file, words }: IndexedPart): void => {
      const { lastInsertRowid } = insertPart.run(key, seq, part, kind, timeMs, tool, file)
      insertWords.run(lastInsertRowid, words.join(' '))
    },
    advance: ({ key, owner, fromSeq, toSeq, awaited }: Cursor): void => {
      upsertCursor.run(key, owner, fromSeq, toSeq, awaited)
    },
    find: ({ isThreadOnce, kinds, segments, owners, words: _, ...rest }: FindParameters) =>
      (isThreadOnce ? findThreads : find).all({
        ...rest,
        kinds: kinds && JSON.stringify(kinds),
        segments: segments && JSON.stringify(segments),
        owners: owners && JSON.stringify(owners),
      }),
    clear: (): void => {
      db.exec(`DELETE FROM search_cursors; DELETE FROM search_parts;
        INSERT INTO search_words (search_words) VALUES ('delete-all')`)
    },
  }
}

/** The SQL of owners, which are stored in the cursors of the search index and looked up on first use. */
export type OwnerTable = ReturnType<typeof ownerTable>

interface UnknownThread {
  readonly key: number
  readonly threadId: string
  readonly baseSeq: number
  readonly isIndexed: 0 | 1 // by another version of the rules
}

/** Threads whose owner one step looks up. */
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
    /** For a thread that is not indexed at all. */
    add: (key: number, owner: string, baseSeq: number) => insert.run(key, owner, baseSeq, baseSeq),
    /** The keys of threads, latest first. */
    page: (owners: readonly string[], after: ListPlace | undefined, limit: number) => {
      const [time, threadId] = after ?? [null, null]
      return page.pluck().all({ owners: JSON.stringify(owners), time, threadId, limit })
    },
  }
}

/** The SQL of leases; taking one happens inside a transaction. */
export type LeaseTable = ReturnType<typeof leaseTable>

export function leaseTable(db: Database) {
  const byName = db.prepare<[string], Lease>(
    'SELECT owner, expires_at_ms AS expiresAtMs, ttl_ms AS ttlMs FROM leases WHERE name = ?',
  )
  const upsert = db.prepare<[string, string, number, number]>(
    `INSERT INTO leases (name, owner, expires_at_ms, ttl_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET owner = excluded.owner, expires_at_ms = excluded.expires_at_ms,
     ttl_ms = excluded.ttl_ms`,
  )
  const removeOver = db.prepare<[number]>('DELETE FROM leases WHERE expires_at_ms <= ?')
  const remove = db.prepare<[string, string]>('DELETE FROM leases WHERE name = ? AND owner = ?')
  return {
    /** True if the requesting owner holds it now. */
    take: (request: LeaseRequest, nowMs: number): boolean => {
      const held = byName.get(request.name)
      const lease = leaseAfter(held, request, nowMs)
      // Delete expired leases of dead owners.
      if (lease.owner === request.owner) removeOver.run(nowMs)
      if (lease !== held) upsert.run(request.name, lease.owner, lease.expiresAtMs, lease.ttlMs)
      return lease.owner === request.owner
    },
    release: ({ name, owner }: LeaseKey): void => {
      remove.run(name, owner)
    },
  }
}

/** The SQL of snapshots: keeps the newest of the two latest fold versions. */
export type SnapshotTable = ReturnType<typeof snapshotTable>

export function snapshotTable(db: Database) {
  const upsert = db.prepare<[number, number, number, string]>(
    `INSERT INTO snapshots (thread_key, fold_version, seq, state) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET seq = excluded.seq, state = excluded.state
     WHERE excluded.seq >= snapshots.seq`,
  )
  // Programs of two versions may share a store; older fold versions are useless.
  const prune = db.prepare<[number, number]>(
    `DELETE FROM snapshots WHERE thread_key = ? AND fold_version NOT IN
     (SELECT fold_version FROM snapshots WHERE thread_key = ? ORDER BY fold_version DESC LIMIT 2)`,
  )
  const byVersion = db.prepare<[number, number], SnapshotCells>(
    `SELECT seq, fold_version AS foldVersion, state FROM snapshots
     WHERE thread_key = ? AND fold_version = ?`,
  )
  const remove = db.prepare<[number]>('DELETE FROM snapshots WHERE thread_key = ?')
  return {
    find: (key: number, foldVersion: number) => byVersion.get(key, foldVersion),
    put: (key: number, { foldVersion, seq, state }: SnapshotCells): void => {
      upsert.run(key, foldVersion, seq, state)
      prune.run(key, key)
    },
    remove: (key: number) => remove.run(key),
  }
}
