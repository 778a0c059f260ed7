// Golden: what the fold makes of random threads event by event, and of the samples.
import { describe, it } from 'vitest'
import { pinsReducer } from '../../src/core/edit/pins.ts'
import { reportCompaction } from '../../src/core/edit/report.ts'
import { renderReport } from '../../src/core/edit/report-text.ts'
import { isChange, type ThreadEvent } from '../../src/core/log/event.ts'
import { allEvents } from '../../src/core/view/api-events.ts'
import {
  type Context,
  calibrationOf,
  emptyContext,
  foldEvent,
} from '../../src/core/view/context.ts'
import { covered } from '../../src/core/view/refs.ts'
import { openRoundStart, roundsOf, seamsOf } from '../../src/core/view/seam.ts'
import { encodeContext, reducedBy } from '../../src/core/view/thread-state.ts'
import { readContext } from '../../src/core/window/reading.ts'
import { estimateConversationTokens } from '../../src/core/window/tokens/counter.ts'
import { aggregateTokenUsage } from '../../src/core/window/usage.ts'
import { type TestLog, testFold } from '../generate/test-log.ts'
import { generateThread } from '../generate/thread.ts'
import { digestOf, expectGolden } from './golden.ts'
import { eventLine, itemLine, openSample, SAMPLES, seeds } from './subjects.ts'

const THREADS = 30
const STEPS = 9

describe('the fold', () => {
  it.each(seeds(THREADS))('folds random thread %i', async (seed) => {
    const did: string[] = []
    const { log } = generateThread(seed, STEPS, (_, step) => did.push(step))
    const lines: unknown[] = []
    replay(log, (context, event) => lines.push(foldLine(context, event)))
    await expectGolden(`fold-thread-${seed}`, { did, events: lines, ...endOf(log) })
  })

  it.each(SAMPLES)('folds the sample %s', async (name) => {
    const { log } = await openSample(name)
    const every = Math.ceil(log.events.length / 20)
    const lines: unknown[] = []
    replay(log, (context, event) => {
      if (isChange(event) || event.seq % every === 0) lines.push(foldLine(context, event))
    })
    await expectGolden(`fold-sample-${name}`, { events: lines, ...endOf(log) })
  })
})

function replay(log: TestLog, look: (context: Context, event: ThreadEvent) => void): void {
  let context = emptyContext()
  for (const event of log.events) {
    context = foldEvent(context, event, log.eventAt)
    look(context, event)
  }
}

/** After a change with all entries, otherwise with the last one. */
function foldLine(context: Context, event: ThreadEvent) {
  const { items, tokens, open, stack, undone, pops, active, measured } = context
  const { ratio, samples, overheadTokens } = calibrationOf(context)
  const last = items.last && !isChange(event) ? `[${itemLine(items.last)}]` : ''
  const facts = { open: [...open], stack, undone, pops: pops.flat(), active }
  const line = [
    `${event.seq} ${event.type} → ${items.length} entries, ${tokens} tokens`,
    last,
    ...Object.entries(facts).flatMap(([name, list]) =>
      list.length === 0 ? [] : [`${name} ${list.join(' ')}`],
    ),
    ...(measured ? [`measured ${measured.tokens}/${measured.estimate}`] : []),
    `${ratio.toFixed(3)}×${samples}+${overheadTokens ?? '?'}`,
  ].join(' ')
  return isChange(event) ? { [line]: items.toArray().map(itemLine) } : line
}

function endOf(log: TestLog) {
  const { context, eventAt, events, state } = log
  const items = context.items.toArray()
  const made = items.filter(({ id }) => id.startsWith('c'))
  const { system, messages, problems } = log.build()
  const snapshot = encodeContext(context) as { readonly [key: string]: unknown }
  return {
    seams: seamsOf(items, context.open)
      .map((isSeam) => (isSeam ? '|' : '-'))
      .join(''),
    rounds: roundsOf(items, context.open),
    openRound: openRoundStart(items, context.open),
    covered: made.map(({ id }) => `${id}: ${covered(id, eventAt).join(' ')}`),
    reading: [readContext(context), readContext(context, { ratio: 2, overheadTokens: 50 })],
    measured: readContext(context, { measuredOnly: true }),
    snapshot: { ...snapshot, items: digestOf(snapshot.items) },
    reduced: testFold.encode(state).state,
    usage: aggregateTokenUsage(events),
    chars4: estimateConversationTokens(events),
    working: log.working().map(eventLine).join(', '),
    all: allEvents(events).flatMap((event) =>
      event.type === 'COMPACTION'
        ? [`${event.seq}: ${event.data.compactedEvents.map(({ seq }) => seq).join(' ')}`]
        : [],
    ),
    messages: digestOf({ system, messages }),
    problems,
    reports: reportsOf(log),
  }
}

const METADATA = {
  refs: ['e1', 'e3', 'no ref'],
  reasons: { 'repeated-reads': ['e1', 'e2'], logs: ['e4'] },
  leftOut: [{ from: 'prune', reason: 'it failed' }],
}

/** One for each compaction that could be applied. */
function reportsOf({ events, eventAt, state }: TestLog) {
  const pins = reducedBy(state, pinsReducer)
  let before = emptyContext()
  return events.flatMap((event) => {
    const after = foldEvent(before, event, eventAt)
    const input = { before, after, eventAt, pins }
    before = after
    if (event.type !== 'COMPACTION' || !after.active.includes(event.seq)) return []
    // What strategies leave beside their edits, on every second one.
    const isPlain = event.seq % 2 === 0
    const change = isPlain ? event.data : { ...event.data, metadata: METADATA }
    const told = isPlain ? {} : { fallback: { from: 'extract', reason: 'it failed' } }
    const report = reportCompaction({ ...input, ...told, change, settings: { targetTokens: 100 } })
    return [{ ...report, text: renderReport(report).split('\n') }]
  })
}
