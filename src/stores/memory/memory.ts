// A store in memory, for tests and for work on single files.
import type { NewEvent } from '../../core/log/event.ts'
import type { Signal } from '../../core/model.ts'
import type {
  Appended,
  AppendOptions,
  Clock,
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
import { storeClosed, unknownThread, versionConflict } from '../errors.ts'
import { followRows, type Stretch, Subscriptions } from '../follow.ts'
import { Leases, leaseKey, leaseRequest } from '../leases.ts'
import { LIMITS } from '../rows/limits.ts'
import { encodeCursor, type ListPlace, readListOptions } from '../rows/pages.ts'
import { checkRanges, type Range, type ReadQuery, readQuery } from '../rows/read-in-steps.ts'
import { appended, checkForkIds, type Parent, recognise, recogniseFork } from '../rows/requests.ts'
import { checkName, checkNumber, type StoredEvent } from '../rows/stored-event.ts'
import { searchIndex } from '../search/search-index.ts'
import { type Hold, holdText, holdValues, memoryIndex } from './memory-search.ts'
import {
  add,
  findIn,
  type MemoryRow,
  type MemoryThread,
  readInfo,
  readInfos,
  verifyHashes,
} from './memory-thread.ts'

/** Holds JSON text, like a database. The clock is for leases only: events bring their own time. */
export function memoryStore(clock: Pick<Clock, 'now'> = MACHINE): Store {
  return new MemoryStore(clock, holdText)
}

/**
 * Holds and returns the appended values themselves, without writing and parsing JSON. For work on one file in
 * one process, if nobody changes appended or returned values.
 */
export function valueStore(clock: Pick<Clock, 'now'> = MACHINE): Store {
  return new MemoryStore(clock, holdValues)
}

const MACHINE = { now: () => new Date() }

class MemoryStore implements Store {
  readonly #threads = new Map<string, MemoryThread>()
  readonly #wakeups = new Subscriptions()
  #lives = 0
  #closed = false
  readonly #leases: Leases
  readonly #hold: Hold

  constructor(clock: Pick<Clock, 'now'>, hold: Hold) {
    this.#hold = hold
    this.#leases = new Leases(() => clock.now().getTime())
  }

  async append(
    threadId: string,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<Appended> {
    this.#check(threadId)
    const { expectedVersion } = options
    checkNumber('expectedVersion', expectedVersion, 0)
    const { rows, snapshot } = this.#hold(threadId, events, expectedVersion, options.snapshot)
    const thread = this.#threads.get(threadId)
    const found = findIn(thread, rows)
    const stored = found.some(Boolean)
      ? recognise(threadId, rows.map(cellsIn), found.map(cellsOrNone))
      : undefined
    if (stored) return appended(threadId, stored, expectedVersion, true)
    const version = thread?.rows.length ?? 0
    if (version !== expectedVersion) throw versionConflict(threadId, expectedVersion, version)
    const first = rows[0]
    if (thread) add(thread, rows, snapshot)
    else if (first) add(this.#begin(threadId, [], first), rows, snapshot)
    this.#wakeups.wake(threadId)
    return written(threadId, rows, expectedVersion)
  }

  async fork(
    parentId: string,
    seq: number,
    threadId: string,
    first: readonly NewEvent[],
    options: ForkOptions = {},
  ): Promise<Appended> {
    this.#check(threadId)
    checkName('a thread id', parentId)
    checkNumber('the number to fork at', seq, 1)
    const { rows, snapshot } = this.#hold(threadId, first, seq, options.snapshot)
    const there = this.#threads.get(threadId)
    if (there) {
      const request = { parentId, seq, threadId, rows: rows.map(cellsIn) }
      const found = findIn(there, rows).map(cellsOrNone)
      const stored = recogniseFork(request, there.parent, found)
      return appended(threadId, stored, seq, true)
    }
    const parent = this.#threads.get(parentId)
    if (!parent) throw unknownThread(parentId)
    checkNumber(`the number to fork ${parentId} at`, seq, 1, parent.rows.length)
    checkForkIds(threadId, findIn(parent, rows, seq).map(cellsOrNone))
    const shared = parent.rows.slice(0, seq)
    const created = rows[0] ?? (shared[seq - 1] as MemoryRow)
    const begun = this.#begin(threadId, shared, created, { threadId: parentId, seq })
    begun.hashes.push(...parent.hashes.slice(0, seq))
    add(begun, rows, snapshot)
    this.#wakeups.wake(threadId)
    return written(threadId, rows, seq)
  }

  async read(threadId: string, range: ReadRange = {}): Promise<readonly Row[]> {
    this.#check(threadId)
    return this.#read(threadId, readQuery(range))
  }

  async readMany(threadId: string, ranges: readonly Range[]): Promise<readonly Row[]> {
    this.#check(threadId)
    return this.#read(threadId, { ranges: checkRanges(ranges), limit: Number.MAX_SAFE_INTEGER })
  }

  async info(threadId: string): Promise<ThreadInfo | undefined> {
    this.#check(threadId)
    const thread = this.#threads.get(threadId)
    return thread && readInfo(threadId, thread)
  }

  async snapshot(threadId: string, foldVersion: number): Promise<Snapshot | undefined> {
    this.#check(threadId)
    checkNumber('a fold version', foldVersion, 0)
    return this.#threads.get(threadId)?.snapshots.get(foldVersion)?.read()
  }

  async list(options: ListOptions = {}): Promise<Page<ThreadInfo>> {
    this.#checkOpen()
    const { limit, after, owners } = readListOptions(options)
    const infos = readInfos(this.#threads, owners)
    const place = (info: ThreadInfo) => [info.updatedAt.getTime(), info.threadId] as const
    const sorted = infos
      .filter((info) => after === undefined || compare(place(info), after) < 0)
      .sort((one, other) => compare(place(other), place(one)))
    const items = sorted.slice(0, limit)
    const last = items.at(-1)
    return { items, ...(last && sorted.length > limit && { next: encodeCursor(place(last)) }) }
  }

  follow(threadId: string, afterSeq: number, signal: Signal): AsyncIterable<Row> {
    return followRows(this.#source, threadId, afterSeq, signal)
  }

  async delete(threadId: string): Promise<boolean> {
    this.#check(threadId)
    const deleted = this.#threads.delete(threadId)
    this.#wakeups.wake(threadId)
    return deleted
  }

  async takeLease(name: string, owner: string, ttlMs: number): Promise<boolean> {
    this.#checkOpen()
    return this.#leases.take(leaseRequest(name, owner, ttlMs))
  }

  async releaseLease(name: string, owner: string): Promise<void> {
    this.#checkOpen()
    this.#leases.release(leaseKey(name, owner))
  }

  async find(threadId: string, id: string): Promise<Row | undefined> {
    this.#check(threadId)
    return this.#threads.get(threadId)?.byId.get(id)?.inThread(threadId)
  }

  async verify(threadId: string): Promise<LogVerdict | undefined> {
    this.#check(threadId)
    const thread = this.#threads.get(threadId)
    return thread && verifyHashes(thread)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#wakeups.wakeAll()
  }

  readonly index = searchIndex(memoryIndex(this.#threads, () => this.#checkOpen()))

  readonly #source = {
    rowsAfter: async (threadId: string, seq: number): Promise<Stretch> => {
      this.#check(threadId)
      const thread = this.#threads.get(threadId)
      const query = { ranges: [[seq + 1, Infinity]] as const, limit: LIMITS.stepRows }
      const rows = this.#read(threadId, query)
      return { life: thread?.life, rows, more: rows.length === LIMITS.stepRows }
    },
    watch: (threadId: string, wake: () => void): (() => void) => {
      this.#wakeups.add(threadId, wake)
      return () => void this.#wakeups.remove(threadId, wake)
    },
  }

  #check(threadId: string): void {
    this.#checkOpen()
    checkName('a thread id', threadId)
  }

  #checkOpen(): void {
    if (this.#closed) throw storeClosed()
  }

  #read(threadId: string, { ranges, limit }: ReadQuery): Row[] {
    const log = this.#threads.get(threadId)?.rows ?? []
    const rows: Row[] = []
    for (const [from, to] of ranges) {
      for (let seq = from; seq <= Math.min(to, log.length) && rows.length < limit; seq += 1) {
        rows.push((log[seq - 1] as MemoryRow).inThread(threadId))
      }
    }
    return rows
  }

  #begin(threadId: string, rows: MemoryRow[], created: MemoryRow, parent?: Parent): MemoryThread {
    this.#lives += 1
    const byId = new Map(rows.map((row) => [row.id, row]))
    const thread: MemoryThread = {
      life: this.#lives,
      rows,
      hashes: [],
      byId,
      snapshots: new Map(),
      created,
      ...(parent && { parent }),
    }
    this.#threads.set(threadId, thread)
    return thread
  }
}

/** Rows are built on request: most callers know what they appended. */
function written(threadId: string, rows: readonly MemoryRow[], before: number): Appended {
  return {
    version: before + rows.length,
    get rows() {
      return rows.map((row) => row.inThread(threadId))
    },
    repeated: false,
  }
}

function cellsIn({ cells }: MemoryRow): StoredEvent {
  return cells
}

function cellsOrNone(row: MemoryRow | undefined): StoredEvent | undefined {
  return row?.cells
}

function compare(one: ListPlace, other: ListPlace): number {
  if (one[0] !== other[0]) return one[0] - other[0]
  return one[1] < other[1] ? -1 : one[1] > other[1] ? 1 : 0
}
