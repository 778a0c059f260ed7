// Opens the database file, creates missing tables, and reports what is wrong.
import Sqlite, { type Database } from 'better-sqlite3'
import { PrecisError } from '../../core/errors.ts'
import { isBusy } from './failures.ts'
import {
  hasWaitingChanges,
  isWritable,
  noStore,
  type Opening,
  prepareFile,
} from './prepare-file.ts'

/**
 * How long SQLite itself waits for a lock. Short, because it blocks the thread; longer waits are repeated
 * attempts, with reads in between.
 */
const LOCK_WAIT_MS = 10
/**
 * Merge the WAL after this many pages (16 MiB). The index on ids touches pages everywhere; merging rarely
 * writes each of them once instead of several times.
 */
const MERGE_AFTER_PAGES = 4000
/** The WAL file is truncated to this after a merge. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024

/** Blocks the thread while another process holds the file, at most for `busyTimeoutMs`. */
export function openDatabase(
  path: string,
  busyTimeoutMs: number,
  opening: Opening = { mustExist: false, readOnly: false },
): Database {
  prepareFile(path, opening)
  const deadline = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      return opening.readOnly ? openToRead(path) : tryToOpen(path, opening.mustExist)
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= deadline) throw thrown
      sleep(LOCK_WAIT_MS + Math.random() * LOCK_WAIT_MS)
    }
  }
}

function tryToOpen(path: string, mustExist: boolean): Database {
  const db = new Sqlite(path, { timeout: LOCK_WAIT_MS })
  try {
    if (mustExist) requireTables(db, path)
    const version = checkDatabase(db, path)
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma(`wal_autocheckpoint = ${MERGE_AFTER_PAGES}`)
    db.pragma(`journal_size_limit = ${WAL_LIMIT_BYTES}`)
    if (version < SCHEMA_VERSION) migrate(db, path)
    return db
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

/**
 * SQLite merges pending changes when the last connection closes, but not a read-only one: then the files
 * stay.
 */
function openToRead(path: string): Database {
  const readonly = hasWaitingChanges(path) || !isWritable(path)
  const db = new Sqlite(path, { timeout: LOCK_WAIT_MS, readonly, fileMustExist: true })
  try {
    db.pragma('query_only = 1')
    requireTables(db, path)
    if (checkDatabase(db, path) === SCHEMA_VERSION) return db
    const copy = copyInMemory(db)
    db.close()
    migrate(copy, path)
    copy.pragma('query_only = 1')
    return copy
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

/** Migrates a copy of an older store in memory. */
function copyInMemory(db: Database): Database {
  const bytes = db.serialize()
  bytes.fill(1, 18, 20) // these two header bytes say that a WAL file exists
  return new Sqlite(bytes)
}

/** Tables of every version of a store. */
function requireTables(db: Database, path: string): void {
  const [application, all, own] = db.transaction(() => [
    readNumber(db, 'application_id'),
    Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()),
    Number(db.prepare(OWN_TABLES).pluck().get()),
  ])() as [number, number, number]
  if (all === 0) throw noStore(path, 'it is empty')
  if (application !== APPLICATION_ID) throw noStore(path, 'it is a database of another program')
  if (own < 2) throw noStore(path, 'it has no threads and events')
}

const OWN_TABLES =
  "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('threads', 'events')"

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** In the file's header («prcs»), to tell our files from other programs' databases. */
const APPLICATION_ID = 0x70726373

/**
 * Step n migrates version n to n + 1. Released steps never change.
 * A thread's `key` is never reused, so it also tells a thread from a later one with the same id. A fork
 * shares the rows of thread `base_key` up to `base_seq`; its own rows come after. `parent_id` and
 * `parent_seq` only record where it came from.
 */
const STEPS: readonly string[] = [
  `
  CREATE TABLE threads (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    thread_id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    parent_id TEXT,
    parent_seq INTEGER,
    base_key INTEGER REFERENCES threads (key),
    base_seq INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX threads_by_time ON threads (updated_at, thread_id);
  CREATE INDEX threads_by_base ON threads (base_key) WHERE base_key IS NOT NULL;

  CREATE TABLE events (
    thread_key INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    v INTEGER NOT NULL,
    type TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    data TEXT NOT NULL,
    origin TEXT,
    source TEXT,
    PRIMARY KEY (thread_key, seq)
  ) STRICT;
  CREATE UNIQUE INDEX events_by_id ON events (thread_key, id);
  CREATE TRIGGER events_never_change
    BEFORE UPDATE OF seq, id, v, type, timestamp, data, origin, source ON events
    BEGIN SELECT RAISE(ABORT, 'events never change'); END;

  CREATE TABLE snapshots (
    thread_key INTEGER NOT NULL,
    fold_version INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (thread_key, fold_version)
  ) STRICT, WITHOUT ROWID;
  `,
  // Only adds, so a process that has the file open with the version before keeps working.
  `
  CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    ttl_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // The search index. Derived: rows after `from_seq` up to `to_seq` are indexed; a search detects deleted
  // threads and moved rows. Words are computed by us and separated by blanks.
  `
  CREATE TABLE search_cursors (
    thread_key INTEGER PRIMARY KEY,
    from_seq INTEGER NOT NULL,
    to_seq INTEGER NOT NULL,
    awaited TEXT NOT NULL
  ) STRICT;
  CREATE TABLE search_parts (
    id INTEGER PRIMARY KEY,
    thread_key INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    kind TEXT NOT NULL,
    time_ms INTEGER NOT NULL,
    tool TEXT,
    file TEXT
  ) STRICT;
  CREATE INDEX search_parts_by_row ON search_parts (thread_key, seq);
  CREATE VIRTUAL TABLE search_words USING fts5 (
    words, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
  );
  `,
  // The owner of a thread and the version of its index; rows of older programs have version 1.
  `
  ALTER TABLE search_cursors ADD COLUMN owner TEXT NOT NULL DEFAULT '';
  ALTER TABLE search_cursors ADD COLUMN index_version INTEGER NOT NULL DEFAULT 1;
  CREATE INDEX search_cursors_by_owner ON search_cursors (owner);
  `,
  // The hash chain: a hash for each event, and for each thread the last one. Older rows, and rows that a
  // process of the version before writes, have none.
  `
  ALTER TABLE events ADD COLUMN hash TEXT;
  ALTER TABLE threads ADD COLUMN head TEXT;
  `,
  // Base64 hashes next to hex ones: an older program would report them as altered.
  '',
]

/** The current version of the tables. */
export const SCHEMA_VERSION = STEPS.length

/** Rejects foreign and newer databases and changes nothing. Returns the version. */
export function checkDatabase(db: Database, path: string): number {
  // One transaction: between two reads another process could turn a new file into a store.
  const [version, application, tables] = db.transaction(() => [
    readNumber(db, 'user_version'),
    readNumber(db, 'application_id'),
    Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()),
  ])() as [number, number, number]
  if (application !== APPLICATION_ID && (tables > 0 || application !== 0 || version !== 0)) {
    throw new PrecisError('usage', `${path} is a database of another program.`, {
      hint: 'Nothing was changed. Name another file for the store.',
      where: path,
    })
  }
  if (version > SCHEMA_VERSION) {
    throw new PrecisError(
      'store-newer',
      `The store ${path} has version ${version}, and this program knows up to ${SCHEMA_VERSION}.`,
      {
        hint: 'Nothing was changed. Use the newer precis that wrote it, or name another file.',
        where: path,
        details: { version, known: SCHEMA_VERSION },
      },
    )
  }
  return version
}

/** Runs all missing steps or none. Another process may do the same concurrently. */
export function migrate(db: Database, path: string): void {
  db.transaction(() => {
    const version = checkDatabase(db, path)
    for (const step of STEPS.slice(version)) db.exec(step)
    if (version === SCHEMA_VERSION) return
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
  }).immediate()
}

function readNumber(db: Database, pragma: string): number {
  return Number(db.pragma(pragma, { simple: true }))
}
