// All queries that do not change the database.
import type { Database } from 'better-sqlite3'
import type { QueryWord } from '../../core/search/words.ts'
import { type ChainAnswer, type HashedCells, NO_CHAIN } from '../rows/hash-chain.ts'
import { LIMITS } from '../rows/limits.ts'
import type { ListQuery, ThreadCells, ThreadRow } from '../rows/pages.ts'
import { clipRanges, type Range, type StepAnswer } from '../rows/read-in-steps.ts'
import type { Parent } from '../rows/requests.ts'
import type { SnapshotCells, StoredEvent } from '../rows/stored-event.ts'
import type { SearchHit } from '../search/search-index.ts'
import type { FindRequest, ReadRequest } from './protocol.ts'
import type { Tables } from './tables.ts'
import { findById, type Segment, segments } from './writes.ts'

/** One step of a read: stops at a limit and returns what is left. */
export function read(tables: Tables, request: ReadRequest): StepAnswer {
  const thread = tables.threads.find(request.threadId)
  if (!thread) return { life: undefined, rows: [], rest: [] }
  const rowsOf = ({ key, from, to }: Segment) => tables.events.iterate(key, from, to)
  return { life: thread.key, ...readStep<StoredEvent>(tables, thread, request, rowsOf) }
}

/** The same with the hashes. */
export function readChain(tables: Tables, request: ReadRequest): ChainAnswer {
  const thread = tables.threads.find(request.threadId)
  if (!thread) return NO_CHAIN
  const { key: life, version, head } = thread
  const end = { version, head, forkSeq: thread.parentSeq ?? 0 }
  const rowsOf = ({ key, from, to }: Segment) => tables.events.iterateHashed(key, from, to)
  return { life, ...end, ...readStep<HashedCells>(tables, thread, request, rowsOf) }
}

function readStep<R extends StoredEvent | HashedCells>(
  tables: Tables,
  thread: ThreadRow,
  { ranges, limit }: ReadRequest,
  rowsOf: (segment: Segment) => Iterable<R>,
): { readonly rows: readonly R[]; readonly rest: readonly Range[] } {
  const rows: R[] = []
  let length = 0
  for (const [index, [from, to]] of ranges.entries()) {
    for (const segment of segments(tables, thread, from, to)) {
      for (const row of rowsOf(segment)) {
        rows.push(row)
        length += (row[5]?.length ?? 0) + (row[7]?.length ?? 0)
        if (rows.length < limit && rows.length < LIMITS.stepRows && length < LIMITS.stepLength) {
          continue
        }
        const rest = clipRanges([[row[0] + 1, to], ...ranges.slice(index + 1)], thread.version)
        return { rows, rest }
      }
    }
  }
  return { rows, rest: [] }
}

export function findEvent(
  tables: Tables,
  { threadId, id }: { readonly threadId: string; readonly id: string },
): StoredEvent | undefined {
  const thread = tables.threads.find(threadId)
  return thread && findById(tables, thread, id)
}

export function info(tables: Tables, { threadId }: { readonly threadId: string }) {
  const thread = tables.threads.find(threadId)
  return thread && threadCells(thread)
}

export function snapshot(
  tables: Tables,
  request: { readonly threadId: string; readonly foldVersion: number },
): SnapshotCells | undefined {
  const thread = tables.threads.find(request.threadId)
  return thread && tables.snapshots.find(thread.key, request.foldVersion)
}

export function list(tables: Tables, query: ListQuery): readonly ThreadCells[] {
  const { after, limit, owners } = query
  if (!owners) return tables.threads.page(after, limit).map(threadCells)
  const keys = tables.owners.page(owners, after, limit)
  return keys.flatMap((key) => tables.threads.get(key) ?? []).map(threadCells)
}

export function findParent({ parentId, parentSeq }: ThreadRow): Parent | undefined {
  return parentId === null || parentSeq === null
    ? undefined
    : { threadId: parentId, seq: parentSeq }
}

function threadCells(thread: ThreadRow): ThreadCells {
  const { threadId, version, createdAt, updatedAt } = thread
  const parent = findParent(thread)
  return { threadId, version, createdAt, updatedAt, ...(parent && { parent }) }
}

/** Looks words up in the index. */
export function find(
  tables: Tables,
  { search, count, hasAllWords }: FindRequest,
): readonly SearchHit[] {
  const { threadId } = search
  const thread = threadId === null ? undefined : tables.threads.find(threadId)
  if (threadId !== null && !thread) return []
  const found = tables.search.find({
    ...search,
    count,
    match: search.words.map(findMatch).join(hasAllWords ? ' AND ' : ' OR '),
    segments: thread ? segments(tables, thread, 1, thread.version) : null,
  })
  return found.flatMap(({ key, seq, threadId: owner, part, kind, tool, file }) => {
    const [row] = tables.events.iterate(key, seq, seq)
    return row ? [{ threadId: threadId ?? owner, part, kind, tool, file, row }] : []
  })
}

function findMatch({ word, isPrefix }: QueryWord): string {
  return `"${word.replaceAll('"', '""')}"${isPrefix ? '*' : ''}`
}

/** Detects changes by other connections to followed threads. */
export class OutsideChanges {
  readonly #dataVersion: () => unknown
  readonly #tables: Tables
  readonly #pollMs: number
  readonly #report: (threadIds: readonly string[]) => void
  readonly #seen = new Map<string, string | undefined>() // thread id → its state at the last look
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

  /** Call before a follower's first read, so that later changes are noticed. */
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
      // The followers' own reads fail the same way and report it.
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
