// One compaction of a thread in two steps: a strategy proposes; the gate checks, and one event is appended.
import type { CompactionData, Trigger } from '../core/change.ts'
import { type Context, foldGated } from '../core/context.ts'
import { PrecisError } from '../core/errors.ts'
import { EVENT_VERSION, type EventAt, type EventOf, type PinData } from '../core/event.ts'
import {
  FOUND_PINS_TOKENS,
  type FoundPin,
  findPins,
  type PinningPolicy,
  releasedPinsReducer,
} from '../core/found-pins.ts'
import { type GateResult, passGate, type Refusal } from '../core/gate.ts'
import { type Pins, pinsReducer } from '../core/pins.ts'
import {
  type CompactionReport,
  type ReportFallback,
  type ReportSettings,
  reportCompaction,
} from '../core/report.ts'
import type { CompactionContext, Proposal, Strategy } from '../core/strategy.ts'
import { reducedBy } from '../core/thread-state.ts'
import { compactedEvents, workingEvents } from '../core/working.ts'
import type { LiveThread } from './live-thread.ts'

export interface CompactionOptions extends Omit<CompactionContext, 'threadId'> {
  readonly trigger?: Trigger
  readonly targetTokens?: number
  readonly minTokens?: number
  readonly instructions?: string
  readonly nextPrompt?: string
  readonly runId?: string // where the caller has told others of this run already
  readonly timestamp?: Date // when it happened, where it was made elsewhere
  /** What is pinned with this compaction although nobody has asked for it. */
  readonly pinning?: PinningPolicy
  /** For the report: what else was in force, and what was tried before. */
  readonly settings?: ReportSettings
  readonly fallback?: ReportFallback
}

export type CompactionOutcome =
  | {
      readonly committed: true
      readonly event: EventOf<'COMPACTION'>
      readonly report: CompactionReport
    }
  | { readonly committed: false; readonly refusal: Refusal }

/** A proposal with all that the gate needs to know of it. Plain JSON: it can be kept and shown. */
export interface PreparedCompaction {
  readonly runId: string
  readonly strategyId: string
  readonly trigger: Trigger
  readonly basedOn: number // the version of the thread it was made for
  readonly madeAt?: string // where it was made elsewhere
  readonly targetTokens?: number
  readonly minTokens?: number
  readonly settings?: ReportSettings
  readonly fallback?: ReportFallback
  /** Found in what it covers: set in the same step, or not at all. */
  readonly pins?: readonly PinData[]
  readonly proposal: Proposal
}

/** Asks the strategy. Changes nothing; what is appended meanwhile is not covered by the proposal. */
export async function prepareCompaction(
  thread: LiveThread,
  strategy: Strategy,
  newRunId: string,
  options: CompactionOptions = {},
): Promise<PreparedCompaction> {
  const {
    trigger = 'command',
    targetTokens,
    minTokens,
    instructions,
    nextPrompt,
    settings,
    fallback,
    pinning,
    timestamp,
    ...rest
  } = options
  const { runId = newRunId, ...run } = rest
  const { context, eventAt, pins, standing } = await thread.exclusively(async () => {
    await thread.refresh()
    await thread.loadContext()
    // The strategy works on what it saw; rows loaded or dropped meanwhile do not concern it.
    const eventAt = thread.rows.copy()
    const pins = pinning ? pinsFor(thread, eventAt, pinning, targetTokens) : []
    const standing = reducedBy(thread.state, pinsReducer)
    return { context: thread.context, eventAt, pins: pins.map(withId(runId)), standing }
  })
  const proposal = await strategy.propose({
    context,
    eventAt,
    run: { scratch: thread.scratch, ...run, threadId: thread.id },
    trigger,
    pins: [...standing, ...pins],
    reduce: (reducer) => thread.reduce(reducer, context.version),
    ...(targetTokens !== undefined && { targetTokens }),
    ...(instructions !== undefined && { instructions }),
    ...(nextPrompt !== undefined && { nextPrompt }),
  })
  if (run.signal?.aborted)
    throw new PrecisError('aborted', 'The compaction was aborted; nothing was changed.')
  return {
    runId,
    strategyId: strategy.id,
    trigger,
    basedOn: context.version,
    ...(timestamp && { madeAt: timestamp.toISOString() }),
    ...(targetTokens !== undefined && { targetTokens }),
    ...(minTokens !== undefined && { minTokens }),
    ...(settings && { settings }),
    ...(fallback && { fallback }),
    ...(pins.length > 0 && { pins }),
    proposal,
  }
}

/** The one path by which a compaction gets into a log. A conflict passes the gate again. */
export async function applyCompaction(
  thread: LiveThread,
  prepared: PreparedCompaction,
): Promise<CompactionOutcome> {
  return thread.exclusively(async () => {
    let refusal: Refusal | undefined
    let report: CompactionReport | undefined
    const events = await thread.append(async () => {
      await thread.refresh()
      await thread.loadContext()
      const { context } = thread
      const { eventAt } = thread.rows
      const pins = [...reducedBy(thread.state, pinsReducer), ...(prepared.pins ?? [])]
      const result = passGate({ ...prepared, context, eventAt, pins })
      refusal = result.ok ? undefined : result.refusal
      if (!result.ok) return []
      const counted = withCounts(result, thread.id, context, eventAt)
      report = reportOf(prepared, { before: context, pins, ...counted })
      const found = (prepared.pins ?? []).map((data) => ({ type: 'PIN', data }) as const)
      const { madeAt } = prepared
      const timestamp = madeAt === undefined ? {} : { timestamp: new Date(madeAt) }
      return [{ type: 'COMPACTION', data: counted.change, ...timestamp }, ...found]
    }, 'leave')
    // It is through, committed or refused: another run is to do its work anew.
    await thread.scratch.clear()
    const event = events.find((candidate) => candidate.type === 'COMPACTION')
    if (event && report) return { committed: true, event, report }
    if (refusal) return { committed: false, refusal }
    throw new PrecisError('internal', 'The gate let a compaction pass that was not appended.')
  })
}

/** What is found takes a tenth of the target at most. */
const PINS_SHARE = 10

function pinsFor(
  thread: LiveThread,
  eventAt: EventAt,
  policy: PinningPolicy,
  targetTokens: number | undefined,
): FoundPin[] {
  const { maxTokens = FOUND_PINS_TOKENS } = policy
  const share = targetTokens === undefined ? maxTokens : Math.ceil(targetTokens / PINS_SHARE)
  const pins = reducedBy(thread.state, pinsReducer)
  const released = reducedBy(thread.state, releasedPinsReducer)
  const limited = { ...policy, maxTokens: Math.min(maxTokens, share) }
  return findPins(thread.context, eventAt, { pins, released }, limited)
}

function withId(runId: string): (pin: FoundPin, index: number) => PinData {
  return (pin, index) => ({ ...pin, pinId: `pin_${runId.replace(/^run_/, '')}.${index + 1}` })
}

interface Counted {
  readonly change: CompactionData
  readonly after: Context
  readonly eventAt: EventAt // knows the event as it is going to be
}

function withCounts(
  { data, applied }: Extract<GateResult, { readonly ok: true }>,
  threadId: string,
  context: Context,
  eventAt: EventAt,
): Counted {
  const originalEventCount = workingEvents(context, eventAt).length
  const uncounted = { ...data, originalEventCount, compactedEventCount: 0 }
  const seq = context.version + 1
  const event = {
    v: EVENT_VERSION,
    id: data.runId,
    threadId,
    seq,
    timestamp: new Date(0),
    type: 'COMPACTION',
    data: uncounted,
  } as const
  const withEvent: EventAt = (at) => (at === seq ? event : eventAt(at))
  const after = foldGated(context, event, applied, withEvent)
  const compactedEventCount = compactedEvents(after, withEvent).length
  return { change: { ...uncounted, compactedEventCount }, after, eventAt: withEvent }
}

function reportOf(
  { targetTokens, minTokens, settings, fallback }: PreparedCompaction,
  made: Counted & { readonly before: Context; readonly pins: Pins },
): CompactionReport {
  return reportCompaction({
    ...made,
    settings: {
      ...settings,
      ...(targetTokens !== undefined && { targetTokens }),
      ...(minTokens !== undefined && { minTokens }),
    },
    ...(fallback && { fallback }),
  })
}
