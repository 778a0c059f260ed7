// Batches of events through the SQLite store, beside bare inserts of the same bytes.
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { NewEvent } from '../../src/core/log/event.ts'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { Random } from '../../test/generate/random.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, millisOf } from '../measure.ts'
import { prose } from './conversation.ts'
import { benchIds, inFolder, progress } from './place.ts'
import type { Settings } from './settings.ts'

const BATCH_SIZES = [1, 10, 100, 1_000]
/** The size for which the goal holds. */
const JUDGED_SIZE = 100
const THREAD = 'thr_bench'

export async function batchCost(settings: Settings): Promise<Answered[]> {
  const figures: Answered[] = []
  for (const size of BATCH_SIZES) {
    const on = { id: `batch-${size}`, what: `${size.toLocaleString('en-US')} a batch, SQLite` }
    const judged = size === JUDGED_SIZE
    figures.push(await inFolder((folder) => costOfSize(size, on, judged, settings, folder)))
  }
  const on = { id: `batch-${JUDGED_SIZE}-memory`, what: `${JUDGED_SIZE} a batch, files in memory` }
  const measure = (folder: string) => costOfSize(JUDGED_SIZE, on, true, settings, folder)
  return [...figures, await inFolder(measure, MEMORY_FOLDER)]
}

/** Where there is no disk to wait for, the work of the store shows alone. Linux has such a folder. */
const MEMORY_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

async function costOfSize(
  size: number,
  on: { readonly id: string; readonly what: string },
  judged: boolean,
  settings: Settings,
  folder: string,
): Promise<Answered> {
  const { seed, eventChars, batchEvents, batchRounds } = settings
  const batchCount = Math.min(10, Math.ceil(batchEvents / size))
  progress(`batch: ${batchRounds} rounds of ${batchCount} × ${on.what}`)
  const random = new Random(seed)
  const store = await openSqliteStore(join(folder, 'store.db'))
  const bare = bareInserts(join(folder, 'bare.db'))
  let version = 0
  const perSecond = (ms: number) => (size * batchCount * 1_000) / ms
  const batches = () =>
    Array.from({ length: batchCount }, () => newEvents(random, size, eventChars))
  const series = await interleave(
    {
      store: async () => {
        const all = batches()
        return perSecond(
          await millisOf(async () => {
            for (const events of all)
              ({ version } = await store.append(THREAD, events, { expectedVersion: version }))
          }),
        )
      },
      bare: async () => {
        const all = batches().map(rowsOf)
        return perSecond(
          await millisOf(async () => {
            for (const rows of all) bare.insert(rows)
          }),
        )
      },
    },
    // Two threads wait for each other here: a round that was interrupted says nothing.
    { rounds: batchRounds, warmUps: 3, budgetMs: settings.budgetMs, keep: 0.2 },
  )
  await store.close()
  bare.close()
  const question = {
    id: on.id,
    unit: 'events/s',
    subject: `store.append, ${on.what}`,
    reference: 'bare inserts of the same bytes',
    ...(judged && { goal: { is: 'at least', ratio: 0.6 } as const }),
  } as const
  return compare(question, series.store, series.bare)
}

function newEvents(random: Random, count: number, chars: number): NewEvent[] {
  return Array.from({ length: count }, () => ({
    v: 1,
    id: benchIds.next('evt'),
    threadId: THREAD,
    timestamp: new Date(),
    type: 'USER_MESSAGE',
    data: prose(random, chars),
    origin: 'typed',
  }))
}

type Row = readonly unknown[]

function rowsOf(events: readonly NewEvent[]): Row[] {
  return events.map(({ id, v, type, timestamp, data, origin }) => [
    id,
    v,
    type,
    timestamp.toISOString(),
    JSON.stringify(data),
    origin ?? null,
    null,
  ])
}

/** The least that keeps these rows safely: the settings, the table and the index of the store. */
function bareInserts(path: string) {
  const db = new Sqlite(path)
  for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'wal_autocheckpoint = 4000'])
    db.pragma(setting)
  db.exec(`
    CREATE TABLE events (
      thread_key INTEGER NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, v INTEGER NOT NULL,
      type TEXT NOT NULL, timestamp TEXT NOT NULL, data TEXT NOT NULL, origin TEXT, source TEXT,
      PRIMARY KEY (thread_key, seq)
    ) STRICT;
    CREATE UNIQUE INDEX events_by_id ON events (thread_key, id);`)
  const insert = db.prepare('INSERT INTO events VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)')
  let seq = 0
  const insertAll = db.transaction((rows: readonly Row[]) => {
    for (const row of rows) {
      seq += 1
      insert.run(seq, ...row)
    }
  })
  return { insert: insertAll.immediate, close: () => db.close() }
}
