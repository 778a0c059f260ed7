// The records of the one road: the plan that a door makes, the proposal that came of it, and how the gate ended it.
// The road for a log that no store keeps: propose → gate → change and report, as steps that wait only for a model
import type { CompactionData, Trigger } from '../core/edit/change.ts'
import type { PinningPolicy } from '../core/edit/detected-pins.ts'
import { type GateResult, passGateWith, type TextCheck } from '../core/edit/gate.ts'
import type { Refusal } from '../core/edit/gate-checks.ts'
import type { Pins } from '../core/edit/pins.ts'
import {
  type CompactionReport,
  type ReportFallback,
  type ReportSettings,
  reportCompaction,
} from '../core/edit/report.ts'
import {
  type CompactionContext,
  type LogReducer,
  type Proposal,
  proposing,
  type Scratch,
  type Steps,
  type Strategy,
  type StrategyInput,
  wait,
} from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import {
  EVENT_VERSION,
  type EventAt,
  type EventDraft,
  type EventOf,
  type PinData,
  type ThreadEvent,
  type ThreadStarted,
} from '../core/log/event.ts'
import { compactedEvents, workingEvents } from '../core/view/api-events.ts'
import { type Context, foldGated } from '../core/view/context.ts'
import type { ThreadState } from '../core/view/thread-state.ts'

/** What was asked for. Every door makes one, once; behind it nothing is merged any more. */
export interface CompactionPlan extends Omit<CompactionContext, 'threadId'> {
  readonly trigger: Trigger
  /** Tried in this order until one is committed. */
  readonly strategies: readonly (string | Strategy)[]
  readonly targetTokens?: number | undefined
  /** Where no strategy reaches the target, this will do. */
  readonly acceptableTokens?: number | undefined
  /** Where none reaches that either: tried in their place, to the target or to what is acceptable. */
  readonly lastResort?: string | Strategy | undefined
  /** No request can hold the context as it is: to leave it unchanged is no way out. */
  readonly isOverfull?: boolean | undefined
  readonly minTokens?: number | undefined
  readonly instructions?: string | undefined
  readonly nextPrompt?: string | undefined
  readonly runId?: string | undefined // where the caller has told others of this run already
  readonly timestamp?: Date | undefined // when it happened, where it was made elsewhere
  /** Committed right behind this version, or not at all: otherwise a conflict passes the gate again. */
  readonly expectedVersion?: number | undefined
  /** What is pinned with this compaction, in the same append; what is pinned already is left out. */
  readonly pins?: readonly Omit<PinData, 'pinId'>[] | undefined
  /** What is pinned with it although nobody has asked for it. */
  readonly pinning?: PinningPolicy | undefined
  /** For the report: what else was in force, and what was tried before. */
  readonly settings?: ReportSettings | undefined
  readonly fallback?: ReportFallback | undefined
}

/** A proposal with all that the gate needs to know of it. Plain JSON: it can be kept and shown. */
export interface ProposalRecord {
  readonly runId: string
  readonly strategyId: string
  readonly trigger: Trigger
  readonly basedOn: number // the version of the thread it was made for
  readonly madeAt?: string | undefined // where it was made elsewhere
  readonly expectedVersion?: number | undefined // behind which alone it may be committed
  readonly targetTokens?: number | undefined
  readonly minTokens?: number | undefined
  readonly settings?: ReportSettings | undefined
  readonly fallback?: ReportFallback | undefined
  /** Asked for with it, or found in what it covers: set in the same append, or not at all. */
  readonly pins?: readonly PinData[] | undefined
  readonly proposal: Proposal
}

/** A thread that has taken the place of another. */
export interface FreshThread {
  readonly threadId: string
  readonly summary: string
  readonly replacedFor?: string // why a brief took the place of the model's summary
}

/** One event in the log of the thread; or a new thread, and nothing at all in the old one. */
export type Committed = {
  readonly committed: true
  readonly report: CompactionReport
} & (
  | {
      readonly event: EventOf<'COMPACTION'>
      readonly version: number // of the thread behind it and what it pinned
      readonly fresh?: undefined
    }
  | { readonly event?: undefined; readonly version?: undefined; readonly fresh: FreshThread }
)

/** The gate did not let it pass: nothing has changed. */
export interface Refused {
  readonly committed: false
  readonly refusal: Refusal
}

// A thread as the road sees it: what is read of it, and the two ways in which it grows.

export interface EditableThread {
  readonly id: string
  readonly state: ThreadState
  readonly context: Context
  readonly rows: { readonly eventAt: EventAt; copy(): EventAt }
  /** What compactions of this thread have finished of their work. */
  readonly scratch: Scratch
  reduce<S>(reducer: LogReducer<S>, upTo: number): Promise<S>
  /** Runs one thing at a time on this thread. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Folds what other writers have appended since. Inside `exclusively` alone, as all below. */
  refresh(): Promise<void>
  loadContext(): Promise<void>
  append(
    draft: (state: ThreadState) => readonly EventDraft[] | Promise<readonly EventDraft[]>,
    openCalls: 'leave',
    expectedVersion?: number,
  ): Promise<ThreadEvent[]>
}

/** Starts a thread with all of these drafts in one append, and returns its id. */
export type OpenThread = (started: ThreadStarted, drafts: readonly EventDraft[]) => Promise<string>

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
  const result = passGateWith(yield* textCheckFor(proposal), {
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
function* textCheckFor({ written = [] }: Proposal): Steps<TextCheck> {
  if (written.length === 0) return () => undefined
  return (yield* wait(import('../core/edit/pass-gate.ts'))).checkText
}

/** Whoever writes a strategy in JavaScript has no compiler to say this. */
export function requireProposal(id: string, proposal: unknown): void {
  const given = proposal as { readonly edits?: unknown } | null | undefined
  if (!Array.isArray(given?.edits))
    throw new PrecisError('invalid-input', `The strategy "${id}" returned no proposal.`, {
      where: id,
      hint: '`propose` returns { edits: [] } where there is nothing to replace.',
    })
  const wrong = given.edits.findIndex((edit) => !isEdit(edit))
  if (wrong >= 0)
    throw new PrecisError('invalid-input', `edits[${wrong}] of the strategy "${id}" is no edit.`, {
      where: id,
      hint: 'An edit is { covers, put }, two arrays: runsOf(items, eventAt) gives what it covers.',
    })
}

function isRun(run: unknown): boolean {
  return typeof run === 'string' || Array.isArray(run)
}

function isEdit(edit: unknown): boolean {
  const { covers, put } = Object(edit)
  return Array.isArray(covers) && covers.every(isRun) && Array.isArray(put)
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
