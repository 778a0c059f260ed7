// One append and its fold, in a long thread and in short ones: the cost must not grow with the log.
import { join } from 'node:path'
import { pinsReducer } from '../../src/core/edit/pins.ts'
import type { ThreadEvent } from '../../src/core/log/event.ts'
import type { Reducer } from '../../src/core/ports.ts'
import { type ThreadState, threadFold } from '../../src/core/view/thread-state.ts'
import { usageReducer } from '../../src/core/window/usage.ts'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { numberDrafts } from '../../src/threads/drafts.ts'
import { Random } from '../../test/generate/random.ts'
import { type Answered, answer, compare, type Goal } from '../figure.ts'
import {
  interleave,
  microsEach,
  millisOf,
  ratioOf,
  type Series,
  spreadOf,
  use,
} from '../measure.ts'
import { conversation, exchange } from './conversation.ts'
import { benchClock, benchIds, fillThread, inFolder, progress, threadsOver } from './place.ts'
import type { Settings } from './settings.ts'

const GOAL: Goal = { is: 'at most', ratio: 1.5 }

export async function appendCost(settings: Settings): Promise<Answered[]> {
  return [await foldCost(settings), ...(await inFolder((folder) => storedCost(settings, folder)))]
}

const fold = threadFold([pinsReducer, usageReducer] as readonly Reducer<unknown>[])
const nothing = { eventAt: () => undefined }

/** The state after so many events; the events themselves are not kept. */
function stateAfter(random: Random, count: number, chars: number): ThreadState {
  let state = fold.init()
  for (const batch of conversation(random, count, chars))
    state = numberDrafts(batch, state, numberingOf('leave')).state
  return state
}

function numberingOf(openCalls: 'leave' | 'close') {
  const ports = { threadId: 'thr_bench', clock: benchClock, ids: benchIds }
  return { ...ports, fold, openCalls, rows: nothing }
}

/** The states run on from round to round, as a thread does; each round has a short one of its own. */
async function foldCost(settings: Settings): Promise<Answered> {
  const { seed, eventChars, longEvents, shortEvents, foldSteps, foldRounds } = settings
  progress(`fold: ${longEvents} events`)
  const random = new Random(seed)
  const warmUps = 3
  let long = stateAfter(random, longEvents, eventChars)
  const short = Array.from({ length: foldRounds + warmUps }, () =>
    stateAfter(random, shortEvents, eventChars),
  )
  const drafts = Array.from({ length: foldSteps / 2 }, () => exchange(random, eventChars)).flat()
  const stepThrough = (from: ThreadState) => {
    const { events } = numberDrafts(drafts, { ...from, context: { ...from.context } }, NUMBER_ONLY)
    let state = from
    const micros = microsEach(events.length, (index) => {
      state = fold.step(state, events[index] as ThreadEvent, nothing.eventAt)
    })
    use(state.context.tokens)
    return { micros, state }
  }
  const series = await interleave(
    {
      long: () => {
        const { micros, state } = stepThrough(long)
        long = state
        return micros
      },
      short: (round) => stepThrough(short[round + warmUps] as ThreadState).micros,
    },
    { rounds: foldRounds, warmUps },
  )
  const question = {
    id: 'fold-step',
    unit: 'µs',
    subject: `fold of one event behind ${longEvents.toLocaleString('en-US')}`,
    reference: `behind ${shortEvents.toLocaleString('en-US')}`,
    goal: GOAL,
  } as const
  return compare(question, series.long, series.short)
}

/** Numbers drafts without folding them: what is pushed here would cost the measured fold a copy. */
const NUMBER_ONLY = {
  ...numberingOf('leave'),
  fold: {
    ...fold,
    step: (state: ThreadState, { seq }: ThreadEvent): ThreadState => ({
      ...state,
      context: { ...state.context, version: seq },
    }),
  },
}

/** One user message and one answer through the threads on SQLite, the threads open and warm. */
async function storedCost(settings: Settings, folder: string): Promise<Answered[]> {
  const { seed, eventChars, longEvents, shortEvents } = settings
  const { appendThreads, appendRounds, appendsPerRound } = settings
  progress(`append: building ${longEvents} events`)
  const random = new Random(seed)
  const store = await openSqliteStore(join(folder, 'append.db'))
  const threads = threadsOver(store)
  const long = await fillThread(threads, conversation(random, longEvents, eventChars))
  const short: string[] = []
  for (let index = 0; index < appendThreads; index += 1)
    short.push(await fillThread(threads, conversation(random, shortEvents, eventChars)))
  progress(`append: ${appendThreads * appendRounds} rounds of ${appendsPerRound} appends`)
  const slowest = { long: 0, short: 0 }
  const appendMicros = async (threadId: string, arm: 'long' | 'short', round: number) => {
    let sumMs = 0
    for (let index = 0; index < appendsPerRound; index += 1) {
      const drafts = exchange(random, eventChars)
      const ms = await millisOf(() => threads.append(threadId, drafts))
      sumMs += ms
      if (round >= 0) slowest[arm] = Math.max(slowest[arm], ms)
    }
    return (sumMs * 1_000) / appendsPerRound
  }
  const series = await interleave(
    {
      long: (round) => appendMicros(long, 'long', round),
      short: (round) =>
        appendMicros(short[Math.floor(Math.max(0, round) / appendRounds)] ?? '', 'short', round),
    },
    { rounds: appendThreads * appendRounds, keep: 1 },
  )
  await store.close()
  return appendFigures(settings, series, slowest)
}

function appendFigures(
  { longEvents, shortEvents }: Settings,
  { long, short }: Readonly<Record<'long' | 'short', Series>>,
  slowest: Readonly<Record<'long' | 'short', number>>,
): Answered[] {
  const [many, few] = [longEvents.toLocaleString('en-US'), shortEvents.toLocaleString('en-US')]
  const typical = {
    id: 'append',
    unit: 'µs',
    subject: `append of a message and an answer behind ${many} events, SQLite`,
    reference: `behind ${few}`,
    goal: GOAL,
  } as const
  // Each thread writes a snapshot in its rounds, the long one a large one: the mean has it, the median not.
  const mean = {
    ...typical,
    id: 'append-mean',
    subject: `the same, mean with the snapshots`,
  } as const
  const slow = {
    id: 'append-slowest',
    unit: 'ms',
    subject: 'the slowest of these appends, long thread',
    reference: 'short threads',
  } as const
  const meanRatio = meanOf(long) / meanOf(short)
  return [
    compare(typical, long, short),
    answer(
      mean,
      { ...spreadOf(long), value: meanOf(long) },
      { ...spreadOf(short), value: meanOf(short) },
      { ...ratioOf(long, short), value: meanRatio },
    ),
    compare(slow, [slowest.long], [slowest.short]),
  ]
}

function meanOf(series: Series): number {
  return series.reduce((sum, value) => sum + value, 0) / series.length
}
