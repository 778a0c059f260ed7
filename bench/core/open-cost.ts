// Opening a long thread with a small context beside a short one with the same: history must not be read.
import { join } from 'node:path'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { Random } from '../../test/generate/random.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, millisOf } from '../measure.ts'
import { conversation, summaryBeforeTail } from './conversation.ts'
import { fillThread, inFolder, progress, threadsOver } from './place.ts'
import type { Settings } from './settings.ts'

interface Stored {
  readonly path: string
  readonly threadId: string
}

export async function openCost(settings: Settings): Promise<Answered[]> {
  return inFolder(async (folder) => {
    const long = await store(join(folder, 'long.db'), settings.longEvents, settings)
    const short = await store(join(folder, 'short.db'), settings.shortEvents, settings)
    progress(`open: ${settings.openRounds} rounds`)
    const rounds = { rounds: settings.openRounds }
    const first = await interleave(
      { long: () => readFirst(long), short: () => readFirst(short) },
      rounds,
    )
    const whole = await interleave(
      {
        long: () => millisOf(() => readFirst(long)),
        short: () => millisOf(() => readFirst(short)),
      },
      rounds,
    )
    const again = await readAgain(long, short, settings.openRounds * 2)
    const { longEvents, shortEvents, contextEntries } = settings
    const few = `of ${shortEvents.toLocaleString('en-US')} events`
    const what = `context and messages, ${contextEntries} entries of ${longEvents.toLocaleString('en-US')} events`
    const goal = { is: 'at most', ratio: 2 } as const
    const question = { unit: 'ms', reference: few, goal } as const
    return [
      compare(
        { ...question, id: 'open', subject: `${what}, a fresh store` },
        first.long,
        first.short,
      ),
      compare(
        { ...question, id: 'open-warm', subject: 'the same on a store that was used before' },
        again.long,
        again.short,
      ),
      compare(
        { ...question, id: 'open-whole', subject: 'the same with opening and closing the store' },
        whole.long,
        whole.short,
      ),
    ]
  })
}

/** A thread of so many events in a database of its own, all but the last entries under one summary. */
async function store(path: string, events: number, settings: Settings): Promise<Stored> {
  const { seed, eventChars, contextEntries } = settings
  progress(`open: building ${events} events`)
  const random = new Random(seed)
  const log = await openSqliteStore(path)
  const strategy = summaryBeforeTail(random, contextEntries - 1)
  const threads = threadsOver(log, [strategy])
  const threadId = await fillThread(threads, conversation(random, events - 2, eventChars))
  const outcome = await threads.compact(threadId, strategy.id)
  const { items } = await threads.context(threadId)
  await log.close()
  if (!outcome.committed || items.length !== contextEntries)
    throw new Error(`the compaction left ${items.length} entries, not ${contextEntries}`)
  return { path, threadId }
}

/** Milliseconds for the context and the messages, on a store that has read nothing yet. */
async function readFirst({ path, threadId }: Stored): Promise<number> {
  const log = await openSqliteStore(path)
  const ms = await millisOf(() => read(log, threadId))
  await log.close()
  return ms
}

/** The same without what a new database thread costs: only what depends on the thread is left. */
async function readAgain(long: Stored, short: Stored, rounds: number) {
  const longLog = await openSqliteStore(long.path)
  const shortLog = await openSqliteStore(short.path)
  const series = await interleave(
    {
      long: () => millisOf(() => read(longLog, long.threadId)),
      short: () => millisOf(() => read(shortLog, short.threadId)),
    },
    { rounds, warmUps: 5 },
  )
  await longLog.close()
  await shortLog.close()
  return series
}

async function read(log: Awaited<ReturnType<typeof openSqliteStore>>, threadId: string) {
  const threads = threadsOver(log)
  await threads.context(threadId)
  const { messages } = await threads.messages(threadId)
  if (messages.length === 0) throw new Error('a thread without messages was opened')
}
