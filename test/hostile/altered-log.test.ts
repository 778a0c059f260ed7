// A log that was altered behind the store: the check names the event, a repair does not accept it, a copy lists it.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/core/ports.ts'
import { checkStore } from '../../src/stores/check-store.ts'
import { inFolder, message, messages } from '../../src/stores/contract/place.ts'
import { copyStore } from '../../src/stores/copy-store.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { Random } from '../generate/random.ts'
import { postgresPlace } from '../postgres/place.ts'
import { startPostgres } from '../postgres/server.ts'
import { requirement } from '../require.ts'
import { seeds } from '../scale.ts'
import { withAlterablePostgres } from './alterable-postgres.ts'

/** Changes one row through the driver and gives its row back; `undo` puts the old value there again. */
interface Door {
  readonly rows: () => Promise<readonly DoorRow[]>
  readonly set: (row: DoorRow, column: string, value: unknown) => Promise<void>
}

type DoorRow = Readonly<Record<string, unknown>> & {
  readonly thread_key: number
  readonly seq: number
}

const TEXTS = ['id', 'type', 'timestamp', 'data', 'origin', 'source', 'hash'] as const
const THREADS = ['a', 'b', 'c', 'd']

/** Random threads, forks of them, and one whose parent is gone. */
async function fill(store: Store, random: Random): Promise<void> {
  const versions = new Map<string, number>()
  for (let step = 0; step < 25; step += 1) {
    const threadId = random.pick(THREADS)
    const version = versions.get(threadId)
    const parents = [...versions.keys()].filter((each) => each !== threadId)
    const ids = Array.from({ length: random.int(1, 4) }, (_, index) => `s${step}.${index}`)
    const events = ids.map((id) => ({
      ...message(threadId, id, `${id} ü "quoted"\n${'text '.repeat(random.int(0, 40))}`),
      ...(random.chance(0.5) && { origin: 'typed' as const }),
      ...(random.chance(0.5) && { source: { raw: `{"at":${step}}` } }),
    }))
    if (version === undefined && parents.length > 0 && random.chance(0.7)) {
      const parent = random.pick(parents)
      const seq = random.int(1, versions.get(parent) ?? 1)
      versions.set(threadId, (await store.fork(parent, seq, threadId, events)).version)
    } else {
      const appended = await store.append(threadId, events, { expectedVersion: version ?? 0 })
      versions.set(threadId, appended.version)
    }
    if (step === 15) {
      const gone = random.pick([...versions.keys()])
      versions.delete(gone)
      await store.delete(gone)
    }
  }
}

/** One character of a text becomes another one, or is gone, or is there twice. */
function altered(text: string, random: Random): string {
  const at = random.int(0, Math.max(0, text.length - 1))
  const [before, sign, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)]
  return random.pick([
    `${before}${sign === 'x' ? 'y' : 'x'}${after}`,
    `${before}${after}§`,
    `${before} ${sign}${after}`,
  ])
}

async function alterEach(store: Store, door: Door, seed: number, times: number): Promise<void> {
  const random = new Random(seed)
  await fill(store, random)
  const clean = await checkStore(store)
  expect(clean, `seed ${seed}`).toMatchObject({ problems: [], unverified: 0 })
  const rows = await door.rows()
  for (let time = 0; time < times; time += 1) {
    const row = random.pick(rows)
    const column = random.pick(TEXTS.filter((each) => typeof row[each] === 'string'))
    const was = String(row[column])
    await door.set(row, column, altered(was, random))
    const { problems } = await checkStore(store)
    const first = new Map(problems.toReversed().map(({ threadId, seq }) => [threadId, seq]))
    expect(first.size, `seed ${seed}: ${column} of ${JSON.stringify(row)}`).toBeGreaterThan(0)
    for (const [threadId, seq] of first)
      expect(seq, `seed ${seed}: ${column} in ${threadId}`).toBe(row.seq)
    await door.set(row, column, was)
  }
  expect(await checkStore(store)).toEqual(clean)
}

const SELECT = 'SELECT * FROM events ORDER BY thread_key, seq'

describe('any character of any stored event', () => {
  it.each(seeds(20, 3))(
    'that is altered on SQLite is found, and its event named (seed %i)',
    (seed) =>
      inFolder(async (folder) => {
        const path = join(folder, 'log.db')
        const store = await openSqliteStore(path)
        const db = new Sqlite(path)
        db.exec('DROP TRIGGER events_never_change')
        await alterEach(
          store,
          {
            rows: async () => db.prepare<[], DoorRow>(SELECT).all(),
            set: async ({ thread_key, seq }, column, value) => {
              db.prepare(`UPDATE events SET ${column} = ? WHERE thread_key = ? AND seq = ?`).run(
                value,
                thread_key,
                seq,
              )
            },
          },
          seed,
          25,
        )
        db.close()
        await store.close()
      }),
  )

  const { available, notice } = requirement('postgres')
  it.skipIf(!available)(
    `that is altered on PostgreSQL is found, and its event named ${notice}`,
    async () => {
      await withAlterablePostgres(async (store, db) => {
        const door: Door = {
          rows: async () =>
            (await db.query(SELECT)).rows.map((row) => ({ ...row, seq: Number(row.seq) })),
          set: async ({ thread_key, seq }, column, value) => {
            const where = 'WHERE thread_key = $2 AND seq = $3'
            await db.query(`UPDATE events SET "${column}" = $1 ${where}`, [value, thread_key, seq])
          },
        }
        for (const seed of seeds(5, 1)) {
          await db.query('DELETE FROM events; DELETE FROM threads')
          await alterEach(store, door, seed, 25)
        }
      })
    },
  )
})

/** A store of one thread, damaged by SQL, and what `use` finds. */
async function damaged(sql: string, use: (store: Store, folder: string) => Promise<void>) {
  await inFolder(async (folder) => {
    const path = join(folder, 'log.db')
    const store = await openSqliteStore(path)
    await store.append('t', messages('t', 'a', 'b', 'c', 'd'), { expectedVersion: 0 })
    const db = new Sqlite(path)
    db.exec(`DROP TRIGGER events_never_change; ${sql}`)
    db.close()
    await use(store, folder)
    await store.close()
  })
}

describe('a log that was edited with care', () => {
  it.each([
    ['its end cut off', 'DELETE FROM events WHERE seq > 2; UPDATE threads SET version = 2', 2],
    ['its middle cut out', 'DELETE FROM events WHERE seq = 2', 2],
    [
      'two events exchanged',
      'UPDATE events SET seq = 5 - seq + 10; UPDATE events SET seq = seq - 10',
      1,
    ],
    ['one hash taken away', 'UPDATE events SET hash = NULL WHERE seq = 2', 3],
    ['the last hash taken away', 'UPDATE events SET hash = NULL WHERE seq = 4', 4],
    ['the hash of the thread taken away', 'UPDATE threads SET head = NULL', 4],
    [
      'its end cut off, and the hash of the thread taken away',
      'DELETE FROM events WHERE seq > 2; UPDATE threads SET version = 2, head = NULL',
      2,
    ],
    ['an event put in with the hash of another', `UPDATE events SET data = '"b"' WHERE seq = 3`, 3],
  ])('with %s is found', (_, sql, seq) =>
    damaged(sql, async (store) => {
      const { problems } = await checkStore(store)
      expect(problems[0]).toMatchObject({ threadId: 't', seq, isMended: false })
    }),
  )
})

describe('a list of threads that was altered', () => {
  it.each([
    ['a thread taken out', 'DELETE FROM threads', '*', /4 events belong to no thread/],
    [
      'a control character in an id',
      "UPDATE threads SET thread_id = 't' || char(27)",
      't\u001b',
      /its id is not one/,
    ],
  ])('with %s is found, and does not end a copy of the others', (_, sql, threadId, problem) =>
    damaged(sql, async (store, folder) => {
      await store.append('other', messages('other', 'x'), { expectedVersion: 0 })
      const { problems, all } = await checkStore(store)
      expect(problems).toMatchObject([
        { threadId, problem: expect.stringMatching(problem), isMended: false },
      ])
      const target = await openSqliteStore(join(folder, 'copy.db'))
      await expect(copyStore(store, target)).rejects.toMatchObject({
        details: { problems: [{ threadId, problem: expect.stringMatching(problem) }] },
      })
      expect((await target.info('other'))?.version).toBe(1)
      expect((await checkStore(target)).problems).toHaveLength(1)
      expect(all).toBeGreaterThan(0)
      await target.close()
    }),
  )
})

describe('what the list says of a thread', () => {
  const ROWS = [
    ['the creation of a thread', "created_at = created_at + 1 WHERE thread_id = 'p'", 'p'],
    ['the last change', "updated_at = updated_at - 1 WHERE thread_id = 'p'", 'p'],
    ['the creation of a fork', "created_at = created_at + 1 WHERE thread_id = 'f'", 'f'],
    ['the last change of a bare fork', "updated_at = 0 WHERE thread_id = 'g'", 'g'],
    ['another parent', "parent_id = 'q' WHERE thread_id = 'f'", 'f'],
    ['another event of the parent', "parent_seq = 1 WHERE thread_id = 'f'", 'f'],
    ['no parent', "parent_id = NULL, parent_seq = NULL WHERE thread_id = 'f'", 'f'],
    ['a parent of its own', "parent_id = 'q', parent_seq = 2 WHERE thread_id = 'p'", 'p'],
  ] as const
  it.each(ROWS)('is compared with its events: %s', (_, sql, threadId) =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      const store = await openSqliteStore(path)
      const at = (thread: string, seconds: number) => ({
        ...message(thread, `${thread}${seconds}`),
        timestamp: new Date(seconds * 1000),
      })
      const begun = { expectedVersion: 0 }
      await store.append('q', [at('q', 1), at('q', 2), at('q', 3), at('q', 4)], begun)
      await store.append('p', [at('p', 1), at('p', 2), at('p', 3)], begun)
      await store.fork('p', 3, 'f', [at('f', 8)])
      await store.fork('f', 2, 'g', [])
      await store.append('g', [at('g', 10)], { expectedVersion: 2 })
      await store.fork('f', 4, 'orphan', [])
      await store.append('f', [at('f', 9)], { expectedVersion: 4 })
      expect((await checkStore(store)).problems).toEqual([])
      const db = new Sqlite(path)
      db.exec(`UPDATE threads SET ${sql}`)
      db.close()
      const { problems } = await checkStore(store, { isRepair: true, isAccept: true })
      expect(problems).toMatchObject([{ threadId, isMended: false }])
      await store.close()
    }),
  )

  it('is not held against a fork whose parent is deleted and made anew', async () => {
    const store = memoryStore()
    await store.append('p', messages('p', 'a', 'b', 'c'), { expectedVersion: 0 })
    await store.fork('p', 2, 'f', messages('f', 'x'))
    await store.delete('p')
    expect((await checkStore(store)).problems).toEqual([])
    const later = { ...message('p', 'other'), timestamp: new Date('2100-01-01') }
    await store.append('p', [later], { expectedVersion: 0 })
    expect((await checkStore(store)).problems).toEqual([])
  })
})

/** As an older program makes it: the fork keeps no hash of its own. Then its parent is deleted. */
async function orphanOfOlder(store: Store, sql: (text: string) => unknown): Promise<void> {
  await store.append('p', messages('p', 'a', 'b', 'c'), { expectedVersion: 0 })
  await store.fork('p', 2, 'f', [])
  await sql("UPDATE threads SET head = NULL WHERE thread_id = 'f'")
  expect((await store.verify?.('f'))?.misfits).toEqual([])
  await store.delete('p')
  await store.append('f', messages('f', 'x'), { expectedVersion: 2 })
  await store.append('f', messages('f', 'y'), { expectedVersion: 3 })
  expect(await store.verify?.('f')).toEqual({ events: 4, unverified: 0, misfits: [] })
  await sql("UPDATE threads SET head = NULL WHERE thread_id = 'f'")
  expect((await store.verify?.('f'))?.misfits).toMatchObject([{ seq: 4 }])
}

describe('a fork by an older program whose parent is gone', () => {
  it('goes on with the hashes of its past', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      const store = await openSqliteStore(path)
      const db = new Sqlite(path)
      await orphanOfOlder(store, (text) => db.exec(text))
      db.close()
      await store.close()
    }))

  const { available, notice } = requirement('postgres')
  it.skipIf(!available)(`goes on with them on PostgreSQL ${notice}`, async () => {
    const server = await startPostgres({ fsync: 'off' })
    const place = await postgresPlace(server)
    const db = new pg.Client({ connectionString: place.address.split('?')[0] })
    try {
      await db.connect()
      await db.query(`SET search_path TO ${place.schema}`)
      await orphanOfOlder(place.store, (text) => db.query(text))
    } finally {
      await db.end()
      await place.remove()
      await server.remove()
    }
  })
})
