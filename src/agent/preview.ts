// A compaction in two steps: proposed and looked at, then applied as it is or with other words, or dropped.
import type { Context } from '../core/context.ts'
import { asPrecisError, PrecisError } from '../core/errors.ts'
import type { EventAt } from '../core/event.ts'
import type { CompactionResult } from '../core/frame.ts'
import { type Committed, passGate } from '../core/gate.ts'
import { type Pins, pinsReducer } from '../core/pins.ts'
import type { Proposal, Strategy } from '../core/strategy.ts'
import { reducedBy } from '../core/thread-state.ts'
import type { PreparedCompaction } from '../threads/compact-thread.ts'
import { type CompactOptions, orderOf } from './compact-thread.ts'
import type { CompactionOrder } from './compaction-run.ts'
import { contextWithRows } from './context-rows.ts'
import type { AgentCore, Turn } from './core.ts'
import { FRESH_SESSION, requireExchange } from './fresh-session.ts'
import { pinningOf } from './pinning.ts'

/** What would be done, on the context that it was made for. Nothing has happened yet. */
export interface CompactionPreview {
  readonly prepared: PreparedCompaction
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins: Pins
  /** What the gate would let pass; absent where a new thread is to be opened instead. */
  readonly change?: Committed
}

/** Rejects where nothing can be proposed, or the gate would refuse it. */
export async function previewCompaction(
  core: AgentCore,
  threadId: string,
  options: Omit<CompactOptions, 'leaveInbox'> = {},
): Promise<CompactionPreview> {
  await core.ports.threads.context(threadId) // an unknown thread is said at once
  const desk = core.desks.of(threadId)
  const own = new AbortController()
  const signals = [own.signal, core.closing, ...(options.signal ? [options.signal] : [])]
  desk.waiting.add(own) // so that aborting the thread ends it, too
  try {
    return await firstProposed({ core, desk, signal: AbortSignal.any(signals), depth: 0 }, options)
  } finally {
    desk.waiting.delete(own)
  }
}

async function firstProposed(turn: Turn, options: CompactOptions): Promise<CompactionPreview> {
  const { desk, signal } = turn
  while (desk.work?.isBrief) await desk.work.settled
  const order = await orderOf(turn, options)
  if (order.strategies.includes(FRESH_SESSION))
    await requireExchange(turn, desk.work ? 'beside' : 'alone')
  let last = new PrecisError('internal', 'No strategy is configured.')
  for (const strategy of order.strategies) {
    try {
      const propose = () => proposed(turn, order, strategy)
      return await (order.isAtRest ? desk.request.run(propose) : propose())
    } catch (thrown) {
      last = asPrecisError(thrown)
      if (last.code === 'aborted' || signal.aborted) break
    }
  }
  throw last
}

/**
 * Applies a preview, with the proposal as it is by now. A run as every other: with its frames, its lease and
 * the gate. Rejects as `stale` where another compaction was first.
 */
export async function applyPreview(
  core: AgentCore,
  threadId: string,
  { prepared, context }: CompactionPreview,
  proposal: Proposal,
  compact: (threadId: string, options: CompactOptions) => Promise<CompactionResult>,
): Promise<CompactionResult> {
  const desk = core.desks.of(threadId)
  while (desk.work?.isBrief) await desk.work.settled
  if (desk.compaction) throw stale()
  if (proposal.fresh)
    await requireExchange(
      { core, desk, signal: core.closing, depth: 0 },
      desk.work ? 'beside' : 'alone',
    )
  let isAsked = false
  const kept: Strategy = {
    id: prepared.strategyId,
    async propose(input) {
      isAsked = true
      // Its summary speaks for the whole conversation: what came since would be left behind.
      if (proposal.fresh && entriesOf(input.context) !== entriesOf(context)) throw stale()
      return proposal
    },
  }
  const result = await compact(threadId, { strategy: kept })
  if (!isAsked && result.success) throw stale()
  return result
}

async function proposed(
  { core, desk, signal }: Turn,
  order: CompactionOrder,
  strategy: string | Strategy,
): Promise<CompactionPreview> {
  const { threads, models } = core.ports
  const { strategies: _, message: __, isAtRest: ___, model: ____, asking, ...run } = order
  const pinning = await pinningOf(core, desk.threadId)
  const given = { ...run, ...asking, provider: models.summarizer, signal, pinning }
  const prepared = await threads.prepare(desk.threadId, strategy, given)
  const { context, eventAt } = await contextWithRows(threads, desk.threadId)
  const standing = reducedBy(await threads.state(desk.threadId), pinsReducer)
  const pins = [...standing, ...(prepared.pins ?? [])]
  if (prepared.proposal.fresh) {
    if (context.version > prepared.basedOn) throw stale()
    return { prepared, context, eventAt, pins }
  }
  const result = passGate({ ...prepared, context, eventAt, pins })
  if (result.ok) return { prepared, context, eventAt, pins, change: result.data }
  const { reason, message } = result.refusal
  throw new PrecisError('gate-refused', message, { details: { reason } })
}

function entriesOf({ items }: Context): string {
  return items
    .toArray()
    .map(({ id }) => id)
    .join()
}

function stale(): PrecisError {
  const message = 'The conversation was changed meanwhile: the preview is stale.'
  return new PrecisError('gate-refused', message, {
    hint: 'Create a new preview.',
    details: { reason: 'stale' },
  })
}
