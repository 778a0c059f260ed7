// The SQL of the search index: a column of words computed by the client, with an inverted index.
import type { StoredEvent } from '../rows/stored-event.ts'
import { INDEX_VERSION, MOST_VERSION, OWNER_VERSION, ownerIn } from '../search/search-index.ts'
import type { Session, Statement } from './database.ts'
import { CHAIN, EVENT, statement } from './statements.ts'

/** Threads handled by one indexing step. */
export const LAGGING_THREADS = 100

/** One process indexes at a time; others wait and find less to do. */
export const LOCK_INDEX = statement(
  'lock-index',
  `SELECT pg_advisory_xact_lock(hashtextextended('precis index ' || current_schema(), 0))`,
)

const FROM_LAGGING = `FROM threads t LEFT JOIN search_cursors c ON c.thread_key = t.key
   WHERE LEAST(t.version, ${MOST_VERSION}) > coalesce(c.to_seq, t.base_seq) OR t.base_seq < c.from_seq
   OR c.index_version < ${INDEX_VERSION}`
const FROM_GONE = `FROM search_cursors c
   WHERE NOT EXISTS (SELECT FROM threads WHERE key = c.thread_key)`

export const IS_BEHIND = statement(
  'is-behind',
  `SELECT EXISTS (SELECT ${FROM_LAGGING}) OR EXISTS (SELECT ${FROM_GONE}) AS "isBehind"`,
)

/** Threads that are not fully indexed. */
export const LAGGING = statement(
  'lagging',
  `SELECT t.key, t.thread_id AS "threadId", LEAST(t.version, ${MOST_VERSION}) AS version, t.base_seq AS "baseSeq",
     c.from_seq AS "fromSeq", c.to_seq AS "toSeq", c.awaited, c.index_version AS "indexVersion",
     (SELECT count(*) FROM search_parts p WHERE p.thread_key = t.key AND p.seq = c.to_seq + 1)
       AS "partsDone"
   ${FROM_LAGGING} LIMIT ${LAGGING_THREADS}`,
)

/** Indexed threads that no longer exist. */
export const GONE = statement(
  'gone',
  `SELECT c.thread_key AS key ${FROM_GONE} LIMIT ${LAGGING_THREADS}`,
)

export const REMOVE_PARTS = statement(
  'remove-parts',
  `WITH parts AS (DELETE FROM search_parts WHERE thread_key = ANY ($1::bigint[]))
   DELETE FROM search_cursors WHERE thread_key = ANY ($1::bigint[])`,
)

/** The own rows of a thread ($1) after a number, with limits on rows and bytes. */
export const ROWS_TO_INDEX = statement(
  'rows-to-index',
  `SELECT seq, id, v, type, "timestamp", data, origin, source FROM (
     SELECT e.*, sum(octet_length(data)) OVER (
       ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
     FROM (SELECT * FROM events WHERE thread_key = $1 AND seq > $2 ORDER BY seq LIMIT $3) e
   ) sized WHERE before IS NULL OR before < $4::bigint ORDER BY seq`,
)

export const ADD_PARTS = statement(
  'add-parts',
  `INSERT INTO search_parts (thread_key, seq, part, kind, time_ms, tool, file, words)
   SELECT $1::bigint, one.* FROM unnest($2::bigint[], $3::integer[], $4::text[], $5::bigint[],
     $6::text[], $7::text[], $8::tsvector[]) AS one`,
)

export const ADVANCE = statement(
  'advance',
  `INSERT INTO search_cursors (thread_key, owner, from_seq, to_seq, awaited, index_version)
   VALUES ($1, $2, $3, $4, $5, ${INDEX_VERSION})
   ON CONFLICT (thread_key) DO UPDATE SET to_seq = excluded.to_seq, awaited = excluded.awaited`,
)

export const CLEAR_PARTS = statement(
  'clear-parts',
  'WITH parts AS (DELETE FROM search_parts) DELETE FROM search_cursors',
)

/** All matches with their rank. The numbers are explained below. */
const FOUND = `p.thread_key, coalesce($2, t.thread_id) AS thread_id, p.seq AS place, p.part, p.kind,
       p.tool, p.file, ts_rank(p.words, $1::tsquery, 1) AS rank, p.time_ms
     FROM search_parts p JOIN threads t ON t.key = p.thread_key
     WHERE p.words @@ $1::tsquery
       AND ($3::text[] IS NULL OR p.kind = ANY ($3))
       AND ($4::bigint IS NULL OR p.time_ms >= $4) AND ($5::bigint IS NULL OR p.time_ms <= $5)
       AND ($6::text IS NULL OR p.tool = $6)
       AND ($7::text IS NULL OR right('/' || p.file, length($7)) = $7)
       AND ($9::text[] IS NULL OR p.thread_key IN (
         SELECT thread_key FROM search_cursors WHERE owner = ANY ($9)))
       AND ($2::text IS NULL OR EXISTS (SELECT FROM chain
         WHERE chain.key = p.thread_key AND p.seq > chain.after AND p.seq <= chain.last))`
const BEST_FIRST = 'rank DESC, time_ms DESC'
/** Rows that a thread shares count as its own. */
const ONE_THREAD = 'CASE WHEN $2::text IS NULL THEN p.thread_key END'

/**
 * $1 is the query, $2 the thread including shared rows, $3 kinds, $4 and $5 times, $6 the tool, $7 the end of
 * the path, each or null; $8 the limit; $9 owners, or null.
 */
function findStatement(name: string, found: string): Statement {
  return statement(
    name,
    `WITH RECURSIVE thread AS (SELECT * FROM threads WHERE thread_id = $2), ${CHAIN}
     SELECT best.*, ${EVENT} FROM (${found} ORDER BY ${BEST_FIRST} LIMIT $8) best
     JOIN events e ON e.thread_key = best.thread_key AND e.seq = best.place
     ORDER BY best.rank DESC, best.time_ms DESC`,
  )
}

export const FIND = findStatement('find-parts', `SELECT ${FOUND}`)
/** The best find of each thread. */
export const FIND_THREADS = findStatement(
  'find-threads',
  `SELECT * FROM (SELECT DISTINCT ON (${ONE_THREAD}) ${FOUND}
     ORDER BY ${ONE_THREAD}, ${BEST_FIRST}) each`,
)

/** Threads whose owner one step looks up. */
const UNKNOWN = 500

const FROM_UNKNOWN = `FROM threads t LEFT JOIN search_cursors c ON c.thread_key = t.key
   WHERE c.thread_key IS NULL OR c.index_version < ${OWNER_VERSION}`

const IS_KNOWN = statement(
  'owners-known',
  `SELECT NOT EXISTS (SELECT ${FROM_UNKNOWN}) AS "isKnown"`,
)

/** With the first row of the log; a fork shares it. */
const UNKNOWN_THREADS = statement(
  'owners-unknown',
  `WITH RECURSIVE asked AS (
     SELECT t.key, t.thread_id, t.base_key, t.base_seq, c.thread_key IS NOT NULL AS is_indexed
     ${FROM_UNKNOWN} LIMIT ${UNKNOWN}),
   root AS (
     SELECT key, thread_id, base_seq, is_indexed, key AS root_key, base_key FROM asked
     UNION
     SELECT root.key, root.thread_id, root.base_seq, root.is_indexed, t.key, t.base_key
     FROM root JOIN threads t ON t.key = root.base_key)
   SELECT root.key, root.thread_id, root.base_seq, root.is_indexed, ${EVENT} FROM root
   LEFT JOIN events e ON e.thread_key = root.root_key AND e.seq = 1 WHERE root.base_key IS NULL`,
)

const ADD_OWNERS = statement(
  'owners-add',
  `INSERT INTO search_cursors (thread_key, owner, from_seq, to_seq, awaited, index_version)
   SELECT one.key, one.owner, one.seq, one.seq, '[]', ${INDEX_VERSION}
   FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS one (key, owner, seq)`,
)

type UnknownThread = readonly [
  key: number,
  threadId: string,
  baseSeq: number,
  isIndexed: boolean, // by another version of the rules
  ...first: StoredEvent,
]

/** The owner of a thread is stored in the cursors of the search index and looked up on first use. */
export async function knowsOwners(session: Session): Promise<boolean> {
  const [answer] = await session.rows<{ isKnown: boolean }>(IS_KNOWN, [])
  return answer?.isKnown === true
}

/** Runs in a transaction. True if some are left. */
export async function learnMoreOwners(session: Session): Promise<boolean> {
  await session.rows(LOCK_INDEX, [])
  const unknown = await session.tuples<UnknownThread>(UNKNOWN_THREADS, [])
  const old = unknown.filter(([, , , isIndexed]) => isIndexed).map(([key]) => key)
  if (old.length > 0) await session.rows(REMOVE_PARTS, [old])
  await session.rows(ADD_OWNERS, [
    unknown.map(([key]) => key),
    unknown.map(([, threadId, , , ...first]) =>
      ownerIn(threadId, first[0] === null ? undefined : first),
    ),
    unknown.map(([, , baseSeq]) => baseSeq),
  ])
  return unknown.length === UNKNOWN
}
