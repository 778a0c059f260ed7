// Several writes in one transaction: the disk is waited for once, and each keeps its own outcome.
import type { Database } from 'better-sqlite3'
import { PrecisError } from '../../core/errors.ts'

export type Outcome<T> = { readonly value: T } | { readonly thrown: unknown }

/**
 * Runs the writes and commits. A write that throws a PrecisError is undone alone; another failure
 * (a full disk, say) undoes all, and then each is tried in a transaction of its own, so that it
 * fails only by itself. Throws only where the database is busy; then nothing was done.
 */
export function commitTogether<T>(
  db: Database,
  writes: readonly (() => T)[],
): readonly Outcome<T>[] {
  const [only] = writes
  if (only && writes.length === 1) return [commitAlone(db, only)]
  db.exec('BEGIN IMMEDIATE')
  try {
    const outcomes = writes.map((write) => inSavepoint(db, write))
    db.exec('COMMIT')
    return outcomes
  } catch {
    rollBack(db)
  }
  return writes.map((write) => {
    try {
      return commitAlone(db, write)
    } catch (thrown) {
      return { thrown }
    }
  })
}

/** Without a savepoint, for which SQLite would copy every page before it is changed. */
function commitAlone<T>(db: Database, write: () => T): Outcome<T> {
  db.exec('BEGIN IMMEDIATE')
  try {
    const value = write()
    db.exec('COMMIT')
    return { value }
  } catch (thrown) {
    rollBack(db)
    return { thrown }
  }
}

function inSavepoint<T>(db: Database, write: () => T): Outcome<T> {
  db.exec('SAVEPOINT one')
  try {
    const value = write()
    db.exec('RELEASE one')
    return { value }
  } catch (thrown) {
    if (!PrecisError.is(thrown)) throw thrown
    db.exec('ROLLBACK TO one')
    db.exec('RELEASE one')
    return { thrown }
  }
}

/** SQLite has ended the transaction by itself where the disk was full. */
function rollBack(db: Database): void {
  if (db.inTransaction) db.exec('ROLLBACK')
}
