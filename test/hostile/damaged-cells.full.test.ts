// Damage to single cells, on both stores: checks, repairs and copies end, name the thread and take what can be read.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/core/ports.ts'
import { checkStore } from '../../src/stores/check-store.ts'
import { inFolder, messages } from '../../src/stores/contract/place.ts'
import { copyStore } from '../../src/stores/copy-store.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { requirement } from '../require.ts'
import { withAlterablePostgres } from './alterable-postgres.ts'

type Damage = (sql: string) => Promise<unknown>

/** `t` has the events a to d, `other` has one. What a copy has of `t`; null is what took another's place. */
interface Damaged {
  readonly name: string
  readonly sql: string
  readonly seq: number
  readonly problem: string
  readonly copied: readonly (string | null)[]
}

const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
const WHOLE = ['a', 'b', 'c', 'd']
const UNREAD = ['a', null, 'c', 'd']

const DAMAGES: readonly Damaged[] = [
  ...['1000000000000', '9223372036854775807'].map((version) => ({
    name: `version ${version}`,
    sql: `UPDATE threads SET version = ${version} WHERE thread_id = 't'`,
    seq: 5,
    problem: 'it is missing, and so are',
    copied: WHOLE,
  })),
  {
    name: 'the last event far behind the others',
    sql: `UPDATE threads SET version = 1000000000000 WHERE thread_id = 't';
      UPDATE events SET seq = 1000000000000 WHERE id = 'd'`,
    seq: 4,
    problem: 'it is missing, and so are',
    copied: ['a', 'b', 'c'],
  },
  {
    name: 'content that is nested too deeply',
    sql: `UPDATE events SET data = '${DEEP}' WHERE id = 'b'`,
    seq: 2,
    problem: 'data',
    copied: UNREAD,
  },
  {
    name: 'a source that is nested too deeply',
    sql: `UPDATE events SET source = '${DEEP}' WHERE id = 'b'`,
    seq: 2,
    problem: 'it is not what was written',
    copied: UNREAD,
  },
  {
    name: 'no content',
    sql: `UPDATE events SET data = NULL WHERE id = 'b'`,
    seq: 2,
    problem: 'data',
    copied: UNREAD,
  },
]

async function tryAll(store: Store, damage: Damage): Promise<void> {
  for (const { name, sql, seq, problem, copied } of DAMAGES) {
    await damage('DELETE FROM events; DELETE FROM threads')
    await store.append('t', messages('t', 'a', 'b', 'c', 'd'), { expectedVersion: 0 })
    await store.append('other', messages('other', 'x'), { expectedVersion: 0 })
    await damage(sql)
    expect(await store.read('t'), name).toHaveLength(4)
    for (const options of [{}, { isRepair: true, isAccept: true }]) {
      const { threads, problems } = await checkStore(store, options)
      expect(threads, name).toBe(2)
      expect(new Set(problems.map(({ threadId }) => threadId)), name).toEqual(new Set(['t']))
      const at = problems.filter((each) => each.seq === seq).map((each) => each.problem)
      expect(at.join('\n'), name).toContain(problem)
    }
    const to = memoryStore()
    const failed = { code: 'store-corrupt', details: { problems: expect.anything() } }
    for (const _ of ['first', 'again'])
      await expect(copyStore(store, to), name).rejects.toMatchObject(failed)
    const texts = (await to.read('t')).map(({ data }) => (typeof data === 'string' ? data : null))
    expect(texts, name).toEqual(copied)
    expect((await to.info('other'))?.version, name).toBe(1)
  }
}

describe('checks and copies of stores with a damaged cell', () => {
  it('end on SQLite, and name it', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      const store = await openSqliteStore(path)
      const db = new Sqlite(path)
      db.exec('DROP TRIGGER events_never_change')
      db.unsafeMode(true)
      db.pragma('writable_schema = 1')
      db.exec("UPDATE sqlite_schema SET sql = replace(sql, 'data TEXT NOT NULL', 'data TEXT')")
      db.close()
      await store.close()
      const again = await openSqliteStore(path)
      const damaging = new Sqlite(path)
      await tryAll(again, async (sql) => damaging.exec(sql))
      damaging.close()
      await again.close()
    }))

  const { available, notice } = requirement('postgres')
  it.skipIf(!available)(`end on PostgreSQL, and name it ${notice}`, async () => {
    await withAlterablePostgres(async (store, db) => {
      await db.query('ALTER TABLE events ALTER COLUMN data DROP NOT NULL')
      await tryAll(store, (sql) => db.query(sql))
    })
  })
})
