// The queue of database calls: reads first, then all waiting writes in one transaction.
import type { Database } from 'better-sqlite3'
import { PrecisError } from '../../core/errors.ts'
import { isBusy } from './failures.ts'

interface Work {
  readonly run: () => unknown
  readonly done: (outcome: Outcome<unknown>) => void
  readonly length: number
  readonly deadline: number // on the clock of `performance.now`
}

/** Size limit of one transaction, so that no write waits long for its neighbours. */
const GROUP_LENGTH = 32 * 1024 * 1024
const GROUP_SIZE = 500
const LONGEST_PAUSE_MS = 25

/**
 * A read and a write that wait at the same time may run in either order: neither has answered yet. A busy
 * database is retried after a pause, in which other calls go on.
 */
export class WorkQueue {
  readonly #commit: (writes: readonly (() => unknown)[]) => readonly Outcome<unknown>[]
  #reads: Work[] = []
  #writes: Work[] = []
  #pauseMs = 1
  #timer: NodeJS.Timeout | undefined
  #whenEmpty: (() => void) | undefined

  constructor(commit: (writes: readonly (() => unknown)[]) => readonly Outcome<unknown>[]) {
    this.#commit = commit
  }

  addRead(work: Work): void {
    this.#reads.push(work)
  }

  addWrite(work: Work): void {
    this.#writes.push(work)
  }

  /** Runs everything that can run now. */
  run(): void {
    clearTimeout(this.#timer)
    const busy = [this.#runReads(), this.#runWrites()].includes(true)
    if (busy) {
      this.#timer = setTimeout(() => this.run(), this.#pauseMs * (0.5 + Math.random()))
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
      return
    }
    this.#pauseMs = 1
    if (this.#reads.length + this.#writes.length === 0) this.#whenEmpty?.()
  }

  /** Calls back once, as soon as the queue is empty. */
  whenEmpty(callback: () => void): void {
    this.#whenEmpty = () => {
      this.#whenEmpty = undefined
      callback()
    }
  }

  /** True if some must be retried. */
  #runReads(): boolean {
    const reads = this.#reads
    this.#reads = []
    for (const work of reads) {
      const outcome = attempt(work.run)
      if (mustWait(work, outcome)) this.#reads.push(work)
      else work.done(outcome)
    }
    return this.#reads.length > 0
  }

  #runWrites(): boolean {
    while (this.#writes.length > 0) {
      const group = this.#writes.splice(0, groupSize(this.#writes))
      const outcomes = attempt(() => this.#commit(group.map((work) => work.run)))
      const waiting: Work[] = []
      group.forEach((work, index) => {
        const outcome = 'value' in outcomes ? outcomes.value[index] : outcomes
        if (!outcome || mustWait(work, outcome)) waiting.push(work)
        else work.done(outcome)
      })
      if (waiting.length === 0) continue
      this.#writes.unshift(...waiting)
      return true
    }
    return false
  }
}

function attempt<T>(run: () => T): Outcome<T> {
  try {
    return { value: run() }
  } catch (thrown) {
    return { thrown }
  }
}

function mustWait(work: Work, outcome: Outcome<unknown>): boolean {
  return 'thrown' in outcome && isBusy(outcome.thrown) && performance.now() < work.deadline
}

function groupSize(writes: readonly Work[]): number {
  let length = 0
  const end = writes.findIndex((work, index) => {
    length += work.length
    return index > 0 && (length > GROUP_LENGTH || index >= GROUP_SIZE)
  })
  return end === -1 ? writes.length : end
}

/** Several writes in one transaction: one wait for the disk, separate outcomes. */
export type Outcome<T> = { readonly value: T } | { readonly thrown: unknown }

/**
 * Runs the writes and commits. A write that throws a PrecisError is undone alone. Another failure (a full
 * disk, say) undoes all, and each write is then tried in its own transaction. Throws only if the database is
 * busy; then nothing was done.
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

/** Without a savepoint, for which SQLite would copy every page before changing it. */
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

/** On a full disk SQLite has ended the transaction already. */
function rollBack(db: Database): void {
  if (db.inTransaction) db.exec('ROLLBACK')
}
