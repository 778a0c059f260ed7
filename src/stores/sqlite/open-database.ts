// Opens the database file: makes it where it is missing, private to its owner, and says what is wrong.
import { accessSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { PrecisError } from '../../core/errors.ts'
import { isBusy } from './failures.ts'
import { checkDatabase, migrate, SCHEMA_VERSION } from './schema.ts'

/**
 * How long SQLite itself waits for a lock. Short, since it blocks its thread: longer waits are
 * made of repeated attempts, between which reads go on.
 */
const LOCK_WAIT_MS = 10
/**
 * The log beside the database is merged after so many pages (16 MiB): the index on ids is touched
 * all over, and the same pages are then written once instead of several times.
 */
const MERGE_AFTER_PAGES = 4000
/** After merging, the file of that log is cut back to this. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024

/** Blocks its thread while another process holds the file, at most `busyTimeoutMs`. */
export function openDatabase(path: string, busyTimeoutMs: number): Database {
  prepareFile(path)
  const deadline = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      return tryToOpen(path)
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= deadline) throw thrown
      sleep(LOCK_WAIT_MS + Math.random() * LOCK_WAIT_MS)
    }
  }
}

function tryToOpen(path: string): Database {
  const db = new Sqlite(path, { timeout: LOCK_WAIT_MS })
  try {
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

/** SQLite gives the -wal and -shm files the permissions of the database file. */
function prepareFile(path: string): void {
  const folder = dirname(path)
  const there = statSync(path, { throwIfNoEntry: false })
  if (there && !there.isFile()) {
    const kind = there.isDirectory() ? 'a folder' : 'no ordinary file'
    throw new PrecisError('usage', `${path} is ${kind}, and cannot be a store.`, {
      hint: 'Name a database file, there or to be made.',
      where: path,
    })
  }
  if (!there) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    closeSync(openSync(path, constants.O_CREAT | constants.O_RDWR, 0o600))
  } else if (!allows(path, constants.R_OK)) {
    throw new PrecisError('file-unreadable', `The store ${path} cannot be read: no permission.`, {
      hint: 'Name another file, or get permission to read and write this one.',
      where: path,
    })
  }
  for (const [place, mode] of [
    [path, constants.W_OK],
    [folder, constants.W_OK | constants.X_OK],
  ] as const) {
    if (allows(place, mode)) continue
    throw new PrecisError(
      'store-readonly',
      `The store ${path} cannot be written: ${place} is read-only.`,
      {
        hint: 'The file and its directory must be writable; SQLite creates -wal and -shm files beside it.',
        where: place,
      },
    )
  }
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
