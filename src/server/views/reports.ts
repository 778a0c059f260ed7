// The report of a compaction, computed from the log on demand.
import type { PreviewedProposal } from '../../agent/compaction/preview.ts'
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
import type { ReportFigures } from '../../protocol/client.ts'
import { addedPins, computeFigures, inWindow } from './compaction-figures.ts'

/** The views before and after one compaction. */
export interface ViewsAround {
  readonly event: EventOf<'COMPACTION'>
  readonly before: Context
  readonly after: Context
  readonly eventAt: EventAt
  /** Those it added come last. */
  readonly pins: Pins
  readonly addedPins: number
}

const PAGE_ROWS = 2_000

/** More than the pins one compaction may find. */
const FOLLOWING_ROWS = 200

/** Folds the log up to it. Throws if this number is not a compaction. */
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
  const following = await store.read(threadId, { from: seq + 1, limit: FOLLOWING_ROWS })
  const added = addedPins(following.map(readRow), event.data.runId)
  const pins = [...reducedBy(before, pinsReducer), ...added]
  return { event, before: before.context, after, eventAt, pins, addedPins: added.length }
}

/** Its report in words, and its figures in the window's token base. */
export function buildReport(around: ViewsAround): { text: string; figures: ReportFigures } {
  const { event, before, after, eventAt, pins } = around
  const report = reportCompaction({ before, after, eventAt, change: event.data, pins })
  const figures = computeFigures({ before, after, report, pins, addedPins: around.addedPins })
  return { text: renderReport(inWindow(report, before, figures)), figures }
}

interface PreviewReport {
  readonly text: string
  readonly figures?: ReportFigures
}

export function previewReport(preview: PreviewedProposal): PreviewReport {
  const around = aroundPreview(preview)
  const { strategyId } = preview.prepared
  if (!around)
    return {
      text: `${strategyId}: the conversation continues in a new thread that starts with the summary.`,
    }
  const built = buildReport(around)
  return preview.change?.edits.length === 0
    ? { ...built, text: `${strategyId}: there is nothing to compact.` }
    : built
}

/** The views around a proposed compaction; undefined if it would start a new thread. */
export function aroundPreview(preview: PreviewedProposal): ViewsAround | undefined {
  const { prepared, context, eventAt, pins, change } = preview
  if (!change) return undefined
  const { runId } = prepared
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
  return {
    event,
    before: context,
    after,
    eventAt: withEvent,
    pins,
    addedPins: prepared.pins?.length ?? 0,
  }
}

function noCompaction(threadId: string, seq: number): PrecisError {
  return new PrecisError('not-found', `Event ${seq} of ${threadId} is not a compaction.`, {
    where: threadId,
    hint: 'Use the sequence number of a COMPACTION event.',
  })
}
