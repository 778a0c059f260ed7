// A long thread beside a short one with the same context, opened; and the long one searched.
import type { Store } from '../../src/core/ports.ts'
import { Random } from '../../test/generate/random.ts'
import { conversation, prose, summaryBeforeTail } from '../core/conversation.ts'
import { fillThread, progress, threadsOver } from '../core/place.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, millisOf } from '../measure.ts'
import type { BenchDatabase } from './databases.ts'
import type { Settings } from './settings.ts'

export async function openAndSearchCost(
  settings: Settings,
  database: BenchDatabase,
): Promise<Answered[]> {
  const long = await build(settings, database, 'long', settings.longEvents)
  const short = await build(settings, database, 'short', settings.shortEvents)
  progress(`open: ${settings.openRounds} rounds, ${database.name}`)
  const series = await interleave(
    { long: () => readFirst(database, long), short: () => readFirst(database, short) },
    { rounds: settings.openRounds },
  )
  const count = (events: number) => events.toLocaleString('en-US')
  const open = compare(
    {
      id: `open-${database.id}`,
      unit: 'ms',
      subject: `context and messages of ${count(settings.longEvents)} events, a fresh store, ${database.name}`,
      reference: `of ${count(settings.shortEvents)} events`,
      goal: { is: 'at most', ratio: 2 },
    },
    series.long,
    series.short,
  )
  return [open, await searchCost(settings, database, long)]
}

interface Stored {
  readonly name: string
  readonly threadId: string
}

export async function build(
  settings: Settings,
  database: BenchDatabase,
  name: string,
  events: number,
): Promise<Stored> {
  const { seed, eventChars, contextEntries } = settings
  progress(`open: building ${events} events, ${database.name}`)
  const random = new Random(seed)
  const store = await database.open(name)
  const strategy = summaryBeforeTail(random, contextEntries - 1)
  const threads = threadsOver(store, [strategy])
  const threadId = await fillThread(threads, conversation(random, events - 2, eventChars))
  const outcome = await threads.compact(threadId, strategy.id)
  await store.close()
  if (!outcome.committed) throw new Error('the thread of the benchmark could not be compacted')
  return { name, threadId }
}

/** Milliseconds for the context and the messages, on a store that has read nothing yet. */
export async function readFirst(
  database: BenchDatabase,
  { name, threadId }: Stored,
): Promise<number> {
  const store = await database.open(name)
  const threads = threadsOver(store)
  const ms = await millisOf(async () => {
    await threads.context(threadId)
    await threads.messages(threadId)
  })
  await store.close()
  return ms
}

/** Half of the queries are words that are all over the log, half names that stand in it once. */
async function searchCost(
  settings: Settings,
  database: BenchDatabase,
  { name, threadId }: Stored,
): Promise<Answered> {
  const random = new Random(settings.seed)
  const store = await database.open(name)
  const names = Array.from({ length: settings.queries }, (_, index) => `wantedName${index}`)
  const drafts = names.map((each) => ({ type: 'USER_MESSAGE' as const, data: `see ${each}` }))
  await threadsOver(store).append(threadId, drafts)
  progress(`search: indexing ${settings.longEvents} events, ${database.name}`)
  const indexMs = await millisOf(() => indexOf(store).catchUp())
  progress(`search: indexed in ${Math.round(indexMs)} ms; ${settings.queries} queries`)
  const times: number[] = []
  for (const [index, each] of names.entries()) {
    const text = index % 2 === 0 ? each : prose(random, 12)
    times.push(await millisOf(() => indexOf(store).search({ text })))
  }
  await store.close()
  const sorted = times.toSorted((one, other) => one - other)
  const quantile = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  return compare(
    {
      id: `search-${database.id}`,
      unit: 'ms',
      subject: `a search in ${settings.longEvents.toLocaleString('en-US')} events, 99th of 100, ${database.name}`,
      reference: 'the median',
    },
    [quantile(0.99)],
    [quantile(0.5)],
  )
}

function indexOf(store: Store) {
  if (!store.index) throw new Error('this store cannot be searched')
  return store.index
}
