// The least that keeps rows safely: the driver alone, prepared inserts into a table with the same indexes.
import Sqlite from 'better-sqlite3'
import pg from 'pg'

/** The columns of an event: all but its thread and its number. */
export type BareRow = readonly unknown[]

export interface Bare {
  /** One prepared insert for each, in one transaction. */
  insert(rows: readonly BareRow[]): Promise<void>
  close(): Promise<void>
}

const TABLE = `CREATE TABLE IF NOT EXISTS bare (thread_key bigint NOT NULL, seq bigint NOT NULL,
  id text NOT NULL, v bigint NOT NULL, type text NOT NULL, "timestamp" text NOT NULL,
  data text NOT NULL, origin text, source text, PRIMARY KEY (thread_key, seq))`
const INDEX = 'CREATE UNIQUE INDEX IF NOT EXISTS bare_by_id ON bare (thread_key, id)'
const BUSY_MS = 10_000

/** The same durability as a store: written ahead, and synced with every commit. */
export function bareSqlite(path: string, key = 1): Bare {
  const db = new Sqlite(path, { timeout: BUSY_MS })
  for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'wal_autocheckpoint = 4000'])
    db.pragma(setting)
  db.exec(`${TABLE}; ${INDEX}`)
  const insert = db.prepare('INSERT INTO bare VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  let seq = 0
  const insertAll = db.transaction((rows: readonly BareRow[]) => {
    for (const row of rows) {
      seq += 1
      insert.run(key, seq, ...row)
    }
  })
  return { insert: async (rows) => insertAll.immediate(rows), close: async () => void db.close() }
}

export async function barePostgres(connectionString: string, key = 1): Promise<Bare> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(`${TABLE}; ${INDEX}`)
  const text = 'INSERT INTO bare VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)'
  let seq = 0
  return {
    insert: async (rows) => {
      if (rows.length > 1) await client.query('BEGIN')
      for (const row of rows) {
        seq += 1
        await client.query({ name: 'bare', text, values: [key, seq, ...row] })
      }
      if (rows.length > 1) await client.query('COMMIT')
    },
    close: () => client.end(),
  }
}
