// The tables, and their migration from older versions while other processes use them.
import type { ClientBase } from 'pg'
import { PrecisError } from '../../core/errors.ts'
import { usageError } from '../errors.ts'
import type { PostgresAddress } from './connection.ts'

/**
 * Step n migrates version n to n + 1. Released steps never change. Steps only add things, because processes
 * of the version before keep working, and hold locks on used tables only briefly.
 * For `key`, `base_…` and `parent_…` see the schema of SQLite: the tables are the same. Texts compare by
 * bytes in every database.
 */
const STEPS: readonly string[] = [
  `
  CREATE TABLE threads (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread_id text COLLATE "C" NOT NULL UNIQUE,
    version bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    parent_id text COLLATE "C",
    parent_seq bigint,
    base_key bigint REFERENCES threads (key),
    base_seq bigint NOT NULL DEFAULT 0
  );
  CREATE INDEX threads_by_time ON threads (updated_at, thread_id);
  CREATE INDEX threads_by_base ON threads (base_key) WHERE base_key IS NOT NULL;

  CREATE TABLE events (
    thread_key bigint NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    v bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    "timestamp" text COLLATE "C" NOT NULL,
    data text NOT NULL,
    origin text COLLATE "C",
    source text,
    PRIMARY KEY (thread_key, seq)
  );
  CREATE UNIQUE INDEX events_by_id ON events (thread_key, id);
  CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'events never change'; END $$;
  CREATE TRIGGER events_never_change
    BEFORE UPDATE OF seq, id, v, type, "timestamp", data, origin, source ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  CREATE TABLE snapshots (
    thread_key bigint NOT NULL,
    fold_version bigint NOT NULL,
    seq bigint NOT NULL,
    state text NOT NULL,
    PRIMARY KEY (thread_key, fold_version)
  );

  CREATE TABLE leases (
    name text COLLATE "C" PRIMARY KEY,
    owner text COLLATE "C" NOT NULL,
    expires_at_ms bigint NOT NULL,
    ttl_ms bigint NOT NULL
  );
  `,
  // The search index: derived, as in the schema of SQLite.
  `
  CREATE TABLE search_cursors (
    thread_key bigint PRIMARY KEY,
    from_seq bigint NOT NULL,
    to_seq bigint NOT NULL,
    awaited text NOT NULL
  );
  CREATE TABLE search_parts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread_key bigint NOT NULL,
    seq bigint NOT NULL,
    part integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    time_ms bigint NOT NULL,
    tool text COLLATE "C",
    file text COLLATE "C",
    words tsvector NOT NULL
  );
  CREATE INDEX search_parts_by_row ON search_parts (thread_key, seq);
  CREATE INDEX search_parts_by_word ON search_parts USING gin (words);
  `,
  // The owner of a thread and the version of its index; rows of older programs have version 1.
  `
  ALTER TABLE search_cursors ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN index_version bigint NOT NULL DEFAULT 1;
  CREATE INDEX search_cursors_by_owner ON search_cursors (owner);
  `,
  // The hash chain, as in the schema of SQLite: turns digests of rows into linked hashes.
  `
  ALTER TABLE events ADD COLUMN hash text COLLATE "C";
  ALTER TABLE threads ADD COLUMN head text COLLATE "C";
  CREATE FUNCTION chain_hashes(before text, digests text[]) RETURNS text[] LANGUAGE plpgsql AS $$
    DECLARE
      digest text;
      hash text := before;
      hashes text[] := '{}';
    BEGIN
      FOREACH digest IN ARRAY digests LOOP
        hash := left(encode(sha256((hash || digest)::bytea), 'hex'), 32);
        hashes := hashes || hash;
      END LOOP;
      RETURN hashes;
    END $$;
  `,
  // Links only the first event of an append to the log; the client linked the others. Processes of the
  // version before keep using `chain_hashes`.
  `
  CREATE FUNCTION link_hashes(before text, hashes text[]) RETURNS text[] LANGUAGE plpgsql AS $$
    BEGIN
      IF cardinality(hashes) > 0 THEN
        hashes[1] := hashes[1] || '.' || left(encode(sha256((before || hashes[1])::bytea), 'base64'), 22);
      END IF;
      RETURN hashes;
    END $$;
  `,
]

const SCHEMA_VERSION = STEPS.length

/** Our mark, a table with one row. A schema with other tables and without it belongs to another program. */
const MARK = 'precis_schema'

/** Migrates the schema to the current version, or rejects it and changes nothing. */
export async function prepareSchema(
  client: ClientBase,
  address: PostgresAddress,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<void> {
  await requireUnicode(client)
  const version = await checkSchema(client, address)
  if (version === SCHEMA_VERSION) return
  if (version === 0 && mustExist) throw noStore(address)
  await client.query('BEGIN')
  try {
    await migrate(client, address)
    await client.query('COMMIT')
  } catch (thrown) {
    await client.query('ROLLBACK').catch(() => undefined) // report the first failure
    throw thrown
  }
}

/** Runs all missing steps. Concurrent processes wait for the lock and then find nothing to do. */
async function migrate(client: ClientBase, address: PostgresAddress): Promise<void> {
  const { schema } = address
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${MARK} ${schema}`])
  const version = await checkSchema(client, address)
  if (version === SCHEMA_VERSION) return
  // Check first: if the schema exists, the user needs no right on the database.
  const { rows } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
  if (rows.length === 0) await client.query(`CREATE SCHEMA ${schema}`)
  await client.query(`SET LOCAL search_path TO ${schema}`)
  for (const step of STEPS.slice(version)) await client.query(step)
  if (version === 0) {
    await client.query(`CREATE TABLE ${MARK} (version bigint NOT NULL)`)
    await client.query(`INSERT INTO ${MARK} VALUES ($1)`, [SCHEMA_VERSION])
  } else await client.query(`UPDATE ${MARK} SET version = $1`, [SCHEMA_VERSION])
}

/** Returns the version, 0 for an empty schema. Rejects foreign and newer ones. */
async function checkSchema(
  client: ClientBase,
  { schema, shown }: PostgresAddress,
): Promise<number> {
  const { rows } = await client.query<{ tables: number; marks: number }>(
    `SELECT count(*) AS tables, count(*) FILTER (WHERE relname = $2) AS marks
     FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`,
    [schema, MARK],
  )
  if (rows[0]?.tables === 0) return 0
  if (rows[0]?.marks === 0) {
    throw usageError(
      `The schema ${schema} of ${shown} belongs to another program.`,
      'Nothing was changed. Name another one: postgres://…?schema=NAME.',
    )
  }
  const marked = await client.query<{ version: number }>(`SELECT version FROM ${schema}.${MARK}`)
  const version = marked.rows[0]?.version ?? 0
  if (version > SCHEMA_VERSION) {
    throw new PrecisError(
      'store-newer',
      `The store ${shown} has version ${version}, and this program knows up to ${SCHEMA_VERSION}.`,
      {
        hint: 'Nothing was changed. Use the newer precis that wrote it, or name another schema.',
        where: shown,
        details: { version, known: SCHEMA_VERSION },
      },
    )
  }
  return version
}

function noStore({ schema, shown }: PostgresAddress): PrecisError {
  return new PrecisError('not-found', `There is no store in the schema ${schema} of ${shown}.`, {
    where: shown,
    hint: 'Nothing was created. Name the schema of a store: postgres://…?schema=NAME.',
  })
}

async function requireUnicode(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  )
  const encoding = rows[0]?.encoding
  if (encoding === 'UTF8') return
  throw usageError(
    `The database keeps its texts in ${encoding}, which cannot hold every script.`,
    'Name a database in UTF8: createdb --encoding=UTF8 --template=template0.',
  )
}
