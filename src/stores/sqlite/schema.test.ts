// Checking a file while another process makes a store of it.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { inFolder } from '../contract/place.ts'
import { checkDatabase, migrate, SCHEMA_VERSION } from './open-database.ts'

describe('checking a new file', () => {
  it.each([1, 2])(
    'sees it as it was at the first read, although it becomes a store after read %i',
    (moment) =>
      inFolder(async (folder) => {
        const path = join(folder, 'log.db')
        const db = new Sqlite(path)
        db.pragma('journal_mode = WAL')
        const other = new Sqlite(path)
        const pragma = db.pragma.bind(db)
        let reads = 0
        db.pragma = (source, options) => {
          const value = pragma(source, options)
          reads += 1
          if (reads === moment) migrate(other, path)
          return value
        }
        expect(checkDatabase(db, path)).toBe(0)
        expect(reads).toBe(2)
        expect(checkDatabase(db, path)).toBe(SCHEMA_VERSION)
        other.close()
        db.close()
      }),
  )
})
