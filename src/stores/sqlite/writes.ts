// Appends to a thread inside a transaction, and finds the rows of a forked thread.

import { versionConflict } from '../errors.ts'
import { computeHashes, NO_HASH } from '../rows/hash-chain.ts'
import type { ThreadRow } from '../rows/pages.ts'
import type { AppendRequest, WriteAnswer } from '../rows/requests.ts'
import { recognise } from '../rows/requests.ts'
import type { StoredEvent } from '../rows/stored-event.ts'
import type { Tables } from './tables.ts'

/** A range of rows stored under one key. */
export interface Segment {
  readonly key: number
  readonly from: number
  readonly to: number
}

/** The rows from `from` to `to` of a thread, oldest first. */
export function segments(
  tables: Tables,
  thread: ThreadRow,
  from: number,
  to: number,
): readonly Segment[] {
  const found: Segment[] = []
  let last = Math.min(to, thread.version)
  let owner: ThreadRow | undefined = thread
  while (owner && from <= last) {
    const first = Math.max(from, owner.baseSeq + 1)
    if (first <= last) found.push({ key: owner.key, from: first, to: last })
    last = Math.min(last, owner.baseSeq)
    owner = findParent(tables, owner)
  }
  return found.reverse()
}

/** Its own shared rows end earlier; only damage makes a circle. */
function findParent(tables: Tables, { baseKey, baseSeq }: ThreadRow): ThreadRow | undefined {
  const base = baseKey === null ? undefined : tables.threads.get(baseKey)
  return base && base.baseSeq < baseSeq ? base : undefined
}

/** The thread that owns row `seq`: a fork at a shared row shares with its owner. */
export function findOwner(tables: Tables, thread: ThreadRow, seq: number): ThreadRow {
  let owner = thread
  while (seq <= owner.baseSeq) {
    const base = findParent(tables, owner)
    if (!base) break
    owner = base
  }
  return owner
}

/** The last hash up to a sequence number. */
export function lastHash(tables: Tables, thread: ThreadRow, upToSeq: number): string {
  for (const { key, from, to } of segments(tables, thread, 1, upToSeq).toReversed()) {
    const hash = tables.events.lastHash(key, from, to)
    if (hash !== undefined) return hash
  }
  return NO_HASH
}

/** The rows of a log with these ids, up to a sequence number, in the order of `rows`. */
export function findByIds(
  tables: Tables,
  thread: ThreadRow,
  rows: readonly StoredEvent[],
  upToSeq: number,
): readonly (StoredEvent | undefined)[] {
  const places = segments(tables, thread, 1, upToSeq)
  return rows.map(([, id]) => findIn(tables, places, id))
}

/** The row of a log with this id. */
export function findById(tables: Tables, thread: ThreadRow, id: string): StoredEvent | undefined {
  return findIn(tables, segments(tables, thread, 1, thread.version), id)
}

function findIn(tables: Tables, places: readonly Segment[], id: string): StoredEvent | undefined {
  for (const { key, to } of places) {
    const found = tables.events.find(key, id, to)
    if (found) return found
  }
  return undefined
}

/** Appending to a thread, inside a transaction. */
export function append(tables: Tables, request: AppendRequest): WriteAnswer {
  const { threadId, expectedVersion, rows } = request
  const thread = tables.threads.find(threadId)
  const version = thread?.version ?? 0
  // Try the ordinary case first; only if it fails look the ids up one by one.
  if (version === expectedVersion && write(tables, thread, request)) return {}
  const stored = thread && recognise(threadId, rows, findByIds(tables, thread, rows, version))
  if (stored) return { stored }
  throw versionConflict(threadId, expectedVersion, version)
}

/**
 * Inserts rows behind the hash `before` and returns the last hash. Undefined if an id exists: some rows may
 * be written by then, and the `id-conflict` undoes the whole append.
 */
export function insertRows(
  tables: Tables,
  key: number,
  rows: readonly StoredEvent[],
  before: string,
): string | undefined {
  const hashes = computeHashes(before, rows)
  for (const [index, row] of rows.entries())
    if (!tables.events.insert(key, row, hashes[index] ?? NO_HASH)) return undefined
  return hashes.at(-1) ?? before
}

/** The time of an event, in ms since 1970. */
export function readTime(row: StoredEvent): number {
  return Date.parse(row[4])
}

function write(tables: Tables, thread: ThreadRow | undefined, request: AppendRequest): boolean {
  const { threadId, rows, snapshot } = request
  const [first, last] = [rows[0], rows.at(-1)]
  if (thread && sharesAnId(tables, thread, rows)) return false
  const key = thread?.key ?? (first && begin(tables, threadId, first))
  if (key === undefined) return true
  const head = insertRows(tables, key, rows, readHead(tables, thread))
  if (head === undefined) return false
  if (last) tables.threads.grow(key, last[0], readTime(last), head)
  if (snapshot) tables.snapshots.put(key, snapshot)
  return true
}

/** The index on ids covers only a thread's own rows, not shared ones. */
function sharesAnId(tables: Tables, thread: ThreadRow, rows: readonly StoredEvent[]): boolean {
  if (thread.baseKey === null) return false
  return findByIds(tables, thread, rows, thread.baseSeq).some((found) => found !== undefined)
}

/** A thread of an older version has no hash yet, but if it was a fork, its past may have hashes. */
function readHead(tables: Tables, thread: ThreadRow | undefined): string {
  return thread ? (thread.head ?? lastHash(tables, thread, thread.version)) : NO_HASH
}

function begin(tables: Tables, threadId: string, first: StoredEvent): number {
  const time = readTime(first)
  return tables.threads.create({
    threadId,
    version: 0,
    createdAt: time,
    updatedAt: time,
    parentId: null,
    parentSeq: null,
    baseKey: null,
    baseSeq: 0,
    head: NO_HASH,
  })
}
