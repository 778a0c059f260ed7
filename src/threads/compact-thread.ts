// One compaction of a thread in two steps: a strategy proposes; the gate checks, and one event is appended.
import type { Trigger } from '../core/change.ts'
import { type Context, foldEvent } from '../core/context.ts'
import { PrecisError } from '../core/errors.ts'
import { EVENT_VERSION, type EventAt, type EventDraft, type EventOf } from '../core/event.ts'
import { type Committed, passGate, type Refusal } from '../core/gate.ts'
import { pinsReducer } from '../core/pins.ts'
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
}

export type CompactionOutcome =
  | { readonly committed: true; readonly event: EventOf<'COMPACTION'> }
  | { readonly committed: false; readonly refusal: Refusal }

/** A proposal with all that the gate needs to know of it. Plain JSON: it can be kept and shown. */
export interface PreparedCompaction {
  readonly runId: string
  readonly strategyId: string
  readonly trigger: Trigger
  readonly basedOn: number // the version of the thread it was made for
  readonly targetTokens?: number
  readonly minTokens?: number
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
    ...rest
  } = options
  const { runId = newRunId, ...run } = rest
  const { context, eventAt } = await thread.exclusively(async () => {
    await thread.refresh()
    await thread.loadContext()
    // The strategy works on what it saw; rows loaded or dropped meanwhile do not concern it.
    return { context: thread.context, eventAt: thread.rows.copy() }
  })
  const proposal = await strategy.propose({
    context,
    eventAt,
    run: { scratch: thread.scratch, ...run, threadId: thread.id },
    trigger,
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
    ...(targetTokens !== undefined && { targetTokens }),
    ...(minTokens !== undefined && { minTokens }),
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
    const events = await thread.append(async () => {
      await thread.refresh()
      await thread.loadContext()
      const { context } = thread
      const { eventAt } = thread.rows
      const pins = reducedBy(thread.state, pinsReducer)
      const result = passGate({ ...prepared, context, eventAt, pins })
      refusal = result.ok ? undefined : result.refusal
      return result.ok ? [withCounts(result.data, thread.id, context, eventAt)] : []
    }, 'leave')
    // It is through, committed or refused: another run is to do its work anew.
    await thread.scratch.clear()
    const event = events.find((candidate) => candidate.type === 'COMPACTION')
    if (event) return { committed: true, event }
    if (refusal) return { committed: false, refusal }
    throw new PrecisError('internal', 'The gate let a compaction pass that was not appended.')
  })
}

function withCounts(
  data: Committed,
  threadId: string,
  context: Context,
  eventAt: EventAt,
): EventDraft {
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
  const after = foldEvent(context, event, withEvent)
  return {
    type: 'COMPACTION',
    data: { ...uncounted, compactedEventCount: compactedEvents(after, withEvent).length },
  }
}
