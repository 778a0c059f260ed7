// What SQLite and the file system report, as sentences: one table from their codes to ours.
import { PrecisError } from '../../core/errors.ts'
import { FAILED, type Meaning, meaningError, TOO_LARGE } from '../errors.ts'

const BUSY: Meaning = {
  code: 'store-busy',
  what: 'is in use by another process that does not let go',
  hint: 'Try again. If it keeps failing, look for a process that holds the file open.',
  retryable: true,
}
const CORRUPT: Meaning = {
  code: 'store-corrupt',
  what: 'is damaged, or is not a SQLite database',
  hint: 'Nothing was changed. Name another file, or restore this one from a copy.',
}
const FULL: Meaning = {
  code: 'store-full',
  what: 'cannot grow: the disk is full',
  hint: 'Free some space and try again; stored data is intact.',
  retryable: true,
}
const READONLY: Meaning = {
  code: 'store-readonly',
  what: 'cannot be written',
  hint: 'The file and its directory must be writable; SQLite creates -wal and -shm files beside it.',
}
const NO_PERMISSION: Meaning = {
  code: 'file-unwritable',
  what: 'cannot be made here: no permission',
  hint: 'Name a file in a directory that you can write to.',
}
const NO_FOLDER: Meaning = {
  code: 'usage',
  what: 'cannot be made here: a part of the path is a file, not a directory',
  hint: 'Correct the path.',
}

/** Keyed by the first listed part of the code, so extended codes need no entries. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  SQLITE_BUSY: BUSY,
  SQLITE_LOCKED: BUSY,
  SQLITE_PROTOCOL: BUSY, // many processes opened the file at the same moment
  SQLITE_CORRUPT: CORRUPT,
  SQLITE_CORRUPT_VTAB: {
    code: 'store-corrupt',
    what: 'has a search index that is damaged',
    hint: 'It does not hold the logs. Rebuild it: `precis store check STORE --repair`.',
  },
  SQLITE_NOTADB: CORRUPT,
  SQLITE_FULL: FULL,
  SQLITE_IOERR_SHMSIZE: FULL,
  SQLITE_READONLY: READONLY,
  SQLITE_PERM: READONLY,
  SQLITE_CANTOPEN: {
    code: 'file-unreadable',
    what: 'cannot be opened',
    hint: 'Check that the file and its directory exist, and that you can read and write them.',
  },
  SQLITE_TOOBIG: TOO_LARGE,
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: READONLY,
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
}

/** Anything thrown by work on the database at `path`. */
export function storeFailure(thrown: unknown, path: string): PrecisError {
  if (PrecisError.is(thrown)) return thrown
  const code = readCode(thrown)
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return meaningError(readMeaning(code), { where: path, reason, code, cause: thrown })
}

/** Whether waiting may help: another process holds a lock. */
export function isBusy(thrown: unknown): boolean {
  return readMeaning(readCode(thrown)) === BUSY
}

function readCode(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return ''
  return String(thrown.code)
}

function readMeaning(code: string): Meaning {
  for (let name = code; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('_')))) {
    const meaning = MEANINGS[name]
    if (meaning) return meaning
  }
  return FAILED
}
