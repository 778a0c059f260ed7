// The store on SQLite: checks and encodes here; the database runs in its own thread.
import { resolve } from 'node:path'
import type { NewEvent } from '../../core/log/event.ts'
import type { Signal } from '../../core/model.ts'
import { checkNames } from '../../core/options.ts'
import type {
  Appended,
  AppendOptions,
  ForkOptions,
  ListOptions,
  LogVerdict,
  Page,
  ReadRange,
  Row,
  Snapshot,
  Store,
  ThreadInfo,
} from '../../core/ports.ts'
import { usageError } from '../errors.ts'
import { followRows, Subscriptions } from '../follow.ts'
import { leaseKey, leaseRequest } from '../leases.ts'
import { fitsCells, verifyInSteps } from '../rows/hash-chain.ts'
import { LIMITS } from '../rows/limits.ts'
import { buildPage, readInfo, readListOptions } from '../rows/pages.ts'
import {
  checkRanges,
  type Range,
  type ReadStep,
  readInSteps,
  readQuery,
  rowsAfter,
} from '../rows/read-in-steps.ts'
import { appended, appendRequest, forkRequest } from '../rows/requests.ts'
import { checkName, checkNumber, decodeRow, decodeSnapshot } from '../rows/stored-event.ts'
import { listByOwners, searchIndex } from '../search/search-index.ts'
import { startWorker, type WorkerLink } from './worker-link.ts'

export interface SqliteOptions {
  /** How long a call may wait for other processes before it fails with `store-busy`. */
  readonly busyTimeoutMs?: number
  /** How often followers poll for changes by other processes. */
  readonly pollMs?: number
  /** A missing store is an error; by default a missing or empty file becomes a new store. */
  readonly mustExist?: boolean
  /** Never changes the file, which must exist: writes fail. */
  readonly readOnly?: boolean
}

/** Opens or creates the database. A missing folder is created, private to its owner. */
export async function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw usageError('A SQLite store needs the path of its file.', 'Name a file.')
  }
  checkNames('openSqliteStore', options, ['busyTimeoutMs', 'pollMs', 'mustExist', 'readOnly'])
  const { busyTimeoutMs = 10_000, pollMs = 100, readOnly = false } = options
  const mustExist = readOnly || (options.mustExist ?? false)
  checkNumber('busyTimeoutMs', busyTimeoutMs, 0, LIMITS.timerMs)
  checkNumber('pollMs', pollMs, 1, LIMITS.timerMs)
  const wakeups = new Subscriptions()
  const link = await startWorker(
    { path: resolve(path), busyTimeoutMs, pollMs, mustExist, readOnly },
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
  readonly #wakeups: Subscriptions

  constructor(link: WorkerLink, wakeups: Subscriptions) {
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
    return readInSteps(this.#step, threadId, readQuery(range))
  }

  async readMany(threadId: string, ranges: readonly Range[]): Promise<readonly Row[]> {
    const limit = Number.MAX_SAFE_INTEGER
    return readInSteps(this.#step, threadId, { ranges: checkRanges(ranges), limit })
  }

  async info(threadId: string): Promise<ThreadInfo | undefined> {
    checkName('a thread id', threadId)
    const cells = await this.#link.call({ name: 'info', threadId })
    return cells && readInfo(cells)
  }

  async snapshot(threadId: string, foldVersion: number): Promise<Snapshot | undefined> {
    checkName('a thread id', threadId)
    checkNumber('a fold version', foldVersion, 0)
    const cells = await this.#link.call({ name: 'snapshot', threadId, foldVersion })
    return cells && decodeSnapshot(cells)
  }

  async list(options: ListOptions = {}): Promise<Page<ThreadInfo>> {
    const { limit, ...rest } = readListOptions(options)
    const query = { limit: limit + 1, ...rest }
    const page = () => this.#link.call({ name: 'list', ...query })
    return buildPage(await (query.owners ? listByOwners(this.#ownerSource, page) : page()), limit)
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

  async find(threadId: string, id: string): Promise<Row | undefined> {
    checkName('a thread id', threadId)
    const cells = await this.#link.call({ name: 'findEvent', threadId, id })
    return cells && decodeRow(threadId, cells)
  }

  verify(threadId: string): Promise<LogVerdict | undefined> {
    const limit = LIMITS.stepRows
    const step = (id: string, ranges: readonly Range[]) =>
      this.#link.call({ name: 'readChain', threadId: id, ranges, limit })
    return verifyInSteps(step, threadId, fitsCells)
  }

  countStrays(): Promise<number> {
    return this.#link.call({ name: 'countStrays' })
  }

  close(): Promise<void> {
    return this.#link.close()
  }

  readonly index = searchIndex({
    isBehind: () => this.#link.call({ name: 'isBehind' }),
    indexMore: () => this.#link.call({ name: 'indexMore' }),
    clearIndex: async () => void (await this.#link.call({ name: 'clearIndex' })),
    find: (search, count, hasAllWords) =>
      this.#link.call({ name: 'find', search, count, hasAllWords }),
  })

  readonly #ownerSource = {
    knowsOwners: () => this.#link.call({ name: 'knowsOwners' }),
    learnMore: () => this.#link.call({ name: 'learnOwners' }),
  }

  readonly #step: ReadStep = (threadId, ranges, limit) =>
    this.#link.call({ name: 'read', threadId, ranges, limit })

  readonly #source = {
    rowsAfter: (threadId: string, seq: number) => rowsAfter(this.#step, threadId, seq),
    watch: (threadId: string, wake: () => void): (() => void) => {
      if (this.#wakeups.add(threadId, wake)) this.#link.watch(threadId)
      return () => {
        if (this.#wakeups.remove(threadId, wake)) this.#link.unwatch(threadId)
      }
    },
  }
}
