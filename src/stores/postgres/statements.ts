// The SQL of reads and deletions. Each statement sees one snapshot of the database.
import { OWNER_VERSION } from '../search/search-index.ts'
import type { Statement } from './database.ts'

const THREAD = `key, thread_id AS "threadId", version, created_at AS "createdAt",
  updated_at AS "updatedAt", parent_id AS "parentId", parent_seq AS "parentSeq",
  base_key AS "baseKey", base_seq AS "baseSeq", head`
/** The cells of an event `e`. */
export const EVENT = 'e.seq, e.id, e.v, e.type, e."timestamp", e.data, e.origin, e.source'
const ORDER = 'ORDER BY updated_at DESC, thread_id DESC LIMIT'

/** The threads whose rows a thread shows: its own after `after` up to `last`, then those it shares. */
export const CHAIN = `chain AS (
  SELECT key, base_key, base_seq AS after, version AS last FROM thread
  UNION ALL
  SELECT t.key, t.base_key, t.base_seq, LEAST(chain.last, chain.after)
  FROM chain JOIN threads t ON t.key = chain.base_key AND t.base_seq < chain.after)`

export const FIND_THREAD = statement('thread', `SELECT ${THREAD} FROM threads WHERE thread_id = $1`)

/** Locks the thread until the transaction ends. */
export const LOCK_THREAD = statement('lock', `${FIND_THREAD.text} FOR UPDATE`)

export const FIRST_PAGE = statement('page-1', `SELECT ${THREAD} FROM threads ${ORDER} $1`)
export const NEXT_PAGE = statement(
  'page',
  `SELECT ${THREAD} FROM threads WHERE (updated_at, thread_id) < ($1, $2) ${ORDER} $3`,
)

/** Threads of known owners ($1); $2 and $3 are the place before, or null. */
export const OWNERS_PAGE = statement(
  'page-of-owners',
  `SELECT ${THREAD} FROM search_cursors JOIN threads ON key = thread_key
   WHERE owner = ANY ($1::text[]) AND index_version >= ${OWNER_VERSION}
   AND ($2::bigint IS NULL OR (updated_at, thread_id) < ($2::bigint, $3::text)) ${ORDER} $4`,
)

export const SNAPSHOT = statement(
  'snapshot',
  `SELECT s.seq, s.fold_version AS "foldVersion", s.state FROM snapshots s
   JOIN threads t ON t.key = s.thread_key WHERE t.thread_id = $1 AND s.fold_version = $2`,
)

/** What followers compare to detect missed changes. */
export const STATES = statement(
  'states',
  'SELECT thread_id AS "threadId", key, version FROM threads WHERE thread_id = ANY ($1)',
)

/**
 * The thread ($1) and its rows in some ranges ($2 to $3), in the requested order; stops after so many bytes
 * ($4). `total` is the full number of rows. `OFFSET 0` keeps the planner from scanning all rows of a thread
 * before it knows the requested ones.
 */
export const READ = statement('read', readText())

/** The same with hashes: one for each row, and first that of the thread and the place of its fork. */
export const READ_CHAIN = statement(
  'read-chain',
  readText('thread.head, thread.parent_seq, ', ', found.hash', ', e.hash'),
)

function readText(head = '', foundHash = '', hash = ''): string {
  return `WITH RECURSIVE thread AS (SELECT * FROM threads WHERE thread_id = $1), ${CHAIN},
   part AS (
     SELECT asked.place, chain.key, GREATEST(asked.first, chain.after + 1) AS first,
       LEAST(asked.last, chain.last) AS last
     FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS asked (first, last, place)
     JOIN chain ON asked.first <= chain.last AND asked.last > chain.after)
   SELECT ${head}thread.key, thread.version, found.total, found.place, found.seq, found.id, found.v,
     found.type, found."timestamp", found.data, found.origin, found.source${foundHash}
   FROM thread LEFT JOIN (
     SELECT part.place, ${EVENT}${hash}, count(*) OVER () AS total,
       sum(octet_length(e.data) + coalesce(octet_length(e.source), 0)) OVER (
         ORDER BY part.place, e.seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
     FROM part CROSS JOIN LATERAL (
       SELECT * FROM events WHERE thread_key = part.key AND seq BETWEEN part.first AND part.last
       OFFSET 0) e
   ) found ON found.before IS NULL OR found.before < $4::bigint
   ORDER BY found.place, found.seq`
}

export const STRAYS = statement(
  'strays',
  `SELECT count(*) FROM events e
   WHERE NOT EXISTS (SELECT 1 FROM threads WHERE key = e.thread_key)`,
)

/** The rows of a log ($1) with these ids ($2), up to a number ($3), with the position of each id. */
export const FIND_ROWS = statement(
  'find',
  `WITH RECURSIVE thread AS (SELECT * FROM threads WHERE key = $1), ${CHAIN}
   SELECT asked.place, ${EVENT}
   FROM unnest($2::text[]) WITH ORDINALITY AS asked (id, place)
   CROSS JOIN chain CROSS JOIN LATERAL (
     SELECT * FROM events WHERE thread_key = chain.key AND id = asked.id OFFSET 0) e
   WHERE e.seq <= chain.last AND e.seq <= $3`,
)

/** The version of a thread ($1) and the rows of its log with these ids ($2), with the position of each. */
export const FIND_REPEATED = statement(
  'find-repeated',
  `WITH RECURSIVE thread AS (SELECT * FROM threads WHERE thread_id = $1), ${CHAIN}
   SELECT thread.version, found.* FROM thread LEFT JOIN (
     SELECT asked.place, ${EVENT}
     FROM unnest($2::text[]) WITH ORDINALITY AS asked (id, place)
     CROSS JOIN chain CROSS JOIN LATERAL (
       SELECT * FROM events WHERE thread_key = chain.key AND id = asked.id OFFSET 0) e
     WHERE e.seq <= chain.last
   ) found ON true`,
)

/** The first row of a log ($1) from a number ($2) on. */
export const NEXT_ROW = statement(
  'next-row',
  `WITH RECURSIVE thread AS (SELECT * FROM threads WHERE thread_id = $1), ${CHAIN}
   SELECT found.seq FROM chain CROSS JOIN LATERAL (
     SELECT seq FROM events WHERE thread_key = chain.key
     AND seq > chain.after AND seq >= $2::bigint AND seq <= chain.last
     ORDER BY seq LIMIT 1) found
   ORDER BY found.seq LIMIT 1`,
)

/** The last hash of thread $1 up to a number ($2). */
export const LAST_HASH = statement(
  'last-hash',
  `WITH RECURSIVE thread AS (SELECT * FROM threads WHERE key = $1), ${CHAIN}
   SELECT found.hash FROM chain CROSS JOIN LATERAL (
     SELECT seq, hash FROM events WHERE thread_key = chain.key AND hash IS NOT NULL
     AND seq > chain.after AND seq <= LEAST(chain.last, $2::bigint)
     ORDER BY seq DESC LIMIT 1) found
   ORDER BY found.seq DESC LIMIT 1`,
)

/** The thread that owns row $2 of thread $1, and that row's time. */
export const FIND_OWNER = statement(
  'owner',
  `WITH RECURSIVE thread AS (SELECT * FROM threads WHERE key = $1), ${CHAIN}
   SELECT chain.key, e."timestamp" AS time FROM chain
   JOIN events e ON e.thread_key = chain.key AND e.seq = $2::bigint
   WHERE $2::bigint > chain.after AND $2::bigint <= chain.last`,
)

/** Shared by readers of shared rows; exclusive for moving rows. */
export const LOCK_FAMILIES = statement(
  'families-shared',
  `SELECT pg_advisory_xact_lock_shared(hashtextextended('precis families ' || current_schema(), 0))`,
)
export const LOCK_FAMILIES_ALONE = statement(
  'families',
  `SELECT pg_advisory_xact_lock(hashtextextended('precis families ' || current_schema(), 0))`,
)

/** Threads that share rows with this one, largest share first. */
export const SHARING = statement(
  'sharing',
  `SELECT key, base_seq AS "baseSeq" FROM threads WHERE base_key = $1
   ORDER BY base_seq DESC, key FOR UPDATE`,
)
export const MOVE_ROWS = statement(
  'move',
  'UPDATE events SET thread_key = $2 WHERE thread_key = $1 AND seq <= $3',
)
export const REBASE = statement(
  'rebase',
  'UPDATE threads SET base_key = $2, base_seq = $3 WHERE key = $1',
)
export const REBASE_OTHERS = statement(
  'rebase-others',
  'UPDATE threads SET base_key = $2 WHERE base_key = $1',
)
export const REMOVE_THREAD = statement(
  'remove',
  `WITH rows AS (DELETE FROM events WHERE thread_key = $1),
     states AS (DELETE FROM snapshots WHERE thread_key = $1)
   DELETE FROM threads WHERE key = $1`,
)

export function statement(name: string, text: string): Statement {
  return { name: `precis-${name}`, text }
}
