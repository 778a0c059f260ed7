// Appends through a store beside bare prepared inserts of the same bytes; with the index behind, and caught up.
import type { NewEvent } from '../../src/core/log/event.ts'
import { Random } from '../../test/generate/random.ts'
import { prose } from '../core/conversation.ts'
import { benchIds, progress } from '../core/place.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, millisOf } from '../measure.ts'
import type { BareRow } from './bare.ts'
import type { BenchDatabase } from './databases.ts'
import type { Settings } from './settings.ts'

const BATCH_SIZES = [1, 10, 100]
/** The size for which the goal holds, as for the other figures of appends. */
const JUDGED_SIZE = 100
const BATCHES_PER_ROUND = 3

export async function appendCost(settings: Settings, database: BenchDatabase): Promise<Answered[]> {
  const answers: Answered[] = []
  for (const size of BATCH_SIZES) answers.push(await costOfSize(settings, database, size, false))
  answers.push(await costOfSize(settings, database, JUDGED_SIZE, true))
  return [...answers, await costTogether(settings, database)]
}

/** Threads of one process that append at the same time, as on a server. */
const TOGETHER = 16

async function costTogether(settings: Settings, database: BenchDatabase): Promise<Answered> {
  const { seed, eventChars, batchRounds, budgetMs } = settings
  const what = `${TOGETHER} threads at once, 1 a batch, ${database.name}`
  progress(`append: ${what}`)
  const random = new Random(seed)
  const store = await database.open('append_together')
  const threadIds = Array.from({ length: TOGETHER }, (_, index) => `thr_${index}`)
  const perSecond = (ms: number) => (TOGETHER * 1_000) / ms
  let version = 0
  const series = await interleave(
    {
      store: async () => {
        const all = threadIds.map((threadId) => newEvents(random, 1, eventChars, threadId))
        const ms = await millisOf(() =>
          Promise.all(
            all.map((events, index) =>
              store.append(threadIds[index] ?? '', events, { expectedVersion: version }),
            ),
          ),
        )
        version += 1
        return perSecond(ms)
      },
      bare: async () => {
        const all = threadIds.map(() => rowsOf(newEvents(random, 1, eventChars)))
        const ms = await millisOf(async () => {
          for (const rows of all) await database.bare.insert(rows)
        })
        return perSecond(ms)
      },
    },
    { rounds: batchRounds, warmUps: 3, budgetMs, keep: 0.2 },
  )
  await store.close()
  return compare(
    {
      id: `append-together-${database.id}`,
      unit: 'events/s',
      subject: `store.append, ${what}`,
      reference: 'bare prepared inserts of the same bytes, one after the other',
    },
    series.store,
    series.bare,
  )
}

async function costOfSize(
  settings: Settings,
  database: BenchDatabase,
  size: number,
  isCaughtUp: boolean,
): Promise<Answered> {
  const { seed, eventChars, batchRounds, budgetMs } = settings
  const what = `${size} a batch, ${database.name}${isCaughtUp ? ', the index caught up' : ''}`
  progress(`append: ${what}`)
  const random = new Random(seed)
  const store = await database.open(`append_${size}${isCaughtUp ? '_indexed' : ''}`)
  const batches = () =>
    Array.from({ length: BATCHES_PER_ROUND }, () => newEvents(random, size, eventChars))
  const perSecond = (ms: number) => (size * BATCHES_PER_ROUND * 1_000) / ms
  let version = 0
  const series = await interleave(
    {
      store: async () => {
        const all = batches()
        const ms = await millisOf(async () => {
          for (const events of all)
            ({ version } = await store.append(THREAD, events, { expectedVersion: version }))
          if (isCaughtUp) await store.index?.catchUp()
        })
        return perSecond(ms)
      },
      bare: async () => {
        const all = batches().map(rowsOf)
        const ms = await millisOf(async () => {
          for (const rows of all) await database.bare.insert(rows)
        })
        return perSecond(ms)
      },
    },
    { rounds: batchRounds, warmUps: 3, budgetMs, keep: 0.2 },
  )
  await store.close()
  const isJudged = size === JUDGED_SIZE && !isCaughtUp
  return compare(
    {
      id: `append-${size}${isCaughtUp ? '-indexed' : ''}-${database.id}`,
      unit: 'events/s',
      subject: `store.append, ${what}`,
      reference: 'bare prepared inserts of the same bytes',
      ...(isJudged && { goal: { is: 'at least', ratio: 0.6 } as const }),
    },
    series.store,
    series.bare,
  )
}

const THREAD = 'thr_bench'

export function newEvents(
  random: Random,
  count: number,
  chars: number,
  threadId = THREAD,
): NewEvent[] {
  return Array.from({ length: count }, () => ({
    ...{ v: 2, id: benchIds.next('evt'), threadId, timestamp: new Date() },
    ...{ type: 'USER_MESSAGE', data: prose(random, chars), origin: 'typed' },
  })) as NewEvent[]
}

function rowsOf(events: readonly NewEvent[]): BareRow[] {
  return events.map(({ id, v, type, timestamp, data, origin }) => [
    ...[id, v, type, timestamp.toISOString(), JSON.stringify(data)],
    ...[origin ?? null, null],
  ])
}
