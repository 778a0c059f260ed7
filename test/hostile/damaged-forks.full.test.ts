// Damage to the rows of threads and to what forks share, on both stores: checks and copies end, and lose nothing.
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

/** A thread `t` of four events, and its fork `f` at the third, with two of its own. */
async function fill(store: Store): Promise<void> {
  await store.append('t', messages('t', 'a', 'b', 'c', 'd'), { expectedVersion: 0 })
  await store.fork('t', 3, 'f', messages('f', 'y', 'z'))
}

/** The texts of a thread in a copy; what is no text has taken the place of another. */
async function copied(store: Store, threadId: string): Promise<readonly unknown[]> {
  const to = memoryStore()
  await expect(copyStore(store, to)).rejects.toMatchObject({ code: 'store-corrupt' })
  return (await to.read(threadId)).map(({ data }) => (typeof data === 'string' ? data : null))
}

const BEFORE_THE_FORK: readonly (readonly [name: string, sql: string, seq: number])[] = [
  ['is missing', "DELETE FROM events WHERE id = 'b'", 2],
  ['has no time', `UPDATE events SET "timestamp" = 'soon' WHERE id = 'b'`, 2],
  ['is no JSON, the first one', "UPDATE events SET data = '{' WHERE id = 'a'", 1],
  ['is the one it was forked at', "DELETE FROM events WHERE id = 'c'", 3],
]

const CIRCLES: readonly (readonly [name: string, sql: string])[] = [
  ['itself', "UPDATE threads SET base_key = key WHERE thread_id = 'f'"],
  [
    'its fork',
    "UPDATE threads SET base_seq = 4, base_key = (SELECT key FROM threads WHERE thread_id = 'f') WHERE thread_id = 't'",
  ],
]

async function tryAll(store: Store, damage: Damage): Promise<void> {
  const anew = async (sql: string) => {
    for (const threadId of ['f', 't']) await store.delete(threadId)
    await fill(store)
    await damage(sql)
  }
  for (const [name, sql, seq] of BEFORE_THE_FORK) {
    await anew(sql)
    const { problems } = await checkStore(store)
    for (const threadId of ['t', 'f'])
      expect(problems, name).toContainEqual(expect.objectContaining({ threadId, seq }))
    const without = (texts: string[]) => texts.map((text, at) => (at === seq - 1 ? null : text))
    expect(await copied(store, 't'), name).toEqual(without(['a', 'b', 'c', 'd']))
    expect(await copied(store, 'f'), name).toEqual(without(['a', 'b', 'c', 'y', 'z']))
  }
  for (const [name, sql] of CIRCLES) {
    await anew(sql)
    expect((await checkStore(store)).problems, name).not.toEqual([])
    expect((await copied(store, 'f')).slice(3), name).toEqual(['y', 'z'])
    await damage('DELETE FROM events; DELETE FROM threads')
  }
  await fill(store)
  await damage("UPDATE threads SET version = 0 WHERE thread_id = 't'")
  for (const options of [{}, { isRepair: true }])
    expect((await checkStore(store, options)).problems).toMatchObject([
      { threadId: 't', problem: 'the log does not end with the event that was written' },
    ])
}

describe('damage that a fork shares, threads in a circle, and a thread without its length', () => {
  it('end neither a check nor a copy on SQLite, and hide nothing', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      const store = await openSqliteStore(path)
      const db = new Sqlite(path)
      db.exec('DROP TRIGGER events_never_change; PRAGMA foreign_keys = 0')
      await tryAll(store, async (sql) => db.exec(sql))
      db.close()
      await store.close()
    }))

  const { available, notice } = requirement('postgres')
  it.skipIf(!available)(`end neither on PostgreSQL ${notice}`, async () => {
    await withAlterablePostgres(async (store, db) => {
      await db.query('ALTER TABLE threads DROP CONSTRAINT threads_base_key_fkey')
      await tryAll(store, (sql) => db.query(sql))
    })
  })
})
