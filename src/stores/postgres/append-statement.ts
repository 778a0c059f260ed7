// The single statement of an append: one round trip, all or nothing.
import { computeHashes, NO_HASH } from '../rows/hash-chain.ts'
import type { SnapshotCells, StoredEvent } from '../rows/stored-event.ts'
import type { Statement } from './database.ts'

/** The values of an append to any thread. */
interface AppendValues {
  readonly threadId: string
  readonly before: number // the sequence number before its rows
  readonly rows: readonly StoredEvent[]
  /** The hash before its rows, if the thread has none. */
  readonly hash?: string
  readonly snapshot?: SnapshotCells
}

/** A thread created by the append: with its own rows only, or sharing those of another. */
interface NewThread {
  readonly createdAt: number
  readonly updatedAt: number
  readonly parentId?: string
  readonly baseKey?: number
}

/**
 * The hash of the first row with its link to the hash before: of all hashes the server makes this one. The
 * others stay in the parameter, since an array that goes through the parts of a statement is copied in each.
 */
export function linkAfter(before: string): string {
  const first = '($11::text[])[1]'
  return `${first} || '.' || left(encode(sha256((${before} || ${first})::bytea), 'base64'), 22)`
}

/** The hash of the last row; null where there is none. */
const LAST = `CASE cardinality($4::text[]) WHEN 1 THEN before.linked
  ELSE ($11::text[])[cardinality($4::text[])] END`

/**
 * $1 is the thread, $2 its version before, $3 the time of its last event, $4 to $10 the rows, $11 their
 * hashes before linking, $12 the hash before them if the thread has none.
 */
const BEFORE = `SELECT key, head, ${linkAfter('coalesce(head, $12::text)')} AS linked
  FROM threads WHERE thread_id = $1 AND version = $2::bigint`

/** An unchanged version implies an unchanged hash: the log only grows. */
const GROW = `UPDATE threads SET version = $2::bigint + cardinality($4::text[]),
  updated_at = coalesce($3::bigint, updated_at),
  head = coalesce(${LAST}, threads.head)
  FROM before WHERE threads.key = before.key AND threads.version = $2::bigint
  RETURNING threads.key, before.linked`

const TARGETS = {
  /** For threads that share nothing, so that the index on ids sees all ids, and that keep their last hash. */
  plain: `before AS (${BEFORE} AND base_key IS NULL AND head IS NOT NULL), thread AS (${GROW})`,
  /** For callers that hold the lock of the thread and have looked at the ids it shares. */
  held: `before AS (${BEFORE}), thread AS (${GROW})`,
  /** $13 is the time of its first event; $14 its parent, $15 the thread whose rows it shares. */
  first: `before AS (SELECT ${linkAfter('$12::text')} AS linked),
    begun AS (INSERT INTO threads (thread_id, version, created_at, updated_at, parent_id, parent_seq,
      base_key, base_seq, head)
    SELECT $1, $2::bigint + cardinality($4::text[]), $13::bigint, $3::bigint, $14::text,
      CASE WHEN $14::text IS NULL THEN NULL ELSE $2::bigint END, $15::bigint, $2::bigint,
      coalesce(${LAST}, $12::text) FROM before
    ON CONFLICT (thread_id) DO NOTHING RETURNING key),
    thread AS (SELECT begun.key, before.linked FROM begun, before)`,
} as const

const ROWS = `INSERT INTO events
  (thread_key, seq, id, v, type, "timestamp", data, origin, source, hash)
  SELECT thread.key, $2::bigint + one.place, one.id, one.v, one.type, one.time, one.data,
    one.origin, one.source, CASE one.place WHEN 1 THEN thread.linked ELSE one.hash END
  FROM thread, unnest($4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::text[], $11::text[])
    WITH ORDINALITY AS one (id, v, type, time, data, origin, source, hash, place)`

type Target = keyof typeof TARGETS

/**
 * Keeps the newest snapshot of the two latest fold versions, since two program versions may share a store.
 */
function snapshotParts(first: number): string {
  const [fold, seq, state] = [`$${first}::bigint`, `$${first + 1}::bigint`, `$${first + 2}::text`]
  return `, kept AS (
    INSERT INTO snapshots AS s (thread_key, fold_version, seq, state)
    SELECT thread.key, ${fold}, ${seq}, ${state} FROM thread
    WHERE (SELECT count(*) FROM snapshots later
      WHERE later.thread_key = thread.key AND later.fold_version > ${fold}) < 2
    ON CONFLICT (thread_key, fold_version) DO UPDATE SET seq = excluded.seq, state = excluded.state
    WHERE excluded.seq >= s.seq),
  pruned AS (
    DELETE FROM snapshots s USING thread
    WHERE s.thread_key = thread.key AND s.fold_version < ${fold} AND EXISTS (
      SELECT FROM snapshots other WHERE other.thread_key = s.thread_key
      AND other.fold_version > s.fold_version AND other.fold_version <> ${fold}))`
}

function buildStatement(target: Target, withSnapshot: boolean): Statement {
  const snapshot = withSnapshot ? snapshotParts(target === 'first' ? 16 : 13) : ''
  return {
    name: `precis-append-${target}${withSnapshot ? '-snapshot' : ''}`,
    text: `WITH ${TARGETS[target]}, written AS (${ROWS}) ${snapshot}
      SELECT key FROM thread`,
  }
}

type Built = readonly [Statement, readonly unknown[]]

/** For an existing thread. Returns no row if its version differs. */
export function growStatement(target: 'plain' | 'held', values: AppendValues): Built {
  const last = values.rows.at(-1)
  const updatedAt = last ? readTime(last) : null
  return [
    buildStatement(target, values.snapshot !== undefined),
    [...commonValues(values, updatedAt), ...snapshotValues(values)],
  ]
}

/** For a new thread. Returns no row if the id exists. */
export function firstStatement(values: AppendValues, thread: NewThread): Built {
  const { createdAt, updatedAt, parentId = null, baseKey = null } = thread
  return [
    buildStatement('first', values.snapshot !== undefined),
    [
      ...commonValues(values, updatedAt),
      ...[createdAt, parentId, baseKey],
      ...snapshotValues(values),
    ],
  ]
}

/** The time of an event, in ms since 1970. */
export function readTime(row: StoredEvent): number {
  return Date.parse(row[4])
}

function commonValues(
  { threadId, before, rows, hash = NO_HASH }: AppendValues,
  updatedAt: number | null,
): unknown[] {
  const columns = [1, 2, 3, 4, 5, 6, 7].map((column) => rows.map((row) => row[column]))
  return [threadId, before, updatedAt, ...columns, computeHashes(NO_HASH, rows), hash]
}

function snapshotValues({ snapshot }: AppendValues): unknown[] {
  return snapshot ? [snapshot.foldVersion, snapshot.seq, snapshot.state] : []
}
