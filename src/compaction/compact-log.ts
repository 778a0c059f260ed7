// The road for a log that no store keeps: propose → gate → change and report, as steps that wait only for a model
import type { CompactionData } from '../core/edit/change.ts'
import { type GateResult, passGateWith } from '../core/edit/gate.ts'
import type { Refusal } from '../core/edit/gate-checks.ts'
import type { ExcuseCheck } from '../core/edit/gate-summary.ts'
import type { Pins } from '../core/edit/pins.ts'
import {
  type CompactionReport,
  type ReportFallback,
  reportCompaction,
} from '../core/edit/report.ts'
import {
  type Proposal,
  proposing,
  type Strategy,
  type StrategyInput,
} from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import { EVENT_VERSION, type EventAt, type ThreadEvent } from '../core/log/event.ts'
import { type Steps, wait } from '../core/steps.ts'
import { compactedEvents, workingEvents } from '../core/view/api-events.ts'
import { type Context, foldGated } from '../core/view/context.ts'
import type { ProposalRecord } from './plan.ts'

export interface LogPlan extends Omit<StrategyInput, 'pins'> {
  readonly strategy: Strategy
  readonly pins: Pins
  readonly runId: string
  readonly fallback?: ReportFallback | undefined
}

export type LogOutcome =
  | { readonly ok: true; readonly change: CompactionData; readonly report: CompactionReport }
  | { readonly ok: false; readonly refusal: Refusal }

/** The data of the COMPACTION to append. Appends nothing by itself. */
export function* compactLog(compaction: LogPlan): Steps<LogOutcome> {
  const { strategy, runId, fallback, ...input } = compaction
  const { context, eventAt, pins, trigger, targetTokens, run } = input
  const proposal = yield* proposing(strategy, { ...input, budget: targetTokens })
  requireProposal(strategy.id, proposal)
  if (run.signal?.aborted)
    throw new PrecisError('aborted', 'The compaction was aborted; nothing was changed.')
  const isExcuse = yield* excuseCheckFor(proposal, run.provider)
  const result = passGateWith(isExcuse, {
    context,
    eventAt,
    pins,
    proposal,
    trigger,
    targetTokens,
    runId,
    basedOn: context.version,
    strategyId: strategy.id,
  })
  if (!result.ok) return result
  const counted = withCounts(result, run.threadId, { context, eventAt })
  const report = buildReport({ targetTokens, fallback }, counted, { context, pins })
  return { ok: true, change: counted.change, report }
}

/** Loaded where a model has written something: without one the steps wait for nothing. */
function* excuseCheckFor({ written = [] }: Proposal, model: unknown): Steps<ExcuseCheck> {
  if (model === undefined || written.length === 0) return () => false
  return (yield* wait(import('../core/edit/excuse.ts'))).isExcuse
}

/** Whoever writes a strategy in JavaScript has no compiler to say this. */
export function requireProposal(id: string, proposal: unknown): void {
  const given = proposal as { readonly edits?: unknown } | null | undefined
  if (Array.isArray(given?.edits)) return
  throw new PrecisError('invalid-input', `The strategy "${id}" returned no proposal.`, {
    where: id,
    hint: '`propose` returns { edits: [] } where there is nothing to replace.',
  })
}

// A change that passed the gate, with its counts of events, and the report that people see of it

export interface CountedChange {
  readonly change: CompactionData
  readonly after: Context
  readonly eventAt: EventAt // knows the event as it is going to be
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
