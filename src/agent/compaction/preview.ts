// A compaction in two steps: proposed for a look, then applied, possibly with edits, or dropped.
import { proposeOnly } from '../../compaction/compact-thread.ts'
import type { ProposalRecord } from '../../compaction/plan.ts'
import type { RunResult } from '../../core/agent/frame.ts'
import type { GatedChange } from '../../core/edit/gate.ts'
import type { Pins } from '../../core/edit/pins.ts'
import { FRESH_SESSION, type Proposal, type Strategy } from '../../core/edit/strategy.ts'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { Context } from '../../core/view/context.ts'
import type { AgentCore, Turn } from '../core.ts'
import { computeOrder, type OrderOptions } from './compact-thread.ts'
import type { Order } from './compaction-run.ts'
import { requireExchange } from './fresh-session.ts'

/** What would be done, with the context it was made for. Nothing has happened. */
export interface PreviewedProposal {
  readonly prepared: ProposalRecord
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins: Pins
  /** The change the gate would accept; absent if it opens a new thread. */
  readonly change?: GatedChange
}

/** Rejects without a valid proposal. */
export async function previewCompaction(
  core: AgentCore,
  threadId: string,
  options: Omit<OrderOptions, 'leaveInbox'> = {},
): Promise<PreviewedProposal> {
  await core.ports.threads.context(threadId) // an unknown thread fails at once
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

async function firstProposed(turn: Turn, options: OrderOptions): Promise<PreviewedProposal> {
  const { desk, signal } = turn
  while (desk.work?.isBrief) await desk.work.settled
  const order = await computeOrder(turn, options)
  if (order.plan.strategies.includes(FRESH_SESSION))
    await requireExchange(turn, desk.work ? 'beside' : 'alone')
  let last = new PrecisError('internal', 'No strategy is configured.')
  for (const strategy of order.plan.strategies) {
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
 * Applies a preview with its current proposal: an ordinary run with frames, lease and gate. Rejects as
 * `stale` if another compaction was faster.
 */
export async function applyPreview(
  core: AgentCore,
  threadId: string,
  { prepared, context }: PreviewedProposal,
  proposal: Proposal,
  compact: (threadId: string, options: OrderOptions) => Promise<RunResult>,
): Promise<RunResult> {
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
      // Its summary covers the whole conversation, so later messages would be lost.
      if (proposal.fresh && readEntries(input.context) !== readEntries(context)) throw stale()
      return proposal
    },
  }
  const result = await compact(threadId, { strategy: kept })
  if (!isAsked && result.success) throw stale()
  return result
}

async function proposed(
  { core, desk }: Turn,
  { plan }: Order,
  strategy: string | Strategy,
): Promise<PreviewedProposal> {
  const { strategies: _, acceptableTokens: __, lastResort: ___, ...options } = plan
  const { judged, record } = await proposeOnly(core.ports.threads, desk.threadId, strategy, options)
  const { result, ...seen } = judged
  if (!result.ok) {
    const { reason, message } = result.refusal
    throw new PrecisError('gate-refused', message, { details: { reason } })
  }
  if (!record.proposal.fresh) return { prepared: record, ...seen, change: result.data }
  if (seen.context.version > record.basedOn) throw stale()
  return { prepared: record, ...seen }
}

function readEntries({ items }: Context): string {
  return items
    .toArray()
    .map(({ id }) => id)
    .join()
}

function stale(): PrecisError {
  const message = 'The conversation has changed: the preview is stale.'
  return new PrecisError('gate-refused', message, {
    hint: 'Create a new preview.',
    details: { reason: 'stale' },
  })
}
