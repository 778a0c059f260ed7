// One compaction of a thread: a strategy proposes, the gate checks, and one event is appended.
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
}

export type CompactionOutcome =
  | { readonly committed: true; readonly event: EventOf<'COMPACTION'> }
  | { readonly committed: false; readonly refusal: Refusal }

export async function compactThread(
  thread: LiveThread,
  strategy: Strategy,
  runId: string,
  options: CompactionOptions = {},
): Promise<CompactionOutcome> {
  const { trigger = 'command', targetTokens, minTokens, instructions, ...run } = options
  const { context, eventAt } = await thread.exclusively(async () => {
    await thread.refresh()
    await thread.loadContext()
    // The strategy works on what it saw; rows loaded or dropped meanwhile do not concern it.
    return { context: thread.context, eventAt: thread.rows.copy() }
  })
  const proposal = await strategy.propose({
    context,
    eventAt,
    run: { ...run, threadId: thread.id },
    trigger,
    ...(targetTokens !== undefined && { targetTokens }),
    ...(instructions !== undefined && { instructions }),
  })
  if (run.signal?.aborted)
    throw new PrecisError('aborted', 'The compaction was aborted; nothing was changed.')
  const limits = {
    ...(targetTokens !== undefined && { targetTokens }),
    ...(minTokens !== undefined && { minTokens }),
  }
  return commit(
    thread,
    { strategyId: strategy.id, runId, trigger, basedOn: context.version, ...limits },
    proposal,
  )
}

interface CommitInput {
  readonly strategyId: string
  readonly runId: string
  readonly trigger: Trigger
  readonly basedOn: number
  readonly targetTokens?: number
  readonly minTokens?: number
}

/** The one path by which a compaction gets into a log. A conflict passes the gate again. */
async function commit(
  thread: LiveThread,
  input: CommitInput,
  proposal: Proposal,
): Promise<CompactionOutcome> {
  return thread.exclusively(async () => {
    let refusal: Refusal | undefined
    const events = await thread.append(async () => {
      await thread.refresh()
      await thread.loadContext()
      const { context } = thread
      const { eventAt } = thread.rows
      const result = passGate({
        ...input,
        context,
        eventAt,
        proposal,
        pins: reducedBy(thread.state, pinsReducer),
      })
      refusal = result.ok ? undefined : result.refusal
      return result.ok ? [withCounts(result.data, thread.id, context, eventAt)] : []
    }, 'leave')
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
