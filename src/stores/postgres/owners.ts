// Whose threads they are: it stands in the cursors of the search index, and is found out when it is asked for.
import type { Cells } from '../rows/stored-event.ts'
import { INDEX_VERSION, OWNER_VERSION } from '../search/index-version.ts'
import { ownerIn } from '../search/search-index.ts'
import type { Session } from './database.ts'
import { LOCK_INDEX, REMOVE_PARTS } from './search-statements.ts'
import { EVENT, statement } from './statements.ts'

/** How many threads one step finds the owners of. */
const UNKNOWN = 500

const FROM_UNKNOWN = `FROM threads t LEFT JOIN search_cursors c ON c.thread_key = t.key
   WHERE c.thread_key IS NULL OR c.index_version < ${OWNER_VERSION}`

const IS_KNOWN = statement(
  'owners-known',
  `SELECT NOT EXISTS (SELECT ${FROM_UNKNOWN}) AS "isKnown"`,
)

/** With the first row of the log: of a fork it is one that it shares. */
const UNKNOWN_THREADS = statement(
  'owners-unknown',
  `WITH RECURSIVE asked AS (
     SELECT t.key, t.thread_id, t.base_key, t.base_seq, c.thread_key IS NOT NULL AS is_indexed
     ${FROM_UNKNOWN} LIMIT ${UNKNOWN}),
   root AS (
     SELECT key, thread_id, base_seq, is_indexed, key AS root_key, base_key FROM asked
     UNION ALL
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
  isIndexed: boolean, // by other rules
  ...first: Cells,
]

export async function knowsOwners(session: Session): Promise<boolean> {
  const [answer] = await session.rows<{ isKnown: boolean }>(IS_KNOWN, [])
  return answer?.isKnown === true
}

/** In a transaction. True where some are left. */
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
