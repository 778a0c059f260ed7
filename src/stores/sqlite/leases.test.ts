// Leases in the database: what a clock that is set does to them, and files from before there were any.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { brief, fillStore, inFolder, messages } from '../contract/place.ts'
import { openDatabase } from './open-database.ts'
import { leaseTable } from './search-tables.ts'
import { openSqliteStore } from './store.ts'

const TTL_MS = 1_000
const NOW_MS = Date.UTC(2026, 0, 2)

describe('the table of leases', () => {
  it('gives way after its own length where the clock was set back', () =>
    inFolder(async (folder) => {
      const db = openDatabase(join(folder, 'log.db'), 100)
      const leases = leaseTable(db)
      const two = { name: 'a', owner: 'two', ttlMs: 5 }
      leases.take({ name: 'a', owner: 'one', ttlMs: TTL_MS }, NOW_MS)
      const setBackMs = NOW_MS - 1_000_000
      expect(leases.take(two, setBackMs)).toBe(false)
      expect(leases.take(two, setBackMs + TTL_MS - 1)).toBe(false)
      expect(leases.take(two, setBackMs + TTL_MS)).toBe(true)
      db.close()
    }))

  it('keeps no rows of leases that are over', () =>
    inFolder(async (folder) => {
      const db = openDatabase(join(folder, 'log.db'), 100)
      const leases = leaseTable(db)
      for (let index = 0; index < 50; index += 1) {
        leases.take({ name: `lease ${index}`, owner: 'one', ttlMs: TTL_MS }, NOW_MS + index * 100)
      }
      expect(db.prepare('SELECT count(*) FROM leases').pluck().get()).toBe(10)
      db.close()
    }))
})

describe('a file from before there were leases', () => {
  it('gets them while a process that knows none has it open, and both go on', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      await fillStore(path, 10)
      const old = new Sqlite(path)
      old.exec(`DROP TABLE leases; DROP TABLE search_words; DROP TABLE search_parts;
        DROP TABLE search_cursors; ALTER TABLE events DROP COLUMN hash;
        ALTER TABLE threads DROP COLUMN head; PRAGMA user_version = 1`)
      const insert = old.prepare(
        `INSERT INTO events (thread_key, seq, id, v, type, timestamp, data)
         SELECT key, 11, 'old', 2, 'USER_MESSAGE', '2026-01-02T12:00:00.000Z', '"x"' FROM threads`,
      )
      const count = old.prepare('SELECT count(*) FROM events').pluck()
      // A read that is under way sees the file as it was, and holds nobody up.
      const reading = old.prepare('SELECT seq FROM events').iterate()
      reading.next()
      const store = await openSqliteStore(path)
      expect(await store.takeLease('a', 'one', TTL_MS)).toBe(true)
      expect([...reading]).toHaveLength(9)
      insert.run()
      old.exec('UPDATE threads SET version = 11')
      await store.append('t', messages('t', 'new'), { expectedVersion: 11 })
      expect(brief(await store.read('t', { from: 10 }))).toBe('10e9 11old 12new')
      expect(count.get()).toBe(12)
      // What it has no hash of cannot be verified, and is no fault.
      expect(await store.verify?.('t')).toEqual({ events: 12, unverified: 11, misfits: [] })
      old.close()
      await store.close()
    }))
})
