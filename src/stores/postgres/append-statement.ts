// The one statement of an append: one journey to the server, and all or nothing.
import type { Cells, SnapshotCells } from '../cells.ts'
import type { Statement } from './database.ts'

/** What an append is made of, whichever thread it goes to. */
export interface AppendValues {
  readonly threadId: string
  readonly before: number // the number after which its rows come
  readonly rows: readonly Cells[]
  readonly snapshot?: SnapshotCells
}

/** A thread that the append makes: with its rows alone, or sharing those of another. */
export interface NewThread {
  readonly createdAt: number
  readonly updatedAt: number
  readonly parentId?: string
  readonly baseKey?: number
}

/** $1 is the thread, $2 its version before, $3 when its last event happened, $4 to $10 the rows. */
const GROW = `UPDATE threads SET version = $2::bigint + cardinality($4::text[]), 
  updated_at = coalesce($3::bigint, updated_at) WHERE thread_id = $1 AND version = $2::bigint`
const TARGETS = {
  /** Threads that share nothing: for them the index on ids sees all ids. */
  plain: `${GROW} AND base_key IS NULL RETURNING key`,
  /** For callers that hold the thread, and have looked at the ids that it shares. */
  held: `${GROW} RETURNING key`,
  /** $11 is when its first event happened; $12 its parent, $13 whose rows it shares. */
  first: `INSERT INTO threads (thread_id, version, created_at, updated_at, parent_id, parent_seq,
    base_key, base_seq)
    SELECT $1, $2::bigint + cardinality($4::text[]), $11::bigint, $3::bigint, $12::text,
    CASE WHEN $12::text IS NULL THEN NULL ELSE $2::bigint END, $13::bigint, $2::bigint
    ON CONFLICT (thread_id) DO NOTHING RETURNING key`,
} as const
const ROWS = `INSERT INTO events (thread_key, seq, id, v, type, "timestamp", data, origin, source)
  SELECT thread.key, $2::bigint + one.place, one.id, one.v, one.type, one.time, one.data,
    one.origin, one.source
  FROM thread, unnest($4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::text[]) WITH ORDINALITY AS one (id, v, type, time, data, origin, source, place)`

type Target = keyof typeof TARGETS

/** Of the two latest fold versions the newest snapshot is kept: programs of two ages may share a store. */
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

function statementOf(target: Target, withSnapshot: boolean): Statement {
  const snapshot = withSnapshot ? snapshotParts(target === 'first' ? 14 : 11) : ''
  return {
    name: `precis-append-${target}${withSnapshot ? '-snapshot' : ''}`,
    text: `WITH thread AS (${TARGETS[target]}), written AS (${ROWS}) ${snapshot}
      SELECT key FROM thread`,
  }
}

type Built = readonly [Statement, readonly unknown[]]

/** For a thread that is there: gives no row where its version is another one. */
export function growStatement(target: 'plain' | 'held', values: AppendValues): Built {
  const last = values.rows.at(-1)
  const updatedAt = last ? timeOf(last) : null
  return [
    statementOf(target, values.snapshot !== undefined),
    [...commonValues(values, updatedAt), ...snapshotValues(values)],
  ]
}

/** For a new thread: gives no row where there is one of its id. */
export function firstStatement(values: AppendValues, thread: NewThread): Built {
  const { createdAt, updatedAt, parentId = null, baseKey = null } = thread
  return [
    statementOf('first', values.snapshot !== undefined),
    [
      ...commonValues(values, updatedAt),
      ...[createdAt, parentId, baseKey],
      ...snapshotValues(values),
    ],
  ]
}

/** When an event happened, in ms since 1970. */
export function timeOf(row: Cells): number {
  return Date.parse(row[4])
}

function commonValues(
  { threadId, before, rows }: AppendValues,
  updatedAt: number | null,
): unknown[] {
  const columns = [1, 2, 3, 4, 5, 6, 7].map((column) => rows.map((row) => row[column]))
  return [threadId, before, updatedAt, ...columns]
}

function snapshotValues({ snapshot }: AppendValues): unknown[] {
  return snapshot ? [snapshot.foldVersion, snapshot.seq, snapshot.state] : []
}
