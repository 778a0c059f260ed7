// The SQL of threads and events: one prepared statement per question.
import type { Database } from 'better-sqlite3'
import type { HashedCells } from '../rows/hash-chain.ts'
import type { ListPlace, ThreadRow } from '../rows/pages.ts'
import type { StoredEvent } from '../rows/stored-event.ts'
import {
  type LeaseTable,
  leaseTable,
  type OwnerTable,
  ownerTable,
  type SearchTables,
  type SnapshotTable,
  searchTables,
  snapshotTable,
} from './search-tables.ts'

export interface Tables {
  readonly threads: ThreadTable
  readonly events: EventTable
  readonly snapshots: SnapshotTable
  readonly leases: LeaseTable
  readonly owners: OwnerTable
  readonly search: SearchTables
}

/** The search index is derived: damage to it shows only when it is used. */
export function buildTables(db: Database): Tables {
  let search: SearchTables | undefined
  let owners: OwnerTable | undefined
  return {
    threads: threadTable(db),
    events: eventTable(db),
    snapshots: snapshotTable(db),
    leases: leaseTable(db),
    get owners() {
      owners ??= ownerTable(db)
      return owners
    },
    get search() {
      search ??= searchTables(db)
      return search
    },
  }
}

type ThreadTable = ReturnType<typeof threadTable>
type EventTable = ReturnType<typeof eventTable>

const THREAD = `SELECT key, thread_id AS threadId, version, created_at AS createdAt,
  updated_at AS updatedAt, parent_id AS parentId, parent_seq AS parentSeq,
  base_key AS baseKey, base_seq AS baseSeq, head FROM threads`
const CELLS = 'seq, id, v, type, timestamp, data, origin, source'
const EVENT = `SELECT ${CELLS} FROM events`
const STRETCH = 'FROM events WHERE thread_key = ? AND seq BETWEEN ? AND ? ORDER BY seq'

function threadTable(db: Database) {
  const byId = db.prepare<[string], ThreadRow>(`${THREAD} WHERE thread_id = ?`)
  const byKey = db.prepare<[number], ThreadRow>(`${THREAD} WHERE key = ?`)
  const byBase = db.prepare<[number], ThreadRow>(
    `${THREAD} WHERE base_key = ? ORDER BY base_seq DESC`,
  )
  const insert = db.prepare<unknown[]>(
    `INSERT INTO threads (thread_id, version, created_at, updated_at, parent_id, parent_seq,
     base_key, base_seq, head) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const grow = db.prepare<[number, number, string, number]>(
    'UPDATE threads SET version = ?, updated_at = ?, head = ? WHERE key = ?',
  )
  const rebase = db.prepare<[number | null, number, number]>(
    'UPDATE threads SET base_key = ?, base_seq = ? WHERE key = ?',
  )
  const remove = db.prepare<[number]>('DELETE FROM threads WHERE key = ?')
  const order = 'ORDER BY updated_at DESC, thread_id DESC LIMIT ?'
  const first = db.prepare<[number], ThreadRow>(`${THREAD} ${order}`)
  const following = db.prepare<[number, string, number], ThreadRow>(
    `${THREAD} WHERE (updated_at, thread_id) < (?, ?) ${order}`,
  )
  return {
    find: (threadId: string) => byId.get(threadId),
    get: (key: number) => byKey.get(key),
    /** Threads that share rows with this one, largest share first. */
    sharing: (key: number) => byBase.all(key),
    create: (row: Omit<ThreadRow, 'key'>): number => {
      const { threadId, version, createdAt, updatedAt, parentId, parentSeq } = row
      const own = [threadId, version, createdAt, updatedAt, parentId, parentSeq]
      return Number(insert.run(...own, row.baseKey, row.baseSeq, row.head).lastInsertRowid)
    },
    grow: (key: number, version: number, updatedAt: number, head: string) =>
      grow.run(version, updatedAt, head, key),
    rebase: (key: number, baseKey: number | null, baseSeq: number) =>
      rebase.run(baseKey, baseSeq, key),
    remove: (key: number) => remove.run(key),
    page: (after: ListPlace | undefined, limit: number) =>
      after ? following.all(...after, limit) : first.all(limit),
  }
}

function eventTable(db: Database) {
  const insert = db.prepare<unknown[]>(
    `INSERT INTO events (thread_key, ${CELLS}, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread_key, id) DO NOTHING`,
  )
  const byId = db
    .prepare<[number, string, number], StoredEvent>(
      `${EVENT} WHERE thread_key = ? AND id = ? AND seq <= ?`,
    )
    .raw()
  const stretch = db
    .prepare<[number, number, number], StoredEvent>(`SELECT ${CELLS} ${STRETCH}`)
    .raw()
  const hashed = db
    .prepare<[number, number, number], HashedCells>(`SELECT ${CELLS}, hash ${STRETCH}`)
    .raw()
  const lastHash = db
    .prepare<[number, number, number], string>(
      `SELECT hash ${STRETCH.replace('seq BETWEEN', 'hash IS NOT NULL AND seq BETWEEN')} DESC LIMIT 1`,
    )
    .pluck()
  const remove = db.prepare<[number]>('DELETE FROM events WHERE thread_key = ?')
  const moveUpTo = db.prepare<[number, number, number]>(
    'UPDATE events SET thread_key = ? WHERE thread_key = ? AND seq <= ?',
  )
  const strays = db
    .prepare<[], number>(
      'SELECT count(*) FROM events WHERE thread_key NOT IN (SELECT key FROM threads)',
    )
    .pluck()
  return {
    /** False, without effect, if the thread has an event with this id. */
    insert: (key: number, row: StoredEvent, hash: string) =>
      insert.run(key, ...row, hash).changes === 1,
    find: (key: number, id: string, upToSeq: number) => byId.get(key, id, upToSeq),
    iterate: (key: number, from: number, to: number) => stretch.iterate(key, from, to),
    iterateHashed: (key: number, from: number, to: number) => hashed.iterate(key, from, to),
    /** The last hash in the range. */
    lastHash: (key: number, from: number, to: number) => lastHash.get(key, from, to),
    countStrays: () => strays.get() ?? 0,
    remove: (key: number) => remove.run(key),
    moveUpTo: (seq: number, from: number, to: number) => moveUpTo.run(to, from, seq),
  }
}
