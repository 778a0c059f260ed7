// Files that are no store, or no longer one: each has its sentence, and nothing is changed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '../../core/errors.ts'
import { expectError, fillStore, inFolder, messages } from '../contract/place.ts'
import { SCHEMA_VERSION } from './open-database.ts'
import { openSqliteStore } from './store.ts'

const NOT_OURS: Readonly<Record<string, readonly [ErrorCode, (path: string) => void]>> = {
  'a text': ['store-corrupt', (path) => writeFileSync(path, 'not a database '.repeat(500))],
  'the database of another program': ['usage', (path) => change(path, 'CREATE TABLE x (y)')],
  'the mark of another program': ['usage', (path) => change(path, 'PRAGMA application_id = 9')],
}

describe('opening', () => {
  it.each(Object.entries(NOT_OURS))('%s is refused and not changed', (_, [code, make]) =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      make(path)
      const before = readFileSync(path)
      await expectError(openSqliteStore(path), code)
      expect(readFileSync(path).equals(before)).toBe(true)
    }),
  )

  it.each([undefined, 5, '', 'a\0b'])('%j is refused: it is no path of a file', async (path) => {
    await expectError(openSqliteStore(path as string), 'usage')
  })

  it('a store of a newer version is refused and not changed', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      await fillStore(path, 10)
      change(path, 'PRAGMA user_version = 99')
      const before = readFileSync(path)
      await expect(openSqliteStore(path)).rejects.toMatchObject({
        code: 'store-newer',
        where: path,
        details: { version: 99, known: SCHEMA_VERSION },
      })
      expect(readFileSync(path).equals(before)).toBe(true)
      change(path, `PRAGMA user_version = ${SCHEMA_VERSION}`)
      const store = await openSqliteStore(path)
      expect(await store.read('t')).toHaveLength(10)
      await store.close()
    }))

  it('a path that cannot be a file is refused', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'file')
      mkdirSync(join(folder, 'folder'))
      writeFileSync(file, 'a file')
      const paths = [join(folder, 'folder'), join(file, 'log.db'), '/dev/null', '', 'a\u0000b']
      for (const path of paths) await expectError(openSqliteStore(path), 'usage')
    }))

  it('an empty file becomes a store', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      writeFileSync(path, '')
      await fillStore(path, 1)
    }))
})

describe('damage', () => {
  it('to the header is told on opening', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      await fillStore(path, 10)
      overwrite(path, 0, 100)
      await expectError(openSqliteStore(path), 'store-corrupt')
    }))

  it('to the pages is told by the calls that meet it', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      await fillStore(path, 200)
      const schemaPages = 4096 * 3
      overwrite(path, schemaPages, Number.MAX_SAFE_INTEGER)
      const store = await openSqliteStore(path)
      await expectError(store.read('t'), 'store-corrupt')
      const append = store.append('t', messages('t', 'more'), { expectedVersion: 200 })
      await expectError(append, 'store-corrupt')
      await store.close()
    }))

  it('to the search index hinders nothing else, and goes away when that is made anew', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      await fillStore(path, 20)
      const store = await openSqliteStore(path)
      await store.append('t', messages('t', 'kettle'), { expectedVersion: 20 })
      const search = async () => (await store.index?.search({ text: 'kettle' }))?.finds.length
      expect(await search()).toBe(1)
      change(path, `UPDATE search_words_data SET block = x'0011223344' WHERE id > 10`)
      await expect(search()).rejects.toMatchObject({
        code: 'store-corrupt',
        hint: expect.stringContaining('--repair'),
      })
      await store.append('t', messages('t', 'more'), { expectedVersion: 21 })
      await store.index?.rebuild()
      expect(await search()).toBe(1)
      await store.close()
    }))
})

function change(path: string, sql: string): void {
  const db = new Sqlite(path)
  db.unsafeMode() // or the tables of the index could not be written
  db.exec(sql)
  db.close()
}

function overwrite(path: string, from: number, to: number): void {
  const bytes = readFileSync(path)
  bytes.fill(0xa5, from, Math.min(to, bytes.length))
  writeFileSync(path, bytes)
}
