// What `extract` costs beside reading the same bytes as JSON, how that grows, and what a second time costs.
import type { LogReducer, Proposal } from '../../src/core/edit/strategy.ts'
import { readRow } from '../../src/core/log/codec.ts'
import type { EventDraft, ThreadEvent } from '../../src/core/log/event.ts'
import type { Store } from '../../src/core/ports.ts'
import { type Context, foldEvents } from '../../src/core/view/context.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import type { Digest } from '../../src/strategies/extract/digest.ts'
import { digestReducer, extract } from '../../src/strategies/extract/extract.ts'
import { LazyReducers } from '../../src/threads/rows.ts'
import { Random } from '../../test/generate/random.ts'
import { TestLog } from '../../test/generate/test-log.ts'
import { progress, threadsOver } from '../core/place.ts'
import { type Answered, compare } from '../figure.ts'
import { collectGarbage, interleave, use } from '../measure.ts'
import { codingSession } from './coding-session.ts'
import type { Settings } from './settings.ts'

export async function extractCost(settings: Settings): Promise<Answered[]> {
  const { chars, largeChars, rounds, budgetMs } = settings
  const small = sessionOf(settings, chars)
  const large = sessionOf(settings, largeChars)
  const second = await recompactionOf(settings, chars)
  progress('extract: from scratch, beside JSON.parse, and on four times as much')
  const scratch = (session: Session) => async () => {
    const digest = digestOf(session.events)
    return proposeWith(session, digest, settings)
  }
  const times = await interleave(
    {
      scratch: () => cpuMillis(scratch(small)),
      large: () => cpuMillis(scratch(large)),
      parse: () => cpuMillis(async () => void use((JSON.parse(small.json) as unknown[]).length)),
      afresh: () => recompacted(second, settings, false),
      again: () => recompacted(second, settings, true),
    },
    { rounds, budgetMs, warmUps: 4 },
  )
  const about = 'a million tokens'
  return [
    compare(
      { id: 'extract-parse', unit: 'ms', subject: about, reference: 'JSON.parse of its events' },
      times.scratch,
      times.parse,
    ),
    compare(
      {
        id: 'extract-growth',
        unit: 'ms',
        subject: 'four million tokens',
        reference: about,
        goal: { is: 'at most', ratio: 5 },
      },
      times.large,
      times.scratch,
    ),
    compare(
      {
        id: 'extract-again',
        unit: 'ms',
        subject: 'compacted again, its log read from the store',
        reference: 'compacted again, 1 % of the events new',
        goal: { is: 'at least', ratio: 5 },
      },
      times.afresh,
      times.again,
    ),
  ]
}

export interface Session {
  readonly events: readonly ThreadEvent[]
  readonly context: Context
  readonly json: string
}

export function sessionOf({ seed }: Settings, chars: number): Session {
  const log = new TestLog()
  log.append(codingSession(new Random(seed), chars), 'leave')
  const { events } = log
  const context = foldEvents(events, (seq) => events[seq - 1])
  return { events, context, json: JSON.stringify(events) }
}

export function digestOf(events: readonly ThreadEvent[]): Digest {
  return events.reduce((digest, event) => digestReducer.step(digest, event), digestReducer.init())
}

async function proposeWith(session: Session, digest: Digest, settings: Settings): Promise<void> {
  use((await proposalOf(session, digest, settings)).edits.length)
}

export function proposalOf(
  { events, context }: Session,
  digest: Digest,
  { targetTokens }: Settings,
): Promise<Proposal> {
  return extract.propose({
    context,
    eventAt: (seq) => events[seq - 1],
    run: { threadId: 'thr_bench' },
    trigger: 'auto',
    targetTokens,
    reduce: async <S>(_: LogReducer<S>) => digest as S,
  })
}

/** The same session in a store, compacted once before its last events came. */
interface Recompaction {
  readonly store: Store
  readonly threadId: string
  readonly session: Session
  readonly newFrom: number
}

async function recompactionOf(settings: Settings, chars: number): Promise<Recompaction> {
  const drafts = codingSession(new Random(settings.seed), chars)
  const known = firstRounds(drafts, 1 - settings.newShare)
  const store = memoryStore()
  const threads = threadsOver(store, [extract])
  const threadId = await threads.create()
  await threads.import(threadId, known)
  const { targetTokens } = settings
  const outcome = await threads.compact(threadId, extract.id, { targetTokens })
  if (!outcome.committed) throw new Error(`refused: ${outcome.refusal.message}`)
  const newFrom = outcome.event?.seq ?? 0
  await threads.import(threadId, drafts.slice(known.length))
  const context = await threads.context(threadId)
  const rows = await store.read(threadId, { from: 1, limit: context.version })
  const session = { events: rows.map(readRow), context, json: '' }
  return { store, threadId, session, newFrom }
}

/** A part of them, up to the end of a round. */
function firstRounds(drafts: readonly EventDraft[], share: number): EventDraft[] {
  const end = drafts.findIndex(
    ({ type }, at) => at >= drafts.length * share && type === 'TOOL_RESULT',
  )
  return drafts.slice(0, end + 1)
}

/** As a process does it that has just opened the thread, or as one that has compacted it before. */
async function recompacted(
  { store, threadId, session, newFrom }: Recompaction,
  settings: Settings,
  isKnown: boolean,
): Promise<number> {
  const lazy = new LazyReducers(store, threadId)
  // The state of before is made outside the measured time: it was kept with the thread.
  if (isKnown) await lazy.reduce(digestReducer, newFrom)
  collectGarbage()
  return cpuMillis(async () => {
    const digest = await lazy.reduce(digestReducer, session.context.version)
    await proposeWith(session, digest, settings)
  })
}

/** Of the processor, the collector's included: others use the machine, too. */
async function cpuMillis(work: () => unknown): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}
