// A log whose hashes an older program wrote, in hex: it is verified, goes on with those of today, and stays so.
import { hash } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { expect, it } from 'vitest'
import type { Store } from '../../src/core/ports.ts'
import { inFolder, messages } from '../../src/stores/contract/place.ts'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { postgresPlace } from '../postgres/place.ts'
import { startPostgres } from '../postgres/server.ts'
import { requirement } from '../require.ts'

type Sql = (text: string, ...values: unknown[]) => Promise<Readonly<Record<string, string>>[]>

const half = (text: string) => hash('sha256', text).slice(0, 32)

/** What was hashed of an event. */
function textOf(before: string, row: Readonly<Record<string, string>>): string {
  const { seq, id, v, type, timestamp, data = '' } = row
  return `${before}${seq}\n${id}\n${v}\n${type}\n${timestamp}\n-\n${data.length}\n-\n${data}`
}

/** Puts the hashes of the older form in the place of today's. */
async function makeOlder(sql: Sql, hashOf: typeof textOf): Promise<void> {
  let head = ''
  for (const row of await sql('SELECT * FROM events ORDER BY seq')) {
    head = half(hashOf(head, row))
    await sql(`UPDATE events SET hash = $1 WHERE seq = ${row.seq}`, head)
  }
  await sql('UPDATE threads SET head = $1', head)
}

async function expectToGoOn(older: Store, sql: Sql, again: () => Promise<Store>): Promise<void> {
  expect(await older.verify?.('t')).toEqual({ events: 4, unverified: 0, misfits: [] })
  const store = await again()
  await store.append('t', messages('t', 'e', 'f', 'g'), { expectedVersion: 4 })
  await store.append('t', messages('t', 'h'), { expectedVersion: 7 })
  expect(await store.verify?.('t')).toEqual({ events: 8, unverified: 0, misfits: [] })
  for (const { seq = '', data } of await sql('SELECT seq, data FROM events')) {
    await sql(`UPDATE events SET data = '"other"' WHERE seq = ${seq}`)
    expect((await store.verify?.('t'))?.misfits).toMatchObject([{ seq: Number(seq) }])
    await sql(`UPDATE events SET data = $1 WHERE seq = ${seq}`, data)
  }
  expect((await store.verify?.('t'))?.misfits).toEqual([])
}

const fill = (store: Store) =>
  store.append('t', messages('t', 'a', 'b', 'c', 'd'), { expectedVersion: 0 })

it('is verified on SQLite, event by event', () =>
  inFolder(async (folder) => {
    const path = `${folder}/log.db`
    const store = await openSqliteStore(path)
    await fill(store)
    const db = new Sqlite(path)
    db.exec('DROP TRIGGER events_never_change; PRAGMA user_version = 5')
    const sql: Sql = async (text, ...values) => {
      const statement = db.prepare<unknown[], Readonly<Record<string, string>>>(
        text.replace('$1', '?'),
      )
      if (statement.reader) return statement.all(...values)
      statement.run(...values)
      return []
    }
    await makeOlder(sql, textOf)
    const opened: Store[] = [store]
    await expectToGoOn(store, sql, async () => {
      const next = await openSqliteStore(path)
      opened.push(next)
      return next
    })
    expect(db.pragma('user_version', { simple: true })).toBe(6)
    db.close()
    for (const each of opened) await each.close()
  }))

const { available, notice } = requirement('postgres')
it.skipIf(!available)(`is verified on PostgreSQL, event by event ${notice}`, async () => {
  const server = await startPostgres({ fsync: 'off' })
  const place = await postgresPlace(server)
  const db = new pg.Client({ connectionString: place.address.split('?')[0] })
  try {
    await db.connect()
    const sql: Sql = async (text, ...values) => (await db.query(text, values)).rows
    await sql(`SET search_path TO ${place.schema}`)
    await sql('DROP TRIGGER events_never_change ON events')
    await fill(place.store)
    await makeOlder(sql, (before, row) => before + half(textOf('', row)))
    await sql('DROP FUNCTION link_hashes')
    await sql('UPDATE precis_schema SET version = 4')
    await expectToGoOn(place.store, sql, place.again)
  } finally {
    await db.end()
    await place.remove()
    await server.remove()
  }
})
