// A compaction through the gate, its undo, and the building of messages, with ten times the entries.
import { undo } from '../../src/core/edit/reverse.ts'
import type { Proposal } from '../../src/core/edit/strategy.ts'
import type { EventOf, ThreadEvent } from '../../src/core/log/event.ts'
import { buildMessages } from '../../src/core/view/build.ts'
import { runsOf } from '../../src/core/view/entry-range.ts'
import { Random } from '../../test/generate/random.ts'
import { TestLog, testFold } from '../../test/generate/test-log.ts'
import { type Answered, compare } from '../figure.ts'
import { interleave, microsEach, use } from '../measure.ts'
import { conversation, ENTRIES_OF_TURN, EVENTS_OF_TURN, prose } from './conversation.ts'
import { progress } from './place.ts'
import type { Settings } from './settings.ts'

type Work = () => void

/** What is measured, each for a log of some number of entries. */
const WORKS: Readonly<Record<string, { what: string; prepare: (log: TestLog) => Work }>> = {
  'compact-summary': {
    what: 'gate and fold of one summary',
    prepare: (log) => compacting(log, summary(log)),
  },
  'compact-trim': {
    what: 'gate and fold of a rewrite of every result',
    prepare: (log) => compacting(log, trims(log)),
  },
  'undo-summary': {
    what: 'undo and fold of the summary',
    prepare: (log) => undoing(log, summary(log)),
  },
  'undo-trim': {
    what: 'undo and fold of the rewrites',
    prepare: (log) => undoing(log, trims(log)),
  },
  'build-messages': {
    what: 'messages of the context',
    prepare: (log) => () => use(buildMessages(log.context, log.eventAt).messages.length),
  },
}
const TAIL_ENTRIES = 20
const GOAL = { is: 'at most', ratio: 12 } as const

export async function changeCost(settings: Settings): Promise<Answered[]> {
  const { manyEntries, fewEntries, changeRounds } = settings
  const figures: Answered[] = []
  for (const [id, { what, prepare }] of Object.entries(WORKS)) {
    progress(`changes: ${id}`)
    const many = prepare(logOf(manyEntries, settings))
    // As many logs as make the same amount of data: one that fits the caches would be repeated in them.
    const few = Array.from({ length: manyEntries / fewEntries }, () =>
      prepare(logOf(fewEntries, settings)),
    )
    const series = await interleave(
      {
        many: () => microsEach(1, many) / 1_000,
        few: () => microsEach(few.length, (index) => few[index]?.()) / 1_000,
      },
      { rounds: changeRounds, warmUps: 5, budgetMs: settings.budgetMs },
    )
    const question = {
      id,
      unit: 'ms',
      subject: `${what}, ${manyEntries.toLocaleString('en-US')} entries`,
      reference: `${fewEntries.toLocaleString('en-US')} entries`,
      goal: GOAL,
    } as const
    figures.push(compare(question, series.many, series.few))
  }
  return figures
}

function logOf(entries: number, { seed, eventChars }: Settings): TestLog {
  const log = new TestLog()
  const events = (entries / ENTRIES_OF_TURN) * EVENTS_OF_TURN
  for (const batch of conversation(new Random(seed), events, eventChars)) log.append(batch)
  return log
}

/** The gate checks a proposal, and what it lets through is folded. The log itself stays as it is. */
function compacting(log: TestLog, proposal: Proposal): Work {
  return () => {
    const { context } = testFold.step(log.state, committed(log, proposal), log.eventAt)
    if (context.ignored.length > 0) throw new Error('the compaction was ignored')
    use(context.tokens)
  }
}

function undoing(log: TestLog, proposal: Proposal): Work {
  const compaction = committed(log, proposal)
  const before = testFold.step(log.state, compaction, log.eventAt)
  const eventAt = (seq: number) => (seq === compaction.seq ? compaction : log.eventAt(seq))
  return () => {
    const draft = undo(before.context, eventAt)
    const event = { ...envelopeOf(log, compaction.seq + 1), ...draft } as ThreadEvent
    const { context } = testFold.step(before, event, eventAt)
    if (context.items.length !== log.context.items.length) throw new Error('not all came back')
    use(context.tokens)
  }
}

function committed(log: TestLog, proposal: Proposal): EventOf<'COMPACTION'> {
  const result = log.gate(proposal)
  if (!result.ok) throw new Error(`refused: ${result.refusal.message}`)
  const data = { ...result.data, originalEventCount: 0, compactedEventCount: 0 }
  return { ...envelopeOf(log, log.context.version + 1), type: 'COMPACTION', data }
}

function envelopeOf(log: TestLog, seq: number) {
  return { v: 1, id: `evt_${seq}`, threadId: log.threadId, seq, timestamp: log.clock.now() }
}

function summary(log: TestLog): Proposal {
  const items = log.context.items.toArray()
  const covers = runsOf(items.slice(0, items.length - TAIL_ENTRIES), log.eventAt)
  const data = prose(new Random(1), 4_000)
  return { edits: [{ covers, put: [{ type: 'USER_MESSAGE', data, label: 'summary' }] }] }
}

function trims(log: TestLog): Proposal {
  const results = log.context.items.toArray().filter(({ kind }) => kind === 'result')
  return {
    edits: results.map(({ id, calls }) => {
      const content = [{ type: 'text', text: '[cut]' }] as const
      const call = calls?.[0]
      const data = {
        ...(call !== undefined && { id: call }),
        content,
        status: 'completed',
      } as const
      return { covers: [id], put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of: id }] }
    }),
  }
}
