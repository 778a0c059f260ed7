// The report of a compaction, computed from the log on demand
import type { CompactionPreview } from '../../agent/compaction/preview.ts'
import { type Pins, pinsReducer } from '../../core/edit/pins.ts'
import { reportCompaction } from '../../core/edit/report.ts'
import { renderReport } from '../../core/edit/report-text.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import {
  EVENT_VERSION,
  type EventAt,
  type EventOf,
  type ThreadEvent,
} from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import { type Context, foldEvent } from '../../core/view/context.ts'
import { reducedBy, threadFold } from '../../core/view/thread-state.ts'

/** The two views that stand around one compaction. */
export interface ViewsAround {
  readonly event: EventOf<'COMPACTION'>
  readonly before: Context
  readonly after: Context
  readonly eventAt: EventAt
  readonly pins: Pins
}

const PAGE_ROWS = 2_000

/** Folds the log up to it. Throws if there is no compaction of this number. */
export async function aroundCompaction(
  store: Pick<Store, 'read'>,
  threadId: string,
  seq: number,
): Promise<ViewsAround> {
  const fold = threadFold([pinsReducer as Parameters<typeof threadFold>[0][number]])
  const events: ThreadEvent[] = []
  const eventAt: EventAt = (at) => events[at - 1]
  let state = fold.init()
  let before = state
  for (;;) {
    const from = events.length + 1
    const rows = await store.read(threadId, { from, to: seq, limit: PAGE_ROWS })
    for (const event of rows.map(readRow)) {
      events.push(event)
      before = state
      state = fold.step(state, event, eventAt)
    }
    if (rows.length < PAGE_ROWS) break
  }
  const event = eventAt(seq)
  if (event?.type !== 'COMPACTION') throw noCompaction(threadId, seq)
  const { context: after } = state
  const pins = reducedBy(before, pinsReducer)
  return { event, before: before.context, after, eventAt, pins }
}

export function reportOf({ event, before, after, eventAt, pins }: ViewsAround): string {
  return renderReport(reportCompaction({ before, after, eventAt, change: event.data, pins }))
}

export function previewReport(preview: CompactionPreview): string {
  const { prepared, context, eventAt, pins, change } = preview
  const { strategyId, runId } = prepared
  if (!change)
    return `${strategyId}: the conversation goes on in a new thread, opened by the summary.`
  if (change.edits.length === 0) return `${strategyId}: there is nothing to compact.`
  const seq = context.version + 1
  const event: EventOf<'COMPACTION'> = {
    v: EVENT_VERSION,
    id: runId,
    threadId: '',
    seq,
    timestamp: new Date(0),
    type: 'COMPACTION',
    data: { ...change, originalEventCount: 0, compactedEventCount: 0 },
  }
  const withEvent: EventAt = (at) => (at === seq ? event : eventAt(at))
  const after = foldEvent(context, event, withEvent)
  return renderReport(
    reportCompaction({ before: context, after, eventAt: withEvent, change: event.data, pins }),
  )
}

function noCompaction(threadId: string, seq: number): PrecisError {
  return new PrecisError('not-found', `Event ${seq} of ${threadId} is not a compaction.`, {
    where: threadId,
    hint: 'Use the sequence number of a COMPACTION event.',
  })
}
