// A change that passed the gate, with event counts and its report.
import type { CompactionData } from '../core/edit/change.ts'
import type { GateResult } from '../core/edit/gate.ts'
import type { Pins } from '../core/edit/pins.ts'
import { type CompactionReport, reportCompaction } from '../core/edit/report.ts'
import { EVENT_VERSION, type EventAt, type ThreadEvent } from '../core/log/event.ts'
import { compactedEvents, workingEvents } from '../core/view/api-events.ts'
import { type Context, foldGated } from '../core/view/context.ts'
import type { ProposalRecord } from './plan.ts'

export interface CountedChange {
  readonly change: CompactionData
  readonly after: Context
  readonly eventAt: EventAt // also returns the future event
}

export function withCounts(
  { data, applied }: Extract<GateResult, { readonly ok: true }>,
  threadId: string,
  { context, eventAt }: { readonly context: Context; readonly eventAt: EventAt },
): CountedChange {
  const originalEventCount = workingEvents(context, eventAt).length
  const uncounted = { ...data, originalEventCount, compactedEventCount: 0 }
  const seq = context.version + 1
  const event: ThreadEvent = {
    v: EVENT_VERSION,
    id: data.runId,
    threadId,
    seq,
    timestamp: new Date(0),
    type: 'COMPACTION',
    data: uncounted,
  }
  const withEvent: EventAt = (at) => (at === seq ? event : eventAt(at))
  const after = foldGated(context, event, applied, withEvent)
  const compactedEventCount = compactedEvents(after, withEvent).length
  return { change: { ...uncounted, compactedEventCount }, after, eventAt: withEvent }
}

export function buildReport(
  {
    targetTokens,
    minTokens,
    settings,
    fallback,
  }: Pick<ProposalRecord, 'targetTokens' | 'minTokens' | 'settings' | 'fallback'>,
  counted: CountedChange,
  { context: before, pins }: { readonly context: Context; readonly pins: Pins },
): CompactionReport {
  return reportCompaction({
    ...counted,
    before,
    pins,
    settings: {
      ...settings,
      ...(targetTokens !== undefined && { targetTokens }),
      ...(minTokens !== undefined && { minTokens }),
    },
    ...(fallback && { fallback }),
  })
}
