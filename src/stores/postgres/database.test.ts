// What is in the database, how it waits for others, and schemas of other ages and programs.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresPlace, postgresPlace } from '../../../test/postgres/place.ts'
import { type PostgresServer, startPostgres } from '../../../test/postgres/server.ts'
import { requirement } from '../../../test/require.ts'
import { until } from '../../../test/wait.ts'
import { brief, cancel, expectError, messages } from '../contract/place.ts'
import { INDEX_VERSION } from '../search/search-index.ts'
import { openPostgresStore, type PostgresOptions } from './open-postgres.ts'
import { LOCK_FAMILIES_ALONE } from './statements.ts'

const { available, notice } = requirement('postgres')

describe.skipIf(!available)(`the tables on PostgreSQL ${notice}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({
      fsync: 'off',
      synchronous_commit: 'off',
      wal_writer_delay: '10s',
    })
  })
  afterAll(() => server.remove())

  /** A store, and the same schema through the driver. */
  function onPlace(
    test: (place: PostgresPlace, db: pg.Client) => Promise<void>,
    options?: PostgresOptions,
  ) {
    return async () => {
      const place = await postgresPlace(server, options)
      const db = new pg.Client({ connectionString: place.address.split('?')[0] })
      await db.connect()
      await db.query(`SET search_path TO ${place.schema}`)
      try {
        await test(place, db)
      } finally {
        await db.end().catch(() => undefined) // the server may have been stopped
        await place.remove()
      }
    }
  }

  async function count(db: pg.Client, table: string): Promise<number> {
    return Number((await db.query(`SELECT count(*) FROM ${table}`)).rows[0].count)
  }

  it(
    'do not let an event be changed [LOG-13]',
    onPlace(async ({ store }, db) => {
      await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
      for (const column of ['seq', 'id', 'v', 'type', '"timestamp"', 'data', 'origin', 'source']) {
        const change = db.query(`UPDATE events SET ${column} = ${column}`)
        await expect(change).rejects.toThrow('events never change')
      }
    }),
  )

  it(
    'let an append to a fork wait while rows of its family are moved',
    onPlace(async ({ store }, db) => {
      await store.append('p', messages('p', 'a', 'b', 'c'), { expectedVersion: 0 })
      await store.fork('p', 2, 'f', messages('f', 'x'))
      const waiting = async () => {
        const asked = "SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        return (await db.query<{ mode: string }>(asked)).rows.map(({ mode }) => mode).toSorted()
      }
      await db.query('BEGIN')
      await db.query(LOCK_FAMILIES_ALONE.text)
      const appended = store.append('f', messages('f', 'y'), { expectedVersion: 3 })
      await expect.poll(waiting).toEqual(['ShareLock'])
      const removed = store.delete('p')
      await expect.poll(waiting).toEqual(['ExclusiveLock', 'ShareLock'])
      await db.query('COMMIT')
      expect(await appended).toMatchObject({ version: 4, repeated: false })
      await removed
      expect(await store.info('p')).toBeUndefined()
      expect(brief(await store.read('f'))).toBe('1a 2b 3x 4y')
      // Rows that were the parent's are known as the fork's own.
      const again = await store.append('f', messages('f', 'a', 'b'), { expectedVersion: 0 })
      expect(again).toMatchObject({ repeated: true })
    }),
  )

  it(
    'hold shared rows once, also when their first thread is deleted',
    onPlace(async ({ store }, db) => {
      await store.append('p', messages('p', 'a', 'b', 'c', 'd'), { expectedVersion: 0 })
      const snapshot = { seq: 4, foldVersion: 1, state: null }
      for (const id of ['f', 'g', 'h']) {
        await store.fork('p', 3, id, messages(id, 'x'), { snapshot })
      }
      await store.fork('f', 2, 'i', [])
      expect(await count(db, 'events')).toBe(7)
      await store.delete('p')
      expect(await count(db, 'events')).toBe(6)
      await store.delete('f')
      expect(await count(db, 'events')).toBe(5)
      expect(brief(await store.read('i'))).toBe('1a 2b')
      for (const id of ['g', 'h', 'i']) await store.delete(id)
      for (const table of ['events', 'threads', 'snapshots']) expect(await count(db, table)).toBe(0)
    }),
  )

  it(
    'keep the newest snapshot of the two latest fold versions',
    onPlace(async ({ store }, db) => {
      for (const [version, foldVersion] of [1, 1, 2, 9, 3, 3, 1].entries()) {
        const snapshot = { seq: version + 1, foldVersion, state: null }
        await store.append('t', messages('t', `e${version}`), {
          expectedVersion: version,
          snapshot,
        })
      }
      const { rows } = await db.query('SELECT fold_version, seq FROM snapshots ORDER BY 1')
      expect(rows.map((row) => Object.values(row).map(Number))).toEqual([
        [3, 6],
        [9, 4],
      ])
    }),
  )

  it(
    'are written through to the disk, although the server is told not to wait for it [NEED-13]',
    onPlace(async ({ store }, db) => {
      await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
      db.on('error', () => undefined)
      await server.stop('immediate')
      await server.start()
      expect(brief(await store.read('t'))).toBe('1a')
    }),
  )

  it(
    'know leases by the clock of the server; one that runs too long is cut to its length',
    onPlace(async ({ store }, db) => {
      await store.takeLease('a', 'one', 60_000)
      await db.query('UPDATE leases SET expires_at_ms = expires_at_ms + 3600000')
      expect(await store.takeLease('a', 'two', 1_000)).toBe(false)
      const { rows } = await db.query(
        `SELECT owner, expires_at_ms - extract(epoch FROM clock_timestamp()) * 1000 <= ttl_ms AS cut,
         ttl_ms FROM leases`,
      )
      expect(rows).toEqual([{ owner: 'one', cut: true, ttl_ms: '60000' }])
      await db.query('UPDATE leases SET expires_at_ms = 0')
      expect(await store.takeLease('b', 'two', 1_000)).toBe(true)
      expect(await count(db, 'leases')).toBe(1) // what is over goes
    }),
  )

  it(
    'that another holds make writes wait within a limit, but neither reads nor the event loop',
    onPlace(
      async ({ store }, db) => {
        await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
        await db.query('BEGIN')
        await db.query('SELECT * FROM threads FOR UPDATE')
        const writes = [
          store.append('t', messages('t', 'b'), { expectedVersion: 1 }),
          store.delete('t'),
        ].map((write) => expectError(write, 'store-busy'))
        expect(brief(await store.read('t'))).toBe('1a')
        await Promise.all(writes)
        const late = store.append('t', messages('t', 'b'), { expectedVersion: 1 })
        await db.query('ROLLBACK')
        expect((await late).version).toBe(2)
      },
      { busyTimeoutMs: 200 },
    ),
  )

  it(
    'are left by all connections when the store is closed, also with a follower that is not read',
    onPlace(async ({ store, schema }, db) => {
      await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
      const rows = store.follow('t', 0, cancel().signal)[Symbol.asyncIterator]()
      expect(await rows.next()).toMatchObject({ value: { id: 'a' } })
      const listening = `SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN precis_${schema}'`
      const listeners = async () => Number((await db.query(listening)).rows[0].count)
      await until('a connection that listens', async () => (await listeners()) > 0)
      await store.close()
      await until('the end of all connections', async () => (await listeners()) === 0)
    }),
  )

  it(
    'have an index that is made anew where an older program made it',
    onPlace(async ({ store }, db) => {
      await store.append('t', messages('t', 'kettle'), { expectedVersion: 0 })
      const search = async () => (await store.index?.search({ text: 'kettle' }))?.finds.length
      expect(await search()).toBe(1)
      await db.query(
        `UPDATE search_parts SET words = 'other'; UPDATE search_cursors SET owner = 'x'`,
      )
      expect(await search()).toBe(0)
      await db.query('UPDATE search_cursors SET index_version = 1')
      expect(await search()).toBe(1)
      const { rows } = await db.query('SELECT owner, index_version FROM search_cursors')
      expect(rows).toEqual([{ owner: '', index_version: String(INDEX_VERSION) }])
    }),
  )

  describe('as a schema', () => {
    it('are made once, although many open it at the same moment', async () => {
      const address = server.address('crowded')
      const stores = await Promise.all(Array.from({ length: 6 }, () => openPostgresStore(address)))
      for (const store of stores) {
        expect(await store.list()).toEqual({ items: [] })
        await store.close()
      }
    })

    it(
      'may be brought on by a newer program while this one works; opened anew, it is refused',
      onPlace(async ({ store, address, schema }, db) => {
        await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
        await db.query('BEGIN; ALTER TABLE events ADD COLUMN later text; COMMIT')
        await db.query('ALTER TABLE threads ADD COLUMN later text')
        await db.query('UPDATE precis_schema SET version = 99')
        await store.append('t', messages('t', 'b'), { expectedVersion: 1 })
        await store.fork('t', 1, 'f', messages('f', 'x'))
        expect(brief(await store.read('t'))).toBe('1a 2b')
        expect(brief(await store.read('f'))).toBe('1a 2x')
        await expect(openPostgresStore(address)).rejects.toMatchObject({
          code: 'store-newer',
          details: { version: 99 },
        })
        expect(await count(db, `${schema}.events`)).toBe(3)
      }),
    )

    it('of another program are refused, and nothing is changed', async () => {
      await server.query('CREATE SCHEMA theirs', 'CREATE TABLE theirs.things (name text)')
      await expectError(openPostgresStore(server.address('theirs')), 'usage')
      const tables = await server.query(
        `SELECT relname FROM pg_class WHERE relnamespace = 'theirs'::regnamespace`,
      )
      expect(tables).toEqual([{ relname: 'things' }])
    })

    it('are not made where a store must be there', async () => {
      const opening = openPostgresStore(server.address('mistyped'), { mustExist: true })
      await expectError(opening, 'not-found')
      const made = `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'mistyped%'`
      expect(await server.query(made)).toEqual([])
    })

    it('are needed in a database that holds every script', async () => {
      await server.query(`CREATE DATABASE narrow ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
      const address = server.address('x').replace('/postgres?', '/narrow?')
      await expectError(openPostgresStore(address), 'usage')
    })
  })
})
