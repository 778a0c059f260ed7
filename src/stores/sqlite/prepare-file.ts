// The file of a store before SQLite opens it: made private to its owner where it is missing, and checked for permissions
import { accessSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { PrecisError } from '../../core/errors.ts'

export interface Opening {
  readonly mustExist: boolean // a missing store is an error instead of being created
  readonly readOnly: boolean // never changes the file, not even to migrate it
}

/** SQLite gives the -wal and -shm files the permissions of the database file. */
export function prepareFile(path: string, { mustExist, readOnly }: Opening): void {
  const folder = dirname(path)
  const there = statSync(path, { throwIfNoEntry: false })
  if (there && !there.isFile()) {
    const kind = there.isDirectory() ? 'a folder' : 'no ordinary file'
    throw new PrecisError('usage', `${path} is ${kind}, and cannot be a store.`, {
      hint: 'Name an existing database file, or a new one.',
      where: path,
    })
  }
  if (!there && mustExist) throw noStore(path, 'there is no such file')
  if (!there) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    closeSync(openSync(path, constants.O_CREAT | constants.O_RDWR, 0o600))
  } else if (!allows(path, constants.R_OK)) {
    throw new PrecisError('file-unreadable', `The store ${path} cannot be read: no permission.`, {
      hint: 'Name another file, or get permission to read and write this one.',
      where: path,
    })
  }
  if (readOnly) return
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

/** Whether SQLite can create its -wal and -shm files next to it, and remove them. */
export function isWritable(path: string): boolean {
  return allows(path, constants.W_OK) && allows(dirname(path), constants.W_OK | constants.X_OK)
}

/** Whether unmerged changes wait in a file next to it. */
export function hasWaitingChanges(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

export function noStore(path: string, why: string): PrecisError {
  return new PrecisError('not-found', `${path} is not a store: ${why}.`, {
    hint: 'Nothing was changed. Name the file of a store.',
    where: path,
  })
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
