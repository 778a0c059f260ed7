// The hash chain: appends with it beside the same without it, and a thread opened with hashes beside one without.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import type { NewEvent } from '../../src/core/log/event.ts'
import { growStatement, linkAfter } from '../../src/stores/postgres/append-statement.ts'
import { Session } from '../../src/stores/postgres/database.ts'
import { appendRequest } from '../../src/stores/rows/requests.ts'
import { openDatabase } from '../../src/stores/sqlite/open-database.ts'
import { buildTables } from '../../src/stores/sqlite/tables.ts'
import { append, readTime } from '../../src/stores/sqlite/writes.ts'
import { Random } from '../../test/generate/random.ts'
import { inFolder, progress } from '../core/place.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, millisOf } from '../measure.ts'
import { newEvents } from './append-cost.ts'
import type { BenchDatabase } from './databases.ts'
import { build, readFirst } from './open-and-search-cost.ts'
import type { Settings } from './settings.ts'

const BATCH = 100
/** Openings differ by little and take little: so many rounds for each one of a long thread. */
const OPENS_FOR_ONE = 5
const GOAL = { is: 'at most', ratio: 1.1 } as const

export async function chainCost(settings: Settings, database: BenchDatabase): Promise<Answered[]> {
  progress(`chain: ${BATCH} a batch, ${database.name}`)
  const isSqlite = database.id === 'sqlite'
  const cost = isSqlite ? await sqliteCost(settings) : await postgresCost(settings, database)
  const appended = compare(
    {
      id: `chain-append-${database.id}`,
      unit: 'ms',
      subject: `one append of ${BATCH} events with their hashes, ${database.name}`,
      reference: 'the same without hashes',
      goal: GOAL,
    },
    cost.chained,
    cost.plain,
  )
  return [appended, await openCost(settings, database)]
}

type Append = (events: readonly NewEvent[]) => Promise<void>

/** Milliseconds of one append, in turns. */
function inTurns(
  { seed, eventChars, batchRounds, budgetMs }: Settings,
  ways: Record<'chained' | 'plain', Append>,
) {
  const random = new Random(seed)
  const time = (way: 'chained' | 'plain') => () => {
    const events = newEvents(random, BATCH, eventChars, way)
    return millisOf(() => ways[way](events))
  }
  return interleave(
    { chained: time('chained'), plain: time('plain') },
    { rounds: batchRounds, warmUps: 3, budgetMs, keep: 0.2 },
  )
}

/** What a store does for an append: it encodes, copies to the thread of the database, and writes there. */
async function sqliteCost(settings: Settings) {
  let series: Awaited<ReturnType<typeof inTurns>> | undefined
  await inFolder(async (folder) => {
    const db = openDatabase(join(folder, 'chain.db'), 1_000)
    const tables = buildTables(db)
    const versions = { chained: 0, plain: 0 }
    const commit = (work: () => void) => {
      db.exec('BEGIN IMMEDIATE')
      work()
      db.exec('COMMIT')
    }
    const requestOf = (way: 'chained' | 'plain', events: readonly NewEvent[]) => {
      const request = appendRequest(way, events, { expectedVersion: versions[way] })
      versions[way] += events.length
      return structuredClone(request)
    }
    const plain = (request: ReturnType<typeof appendRequest>) => {
      const thread = tables.threads.find(request.threadId)
      const last = request.rows.at(-1)
      if (!thread || !last) return void append(tables, request)
      for (const row of request.rows) tables.events.insert(thread.key, row, '')
      tables.threads.grow(thread.key, last[0], readTime(last), '')
    }
    series = await inTurns(settings, {
      chained: async (events) => commit(() => append(tables, requestOf('chained', events))),
      plain: async (events) => commit(() => plain(requestOf('plain', events))),
    })
    db.close()
  })
  if (!series) throw new Error('nothing was measured')
  return series
}

async function postgresCost(settings: Settings, database: BenchDatabase) {
  const store = await database.open('chain')
  const versions = { chained: 1, plain: 1 }
  for (const threadId of ['chained', 'plain'])
    await store.append(threadId, newEvents(new Random(1), 1, 10, threadId), { expectedVersion: 0 })
  const client = new pg.Client({ connectionString: database.bareAddress })
  await client.connect()
  await client.query('SET search_path TO chain')
  const session = new Session(client)
  const write = async (way: 'chained' | 'plain', events: readonly NewEvent[]) => {
    const before = versions[way]
    const { rows } = appendRequest(way, events, { expectedVersion: before })
    const values = { threadId: way, before, rows }
    const [statement, parameters] =
      way === 'chained' ? growStatement('plain', values) : withoutHashes(values)
    if ((await session.rows(statement, parameters)).length !== 1) throw new Error('not appended')
    versions[way] += events.length
  }
  try {
    return await inTurns(settings, {
      chained: (events) => write('chained', events),
      plain: (events) => write('plain', events),
    })
  } finally {
    await client.end()
    await store.close()
  }
}

type Values = Parameters<typeof growStatement>[1]

/** The same statement with empty texts for hashes: nobody computes any. */
function withoutHashes(values: Values): ReturnType<typeof growStatement> {
  const [{ name, text }] = growStatement('plain', { ...values, rows: [] })
  const full = text.replace(linkAfter('coalesce(head, $12::text)'), "''")
  const columns = [1, 2, 3, 4, 5, 6, 7].map((column) => values.rows.map((row) => row[column]))
  const last = values.rows.at(-1)
  const filled = [values.threadId, values.before, last ? readTime(last) : null, ...columns]
  return [{ name: `${name}-bare`, text: full }, [...filled, values.rows.map(() => '')]]
}

async function openCost(settings: Settings, database: BenchDatabase): Promise<Answered> {
  const chained = await build(settings, database, 'hashed', settings.shortEvents)
  const plain = await build(settings, database, 'unhashed', settings.shortEvents)
  await rewrite(database, 'hashed', 'hash = hash', 'head = head')
  await rewrite(database, 'unhashed', 'hash = NULL', 'head = NULL')
  const series = await interleave(
    { chained: () => readFirst(database, chained), plain: () => readFirst(database, plain) },
    { rounds: OPENS_FOR_ONE * settings.openRounds, warmUps: 5, keep: 0.2 },
  )
  return compare(
    {
      id: `chain-open-${database.id}`,
      unit: 'ms',
      subject: `context and messages of ${settings.shortEvents.toLocaleString('en-US')} events with hashes, ${database.name}`,
      reference: 'of as many without',
      goal: GOAL,
    },
    series.chained,
    series.plain,
  )
}

/** Both sides are rewritten and packed alike: else the one whose pages lie in order would open sooner. */
async function rewrite(
  database: BenchDatabase,
  name: 'hashed' | 'unhashed',
  hash: string,
  head: string,
): Promise<void> {
  const update = `UPDATE events SET ${hash}; UPDATE threads SET ${head}`
  if (database.id === 'sqlite') {
    const db = new Sqlite(database.address(name))
    db.exec(`${update}; VACUUM`)
    db.close()
    return
  }
  const client = new pg.Client({ connectionString: database.bareAddress })
  await client.connect()
  await client.query(`SET search_path TO ${name}; ${update}`)
  await client.query(`VACUUM FULL ${name}.events`)
  await client.end()
}
