// `precis store`: a check never writes, what is not a store is not made one, and a copy that fails leaves no target.
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { eachPlace, sample } from './place.ts'

const place = eachPlace()
const path = (name: string) => join(place().folder, name)

/** A store with one session in it. */
async function makeStore(name: string): Promise<void> {
  await place().json(['import', sample('sessions/codex.jsonl')], {
    env: { PRECIS_STORE: path(name) },
  })
}

function change(name: string, sql: string): void {
  const db = new Sqlite(path(name))
  db.exec(sql)
  db.close()
}

const files = () => readdirSync(place().folder).filter((name) => !name.startsWith('.'))

describe('precis store check', () => {
  it.each([
    ['an empty file', () => '', 'it is empty'],
    ['a text', () => '{"a": 1}\n'.repeat(99), 'is not a SQLite database'],
    ['a short text', () => 'x\n', 'is not a SQLite database'],
  ])('refuses %s, and leaves it as it is', async (_, content, why) => {
    place().write('other.db', content())
    for (const more of [[], ['--repair']]) {
      const { status, stderr } = await place().precis(['store', 'check', 'other.db', ...more])
      expect(stderr).toContain(why)
      expect(status).toBe(1)
      expect(place().read('other.db')).toBe(content())
    }
    expect(files()).toEqual(['other.db'])
  })

  it.each([
    ['CREATE TABLE x (y)', 'is not a store: it is a database of another program'],
    ['PRAGMA user_version = 0', 'is not a store: it is empty'],
    [`PRAGMA application_id = ${0x70726373}; CREATE TABLE x (y)`, 'it has no threads and events'],
  ])('refuses a database without the tables of a store: %s', async (sql, why) => {
    change('other.db', sql)
    const before = readFileSync(path('other.db'))
    const { status, stderr } = await place().precis(['store', 'check', 'other.db'])
    expect(stderr).toContain(why)
    expect(status).toBe(1)
    expect(readFileSync(path('other.db')).equals(before)).toBe(true)
    expect((await place().precis(['store', 'copy', 'other.db', 'copy.db'])).status).toBe(1)
    expect(readFileSync(path('other.db')).equals(before)).toBe(true)
    expect(files()).toEqual(['other.db'])
  })

  it.each([
    ['of today', ''],
    [
      'of an older version',
      'ALTER TABLE events DROP COLUMN hash; ALTER TABLE threads DROP COLUMN head; PRAGMA user_version = 4',
    ],
  ])('changes no byte of a store %s', async (_, sql) => {
    await makeStore('own.db')
    if (sql !== '') change('own.db', sql)
    const before = readFileSync(path('own.db'))
    const { mtimeMs } = statSync(path('own.db'))
    const { status, stdout, stderr } = await place().precis(['store', 'check', 'own.db'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('1 thread with ')
    expect(stdout.includes('events without a hash')).toBe(sql !== '')
    expect(stdout).toContain('nothing is wrong')
    expect(readFileSync(path('own.db')).equals(before)).toBe(true)
    expect(statSync(path('own.db')).mtimeMs).toBe(mtimeMs)
    expect(files()).toEqual(['own.db'])
  })

  it('leaves changes beside the file that another process has not merged', async () => {
    await makeStore('own.db')
    const db = new Sqlite(path('own.db'))
    for (const sign of '+-') db.exec(`UPDATE threads SET updated_at = updated_at ${sign} 1`)
    for (const end of ['', '-wal']) copyFileSync(path(`own.db${end}`), path(`crashed.db${end}`))
    db.close()
    const before = readFileSync(path('crashed.db'))
    const waiting = readFileSync(path('crashed.db-wal'))
    expect((await place().precis(['store', 'check', 'crashed.db'])).status).toBe(0)
    expect(readFileSync(path('crashed.db')).equals(before)).toBe(true)
    expect(readFileSync(path('crashed.db-wal')).equals(waiting)).toBe(true)
  })

  it('makes no store of the user where there is none', async () => {
    const { status, stdout } = await place().precis(['store', 'check'])
    expect(stdout).toContain('0 threads with 0 events')
    expect(status).toBe(0)
    expect(existsSync(place().home)).toBe(false)
  })
})

describe('precis store copy', () => {
  const PAGE = 4_096

  function damage(name: string, from: number, length: number): void {
    const file = openSync(path(name), 'r+')
    writeSync(file, Buffer.alloc(length, 0x5a), 0, length, from)
    closeSync(file)
  }

  it('leaves no target behind where nothing was copied', async () => {
    await makeStore('own.db')
    damage('own.db', PAGE, statSync(path('own.db')).size - PAGE)
    const { status, stderr } = await place().precis(['store', 'copy', 'own.db', 'c2.db'])
    expect(stderr).toContain('precis: ')
    expect(status).toBe(1)
    expect(files()).toEqual(['own.db'])
  })

  it('leaves no target behind where no thread could be copied, and keeps one that was there', async () => {
    await makeStore('own.db')
    const db = new Sqlite(path('own.db'), { readonly: true })
    const root = db
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'")
      .pluck()
      .get()
    db.close()
    damage('own.db', (Number(root) - 1) * PAGE, PAGE)
    const copy = () => place().precis(['store', 'copy', 'own.db', 'c2.db'])
    expect((await copy()).status).toBe(1)
    expect(files()).toEqual(['own.db'])
    await place().json(['import', sample('sessions/pi.jsonl')], {
      env: { PRECIS_STORE: path('c2.db') },
    })
    expect((await copy()).status).toBe(1)
    expect(files()).toEqual(['c2.db', 'own.db'])
  })
})
