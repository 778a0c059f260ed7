// What `extract` costs beside reading the same bytes as JSON, how that grows, and what a second time costs.
import { type Context, foldEvents } from '../../src/core/context.ts'
import type { EventDraft, ThreadEvent } from '../../src/core/event.ts'
import type { LogReducer, Proposal } from '../../src/core/strategy.ts'
import { type Digest, digestReducer } from '../../src/strategies/extract/digest.ts'
import { extract } from '../../src/strategies/extract/extract.ts'
import { Random } from '../../test/generate/random.ts'
import { TestLog } from '../../test/generate/test-log.ts'
import { progress } from '../core/place.ts'
import { type Answered, compare } from '../figure.ts'
import { collectGarbage, interleave, use } from '../measure.ts'
import { codingSession } from './coding-session.ts'
import type { Settings } from './settings.ts'

const CHARS_PER_TOKEN = 4

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
      afresh: () => cpuMillis(scratch(second.session)),
      again: () => again(second, settings),
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
        subject: 'compacted again, from scratch',
        reference: 'compacted again, 1 % new events',
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

export async function proposeWith(
  session: Session,
  digest: Digest,
  settings: Settings,
): Promise<void> {
  use((await proposalOf(session, digest, settings)).edits.length)
}

/** To a share of the whole session, whatever of it the context still has. */
function proposalOf(
  { events, context }: Pick<Session, 'events' | 'context'>,
  digest: Digest,
  { targetShare, chars }: Settings,
): Promise<Proposal> {
  const targetTokens = Math.floor((chars / CHARS_PER_TOKEN) * targetShare)
  return extract.propose({
    context,
    eventAt: (seq) => events[seq - 1],
    run: { threadId: 'thr_bench' },
    trigger: 'auto',
    targetTokens,
    reduce: async <S>(_: LogReducer<S>) => digest as S,
  })
}

interface Recompaction {
  /** The same session, compacted before its last events came. */
  readonly session: Session
  readonly newFrom: number
}

async function recompactionOf(settings: Settings, chars: number): Promise<Recompaction> {
  const drafts = codingSession(new Random(settings.seed), chars)
  const log = new TestLog()
  const known = firstRounds(drafts, 1 - settings.newShare)
  log.append(known, 'leave')
  const { edits } = await proposalOf(log, digestOf(log.events), settings)
  const refusal = log.compact({ edits })
  if (refusal) throw new Error(`refused: ${refusal}`)
  const newFrom = log.events.length
  log.append(drafts.slice(known.length), 'leave')
  return { session: { events: log.events, context: log.context, json: '' }, newFrom }
}

/** A part of them, up to the end of a round. */
function firstRounds(drafts: readonly EventDraft[], share: number): EventDraft[] {
  const end = drafts.findIndex(
    ({ type }, at) => at >= drafts.length * share && type === 'TOOL_RESULT',
  )
  return drafts.slice(0, end + 1)
}

/** The state of before is made outside the measured time: it was kept with the thread. */
async function again({ session, newFrom }: Recompaction, settings: Settings): Promise<number> {
  const digest = digestOf(session.events.slice(0, newFrom))
  collectGarbage()
  return cpuMillis(async () => {
    for (const event of session.events.slice(newFrom)) digestReducer.step(digest, event)
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
