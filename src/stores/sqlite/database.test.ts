// What is in the database file, and how it waits for others.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { pretendWork } from '../../../test/wait.ts'
import type { Store } from '../../core/ports.ts'
import { brief, expectError, inFolder, message, messages } from '../contract/place.ts'
import { LIMITS } from '../rows/limits.ts'
import { INDEX_VERSION } from '../search/search-index.ts'
import { openDatabase } from './open-database.ts'
import { openSqliteStore, type SqliteOptions } from './store.ts'

/** A store, and the same file through the driver. */
function onFile(
  test: (store: Store, db: Sqlite.Database) => Promise<void>,
  options: SqliteOptions = {},
) {
  return () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      const store = await openSqliteStore(path, options)
      const db = new Sqlite(path)
      try {
        await test(store, db)
      } finally {
        db.close()
        await store.close()
      }
    })
}

function rowsIn(db: Sqlite.Database): number {
  return Number(db.prepare('SELECT count(*) FROM events').pluck().get())
}

describe('the database file', () => {
  it('and the files beside it are private, as are folders made for it', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'deep', 'er', 'log.db')
      const store = await openSqliteStore(path)
      await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
      const mode = (file: string) => (statSync(file).mode & 0o777).toString(8)
      expect([path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual(['600', '600', '600'])
      const folders = [join(folder, 'deep'), join(folder, 'deep', 'er')]
      expect(folders.map(mode)).toEqual(['700', '700'])
      await store.close()
    }))

  it('is written ahead, and synced with every commit [NEED-13]', () =>
    inFolder(async (folder) => {
      const db = openDatabase(join(folder, 'log.db'), 100)
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
      expect(db.pragma('synchronous', { simple: true })).toBe(2)
      db.close()
    }))

  it(
    'does not let an event be changed [LOG-13]',
    onFile(async (store, db) => {
      await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
      for (const column of ['seq', 'id', 'v', 'type', 'timestamp', 'data', 'origin', 'source']) {
        expect(() => db.exec(`UPDATE events SET ${column} = 7`)).toThrow('events never change')
      }
    }),
  )

  it(
    'needs no other table or column for usage [LOG-03]',
    onFile(async (store, db) => {
      const schema = () => db.prepare('SELECT * FROM sqlite_schema').all()
      await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
      const before = schema()
      const tokenUsage = { promptTokens: 100, completionTokens: 50, totalTokens: 150 }
      const data = { content: 'x', calls: [], tokenUsage }
      const answer = { ...message('t', 'b'), type: 'AGENT_MESSAGE' as const, data }
      await store.append('t', [answer], { expectedVersion: 1 })
      expect(schema()).toEqual(before)
      expect((await store.read('t')).map((row) => row.data)).toEqual(['a', data])
    }),
  )

  it(
    'holds shared rows once, also when their first thread is deleted',
    onFile(async (store, db) => {
      await store.append('p', messages('p', 'a', 'b', 'c', 'd'), { expectedVersion: 0 })
      const snapshot = { seq: 4, foldVersion: 1, state: null }
      for (const id of ['f', 'g', 'h']) {
        await store.fork('p', 3, id, messages(id, 'x'), { snapshot })
      }
      await store.fork('f', 2, 'i', [])
      expect(rowsIn(db)).toBe(7)
      await store.delete('p')
      expect(rowsIn(db)).toBe(6)
      await store.delete('f')
      expect(rowsIn(db)).toBe(5)
      expect(brief(await store.read('i'))).toBe('1a 2b')
      for (const id of ['g', 'h', 'i']) await store.delete(id)
      expect(rowsIn(db)).toBe(0)
      for (const table of ['threads', 'snapshots']) {
        expect(db.prepare(`SELECT * FROM ${table}`).all()).toEqual([])
      }
    }),
  )

  it(
    'keeps the newest snapshot of the two latest fold versions',
    onFile(async (store, db) => {
      for (const [version, foldVersion] of [1, 1, 2, 3, 3].entries()) {
        const snapshot = { seq: version + 1, foldVersion, state: null }
        const options = { expectedVersion: version, snapshot }
        await store.append('t', messages('t', `e${version}`), options)
      }
      const kept = db.prepare('SELECT fold_version, seq FROM snapshots').raw().all()
      expect(kept).toEqual([
        [2, 3],
        [3, 5],
      ])
    }),
  )

  it(
    'gives damaged content as it is, and a damaged snapshot not at all',
    onFile(async (store, db) => {
      const snapshot = { seq: 2, foldVersion: 1, state: 1 }
      await store.append('t', messages('t', 'a', 'b'), { expectedVersion: 0, snapshot })
      db.exec('DROP TRIGGER events_never_change')
      db.exec(`UPDATE events SET data = '{"half', source = '' WHERE seq = 1`)
      db.exec(`UPDATE snapshots SET state = '['`)
      const rows = await store.read('t')
      expect(rows[0]).toMatchObject({ data: { unreadable: '{"half' }, source: { unreadable: '' } })
      expect(rows[1]?.data).toBe('b')
      expect(await store.snapshot('t', 1)).toBeUndefined()
    }),
  )

  it(
    'that another process holds makes writes wait, but neither reads nor the event loop',
    onFile(
      async (store, db) => {
        await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
        db.exec('BEGIN IMMEDIATE')
        const writes = [
          store.append('t', messages('t', 'b'), { expectedVersion: 1 }),
          store.delete('t'),
        ].map((write) => expectError(write, 'store-busy'))
        expect(brief(await store.read('t'))).toBe('1a')
        let [turns, isOver] = [0, false]
        const writing = Promise.all(writes).then(() => {
          isOver = true
        })
        for (; !isOver && turns < 10_000; turns += 1) await pretendWork(5)
        await writing
        expect(turns).toBeGreaterThan(3)
        db.exec('ROLLBACK')
        expect(brief(await store.read('t'))).toBe('1a')
      },
      { busyTimeoutMs: 300 },
    ),
  )

  it(
    'that another process holds for a while takes the writes that waited',
    onFile(async (store, db) => {
      await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
      db.exec('BEGIN IMMEDIATE')
      const late = store.append('t', messages('t', 'b'), { expectedVersion: 1 })
      expect(brief(await store.read('t'))).toBe('1a')
      db.exec('ROLLBACK')
      expect((await late).version).toBe(2)
    }),
  )

  it(
    'that another process writes is searched all the same, where nothing is new',
    onFile(async (store, db) => {
      await store.append('t', messages('t', 'kettle'), { expectedVersion: 0 })
      const search = async () => (await store.index?.search({ text: 'kettle' }))?.finds.length
      expect(await search()).toBe(1)
      db.exec('BEGIN IMMEDIATE')
      expect(await search()).toBe(1)
      db.exec('ROLLBACK')
    }),
  )

  it(
    'has each part of a long event once in its index, also where the indexing was interrupted',
    onFile(async (store, db) => {
      const long = message('t', 'long', 'so and so many words '.repeat(60_000))
      await store.append('t', [long], { expectedVersion: 0 })
      const parts = () => db.prepare('SELECT part FROM search_parts ORDER BY part').pluck().all()
      await store.index?.catchUp()
      const all = parts()
      expect(all).toEqual(all.map((_, index) => index))
      expect(all.length).toBeGreaterThan(LIMITS.indexParts)
      // As the first step leaves it.
      db.exec(`DELETE FROM search_words WHERE rowid > ${LIMITS.indexParts};
        DELETE FROM search_parts WHERE id > ${LIMITS.indexParts};
        UPDATE search_cursors SET to_seq = 0`)
      expect((await store.index?.search({ text: 'words' }))?.finds).toHaveLength(1)
      expect(parts()).toEqual(all)
    }),
  )

  it(
    'has an index that is made anew where an older program made it',
    onFile(async (store, db) => {
      await store.append('t', messages('t', 'kettle'), { expectedVersion: 0 })
      const search = async () => (await store.index?.search({ text: 'kettle' }))?.finds.length
      await store.index?.catchUp()
      // As that program does it, which knows neither owners nor versions.
      db.exec(`DELETE FROM search_cursors; DELETE FROM search_parts;
        INSERT INTO search_words (search_words) VALUES ('delete-all');
        INSERT INTO search_cursors (thread_key, from_seq, to_seq, awaited) VALUES (1, 0, 1, '[]')`)
      expect(await search()).toBe(1)
      const cursors = db.prepare('SELECT owner, index_version FROM search_cursors').raw().all()
      expect(cursors).toEqual([['', INDEX_VERSION]])
    }),
  )
})
