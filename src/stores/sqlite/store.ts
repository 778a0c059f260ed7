// The store on SQLite: checks and encodes here, and leaves the database to its own thread.
import { resolve } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { NewEvent } from '../../core/event.ts'
import type {
  Appended,
  AppendOptions,
  ForkOptions,
  Page,
  ReadRange,
  Row,
  Signal,
  Snapshot,
  Store,
  ThreadInfo,
} from '../../core/ports.ts'
import { checkName, checkNumber, decodeRow, decodeSnapshot } from '../cells.ts'
import { encodeCursor, readListOptions } from '../cursor.ts'
import { usageError } from '../errors.ts'
import { followRows, type Stretch } from '../follow.ts'
import { leaseKey, leaseRequest } from '../leases.ts'
import { LIMITS } from '../limits.ts'
import { checkRanges, type Range, type ReadQuery, readQuery } from '../ranges.ts'
import { appended, appendRequest, forkRequest } from '../requests.ts'
import { Wakeups } from '../wakeups.ts'
import type { ThreadCells } from './protocol.ts'
import { startWorker, type WorkerLink } from './worker-link.ts'

export interface SqliteOptions {
  /** How long a call waits for other processes before it is `store-busy`. */
  readonly busyTimeoutMs?: number
  /** How often followers look for the work of other processes. */
  readonly pollMs?: number
}

/** How often a read starts anew because its thread was deleted and made again meanwhile. */
const MOST_RESTARTS = 5

/** Opens the database, or makes it; a folder that is missing is made too, private to its owner. */
export async function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw usageError('A SQLite store needs the path of its file.', 'Name a file.')
  }
  const { busyTimeoutMs = 10_000, pollMs = 100 } = options
  checkNumber('busyTimeoutMs', busyTimeoutMs, 0)
  checkNumber('pollMs', pollMs, 1)
  const wakeups = new Wakeups()
  const link = await startWorker(
    { path: resolve(path), busyTimeoutMs, pollMs },
    {
      onChanged: (threadIds) => {
        for (const threadId of threadIds) wakeups.wake(threadId)
      },
      onEnd: () => wakeups.wakeAll(),
    },
  )
  return new SqliteStore(link, wakeups)
}

class SqliteStore implements Store {
  readonly #link: WorkerLink
  readonly #wakeups: Wakeups

  constructor(link: WorkerLink, wakeups: Wakeups) {
    this.#link = link
    this.#wakeups = wakeups
  }

  async append(
    threadId: string,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<Appended> {
    const request = appendRequest(threadId, events, options)
    const { stored } = await this.#link.call({ name: 'append', ...request })
    this.#wakeups.wake(threadId)
    const { rows, expectedVersion } = request
    return appended(threadId, stored ?? rows, expectedVersion, stored !== undefined)
  }

  async fork(
    parentId: string,
    seq: number,
    threadId: string,
    first: readonly NewEvent[],
    options: ForkOptions = {},
  ): Promise<Appended> {
    const request = forkRequest(parentId, seq, threadId, first, options.snapshot)
    const { stored } = await this.#link.call({ name: 'fork', ...request })
    this.#wakeups.wake(threadId)
    return appended(threadId, stored ?? request.rows, seq, stored !== undefined)
  }

  async read(threadId: string, range: ReadRange = {}): Promise<readonly Row[]> {
    return this.#read(threadId, readQuery(range))
  }

  async readMany(threadId: string, ranges: readonly Range[]): Promise<readonly Row[]> {
    const limit = Number.MAX_SAFE_INTEGER
    return this.#read(threadId, { ranges: checkRanges(ranges), limit })
  }

  async info(threadId: string): Promise<ThreadInfo | undefined> {
    checkName('a thread id', threadId)
    const cells = await this.#link.call({ name: 'info', threadId })
    return cells && infoOf(cells)
  }

  async snapshot(threadId: string, foldVersion: number): Promise<Snapshot | undefined> {
    checkName('a thread id', threadId)
    checkNumber('a fold version', foldVersion, 0)
    const cells = await this.#link.call({ name: 'snapshot', threadId, foldVersion })
    return cells && decodeSnapshot(cells)
  }

  async list(
    options: { readonly after?: string; readonly limit?: number } = {},
  ): Promise<Page<ThreadInfo>> {
    const { limit, after } = readListOptions(options)
    // One more than asked for tells whether there is another page.
    const query = { limit: limit + 1, ...(after && { after }) }
    const found = await this.#link.call({ name: 'list', ...query })
    const items = found.slice(0, limit)
    const last = items.at(-1)
    if (!last || found.length <= limit) return { items: items.map(infoOf) }
    return { items: items.map(infoOf), next: encodeCursor([last.updatedAt, last.threadId]) }
  }

  follow(threadId: string, afterSeq: number, signal: Signal): AsyncIterable<Row> {
    return followRows(this.#source, threadId, afterSeq, signal)
  }

  async delete(threadId: string): Promise<boolean> {
    checkName('a thread id', threadId)
    const deleted = await this.#link.call({ name: 'delete', threadId })
    this.#wakeups.wake(threadId)
    return deleted
  }

  async takeLease(name: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.#link.call({ name: 'takeLease', lease: leaseRequest(name, owner, ttlMs) })
  }

  async releaseLease(name: string, owner: string): Promise<void> {
    await this.#link.call({ name: 'releaseLease', lease: leaseKey(name, owner) })
  }

  close(): Promise<void> {
    return this.#link.close()
  }

  readonly #source = {
    rowsAfter: async (threadId: string, seq: number): Promise<Stretch> => {
      const ranges = [[seq + 1, Number.MAX_SAFE_INTEGER]] as const
      const step = { name: 'read', threadId, ranges, limit: LIMITS.stepRows } as const
      const { life, rows, rest } = await this.#link.call(step)
      return { life, rows: rows.map((row) => decodeRow(threadId, row)), more: rest.length > 0 }
    },
    watch: (threadId: string, wake: () => void): (() => void) => {
      if (this.#wakeups.add(threadId, wake)) this.#link.watch(threadId)
      return () => {
        if (this.#wakeups.remove(threadId, wake)) this.#link.unwatch(threadId)
      }
    },
  }

  /** Step by step, so that neither thread is blocked for long, nor holds it all twice. */
  async #read(threadId: string, query: ReadQuery): Promise<Row[]> {
    checkName('a thread id', threadId)
    for (let restarts = 0; restarts <= MOST_RESTARTS; restarts += 1) {
      const rows = await this.#tryToRead(threadId, query)
      if (rows) return rows
    }
    throw new PrecisError('store-busy', `Thread ${threadId} was made anew again and again.`, {
      hint: 'Try again.',
      where: threadId,
      retryable: true,
    })
  }

  /** Undefined where the thread was replaced by another one of its id between two steps. */
  async #tryToRead(threadId: string, { ranges, limit }: ReadQuery): Promise<Row[] | undefined> {
    const rows: Row[] = []
    let rest = ranges
    let firstLife: number | undefined
    while (rest.length > 0 && rows.length < limit) {
      const step = { name: 'read', threadId, ranges: rest, limit: limit - rows.length } as const
      const answer = await this.#link.call(step)
      firstLife ??= answer.life
      if (answer.life !== firstLife) return undefined
      for (const row of answer.rows) rows.push(decodeRow(threadId, row))
      rest = answer.rest
    }
    return rows
  }
}

function infoOf({ createdAt, updatedAt, ...rest }: ThreadCells): ThreadInfo {
  return { ...rest, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) }
}
