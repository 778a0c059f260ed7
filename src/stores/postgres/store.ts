// The store on PostgreSQL, shared by several processes and machines.
import type { NewEvent } from '../../core/log/event.ts'
import type { Signal } from '../../core/model.ts'
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
import { storeClosed } from '../errors.ts'
import { followRows, Subscriptions } from '../follow.ts'
import { leaseKey, leaseRequest } from '../leases.ts'
import { fitsLinked, verifyInSteps } from '../rows/hash-chain.ts'
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
import { append, findById } from './append.ts'
import type { Database } from './database.ts'
import { findKey, fork, remove } from './fork.ts'
import { releaseLease, takeLease } from './lease-table.ts'
import { Announcements, ThreadNews } from './news.ts'
import { info, list, read, readChain, snapshot } from './read.ts'
import { clearIndex, find, indexMore, isBehind } from './search.ts'
import { knowsOwners, learnMoreOwners } from './search-statements.ts'
import { STRAYS } from './statements.ts'

export class PostgresStore implements Store {
  readonly #database: Database
  readonly #wakeups = new Subscriptions()
  readonly #news: ThreadNews
  readonly #announcements: Announcements
  #closing: Promise<void> | undefined

  constructor(database: Database, pollMs: number) {
    this.#database = database
    this.#news = new ThreadNews(database, this.#wakeups, pollMs)
    this.#announcements = new Announcements(database)
  }

  async append(
    threadId: string,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<Appended> {
    const request = appendRequest(threadId, events, options)
    const work = this.#run((session) => append(session, request), request.length)
    const { stored } = await work
    this.#changed(threadId)
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
    const { stored } = await this.#run((session) => fork(session, request), request.length)
    this.#changed(threadId)
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
    const cells = await this.#run((session) => info(session, threadId))
    return cells && readInfo(cells)
  }

  async snapshot(threadId: string, foldVersion: number): Promise<Snapshot | undefined> {
    checkName('a thread id', threadId)
    checkNumber('a fold version', foldVersion, 0)
    const cells = await this.#run((session) => snapshot(session, threadId, foldVersion))
    return cells && decodeSnapshot(cells)
  }

  async list(options: ListOptions = {}): Promise<Page<ThreadInfo>> {
    const { limit, ...rest } = readListOptions(options)
    const query = { limit: limit + 1, ...rest }
    const page = () => this.#run((session) => list(session, query))
    return buildPage(await (query.owners ? listByOwners(this.#ownerSource, page) : page()), limit)
  }

  follow(threadId: string, afterSeq: number, signal: Signal): AsyncIterable<Row> {
    return followRows(this.#source, threadId, afterSeq, signal)
  }

  /** Uses the key, so a retry cannot delete another thread with the same id. */
  async delete(threadId: string): Promise<boolean> {
    checkName('a thread id', threadId)
    const key = await this.#run((session) => findKey(session, threadId))
    if (key === undefined) return false
    let attempts = 0
    const removed = await this.#run((session) => {
      attempts += 1
      return remove(session, threadId, key)
    })
    this.#changed(threadId)
    // If a retry finds nothing, the first attempt deleted it.
    return removed || attempts > 1
  }

  async takeLease(name: string, owner: string, ttlMs: number): Promise<boolean> {
    const request = leaseRequest(name, owner, ttlMs)
    return this.#run((session) => takeLease(session, request))
  }

  async releaseLease(name: string, owner: string): Promise<void> {
    const key = leaseKey(name, owner)
    await this.#run((session) => releaseLease(session, key))
  }

  async find(threadId: string, id: string): Promise<Row | undefined> {
    checkName('a thread id', threadId)
    const cells = await this.#run((session) => findById(session, threadId, id))
    return cells && decodeRow(threadId, cells)
  }

  verify(threadId: string): Promise<LogVerdict | undefined> {
    const step = (id: string, ranges: readonly Range[]) =>
      this.#run((session) => readChain(session, id, ranges))
    return verifyInSteps(step, threadId, fitsLinked)
  }

  async countStrays(): Promise<number> {
    const [found] = await this.#run((session) => session.rows<{ count: number }>(STRAYS, []))
    return found?.count ?? 0
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#wakeups.wakeAll()
    await this.#database.idle()
    await this.#announcements.settled()
    // Also stops followers that no longer have a reader.
    this.#news.stop()
    await this.#database.close()
  }

  readonly #run: Database['run'] = (work, length) => {
    if (this.#closing) return Promise.reject(storeClosed())
    return this.#database.run(work, length)
  }

  readonly index = searchIndex({
    isBehind: () => this.#run(isBehind),
    indexMore: () => this.#run((session) => session.transaction(() => indexMore(session))),
    clearIndex: () => this.#run((session) => session.transaction(() => clearIndex(session))),
    find: (request, count, hasAllWords) =>
      this.#run((session) => find(session, request, count, hasAllWords)),
  })

  readonly #ownerSource = {
    knowsOwners: () => this.#run(knowsOwners),
    learnMore: () => this.#run((session) => session.transaction(() => learnMoreOwners(session))),
  }

  readonly #step: ReadStep = (threadId, ranges, limit) =>
    this.#run((session) => read(session, threadId, ranges, limit))

  readonly #source = {
    rowsAfter: (threadId: string, seq: number) => rowsAfter(this.#step, threadId, seq),
    watch: (threadId: string, wake: () => void): (() => void) => {
      const isFirst = this.#wakeups.threadIds.length === 0
      this.#wakeups.add(threadId, wake)
      if (isFirst) this.#news.start()
      return () => {
        const isLast = this.#wakeups.remove(threadId, wake) && this.#wakeups.threadIds.length === 0
        if (isLast) this.#news.stop()
      }
    },
  }

  #changed(threadId: string): void {
    this.#wakeups.wake(threadId)
    this.#announcements.add(threadId)
  }
}
