// The databases that are measured: a store on each, and the bare driver beside it.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import type { Store } from '../../src/core/ports.ts'
import { openStore } from '../../src/stores/index.ts'
import type { PostgresServer } from '../../test/postgres/server.ts'

/** The columns of an event: all but its thread and its number. */
export type BareRow = readonly unknown[]

export interface BenchDatabase {
  readonly id: string
  readonly name: string
  /** The address of a store, empty at first. */
  address(name: string): string
  open(name: string): Promise<Store>
  /** The least that keeps these rows safely: one prepared insert for each, in one transaction. */
  insert(rows: readonly BareRow[]): Promise<void>
  close(): Promise<void>
}

const COLUMNS = `thread_key bigint NOT NULL, seq bigint NOT NULL, id text NOT NULL, v bigint NOT NULL,
  type text NOT NULL, "timestamp" text NOT NULL, data text NOT NULL, origin text, source text,
  PRIMARY KEY (thread_key, seq)`
const INDEX = 'CREATE UNIQUE INDEX bare_by_id ON bare (thread_key, id)'

export function sqliteDatabase(folder: string): BenchDatabase {
  const db = new Sqlite(join(folder, 'bare.db'))
  for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'wal_autocheckpoint = 4000'])
    db.pragma(setting)
  db.exec(`CREATE TABLE bare (${COLUMNS}); ${INDEX}`)
  const insert = db.prepare('INSERT INTO bare VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)')
  let seq = 0
  const insertAll = db.transaction((rows: readonly BareRow[]) => {
    for (const row of rows) {
      seq += 1
      insert.run(seq, ...row)
    }
  })
  const address = (name: string) => join(folder, `${name}.db`)
  return {
    id: 'sqlite',
    name: 'SQLite',
    address,
    open: (name) => openStore(address(name)),
    insert: async (rows) => insertAll.immediate(rows),
    close: async () => void db.close(),
  }
}

export async function postgresDatabase(server: PostgresServer): Promise<BenchDatabase> {
  const client = new pg.Client({ connectionString: server.address('x').split('?')[0] })
  await client.connect()
  await client.query(`CREATE TABLE bare (${COLUMNS}); ${INDEX}`)
  const text = 'INSERT INTO bare VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8)'
  let seq = 0
  return {
    id: 'postgres',
    name: 'PostgreSQL',
    address: (name) => server.address(name),
    open: (name) => openStore(server.address(name)),
    insert: async (rows) => {
      if (rows.length > 1) await client.query('BEGIN')
      for (const row of rows) {
        seq += 1
        await client.query({ name: 'bare', text, values: [seq, ...row] })
      }
      if (rows.length > 1) await client.query('COMMIT')
    },
    close: () => client.end(),
  }
}
