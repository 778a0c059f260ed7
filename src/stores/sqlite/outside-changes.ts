// Notices what other connections write to the threads that somebody follows.
import type { Database } from 'better-sqlite3'
import type { Tables } from './tables.ts'

export class OutsideChanges {
  readonly #dataVersion: () => unknown
  readonly #tables: Tables
  readonly #pollMs: number
  readonly #report: (threadIds: readonly string[]) => void
  readonly #seen = new Map<string, string | undefined>() // thread id → its state when last looked at
  #lastVersion: unknown
  #timer: NodeJS.Timeout | undefined

  constructor(
    db: Database,
    tables: Tables,
    pollMs: number,
    report: (threadIds: readonly string[]) => void,
  ) {
    const statement = db.prepare('PRAGMA data_version').pluck()
    this.#dataVersion = () => statement.get()
    this.#tables = tables
    this.#pollMs = pollMs
    this.#report = report
  }

  /** Must come before the first read of a follower: what changes after it is then noticed. */
  watch(threadId: string): void {
    this.#seen.set(threadId, undefined)
    if (this.#timer) return
    this.#lastVersion = undefined
    this.#timer = setInterval(() => this.#poll(), this.#pollMs)
  }

  unwatch(threadId: string): void {
    this.#seen.delete(threadId)
    if (this.#seen.size === 0) this.stop()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #poll(): void {
    try {
      const version = this.#dataVersion()
      if (version === this.#lastVersion) return
      this.#reportChanges()
      this.#lastVersion = version
    } catch {
      // The followers' own reads will meet the same failure, and tell it.
      this.#report([...this.#seen.keys()])
    }
  }

  #reportChanges(): void {
    const changed = [...this.#seen.keys()].filter((threadId) => {
      const thread = this.#tables.threads.find(threadId)
      const state = thread ? `${thread.key}/${thread.version}` : 'none'
      const before = this.#seen.get(threadId)
      this.#seen.set(threadId, state)
      return state !== before
    })
    if (changed.length > 0) this.#report(changed)
  }
}
