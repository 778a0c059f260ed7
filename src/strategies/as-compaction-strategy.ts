// A strategy in the form of the LOG design: plain events in, one COMPACTION event out, nothing appended.
import { passGate } from '../core/edit/pass-gate.ts'
import { refsBeside } from '../core/edit/report.ts'
import type { CompactionContext, Proposal, Strategy } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import { EVENT_VERSION, type EventAt, type EventOf, type ThreadEvent } from '../core/log/event.ts'
import { adoptEvents, type PlainEvent } from '../core/log-design/from-plain-events.ts'
import type { Clock, Ids } from '../core/ports.ts'
import { type CompactionEvent, compactedEvents, withCompacted } from '../core/view/api-events.ts'
import { foldEvent, foldEvents } from '../core/view/context.ts'
import { parseEntryId } from '../core/view/entry.ts'

export interface CompactionStrategy {
  readonly id: string
  compact(events: readonly PlainEvent[], context: CompactionContext): Promise<CompactionEvent>
}

export function asCompactionStrategy(
  strategy: Strategy,
  ports: { clock: Clock; ids: Ids },
): CompactionStrategy {
  return {
    id: strategy.id,
    async compact(plain, run) {
      const { events, invented } = adoptEvents(plain, run.threadId)
      const eventAt: EventAt = (seq) => events[seq - 1]
      const context = foldEvents(events, eventAt)
      const proposal = withLosses(
        await strategy.propose({ context, eventAt, run, trigger: 'command' }),
        eventAt,
      )
      if (proposal.fresh)
        throw new PrecisError(
          'gate-refused',
          `${strategy.id} starts a new thread, but this interface has no threads.`,
          {
            details: { reason: 'no-edits' },
          },
        )
      const runId = ports.ids.next('run')
      const gate = {
        context,
        eventAt,
        proposal,
        basedOn: context.version,
        strategyId: strategy.id,
        runId,
      }
      const result = passGate({ ...gate, trigger: 'command', pins: [] })
      if (!result.ok)
        throw new PrecisError('gate-refused', result.refusal.message, {
          details: { reason: result.refusal.reason },
        })
      const bare: EventOf<'COMPACTION'> = {
        v: EVENT_VERSION,
        id: ports.ids.next('evt'),
        threadId: run.threadId,
        seq: context.version + 1,
        timestamp: ports.clock.now(),
        type: 'COMPACTION',
        data: { ...result.data, originalEventCount: plain.length, compactedEventCount: 0 },
      }
      const withBare: EventAt = (seq) => (seq === bare.seq ? bare : eventAt(seq))
      const after = foldEvent(context, bare, withBare)
      const shown = compactedEvents(after, withBare).filter(({ id }) => !invented.has(id))
      const compacted = asGiven(shown, plain, events)
      const counted = { ...bare, data: { ...bare.data, compactedEventCount: compacted.length } }
      return withCompacted(counted, compacted)
    },
  }
}

/** Without a log refs lead nowhere, so the ids of omitted events replace them. */
function withLosses(proposal: Proposal, eventAt: EventAt): Proposal {
  const refs = refsBeside(proposal.metadata)
  if (refs.length === 0) return proposal
  const losses = refs.flatMap((ref) => eventAt(parseEntryId(ref).seq)?.id ?? [])
  const { refs: _, ...metadata } = Object(proposal.metadata)
  return { ...proposal, metadata: { ...metadata, losses } }
}

/** Events keep their order and are unchanged unless rewritten. */
function asGiven(
  shown: readonly ThreadEvent[],
  plain: readonly PlainEvent[],
  adopted: readonly ThreadEvent[],
): ThreadEvent[] {
  const placeOf = new Map(plain.map((event, at) => [event.id, at]))
  const untouched = new Set(adopted)
  const given = shown
    .filter(({ id }) => placeOf.has(id))
    .toSorted((a, b) => (placeOf.get(a.id) ?? 0) - (placeOf.get(b.id) ?? 0))
  return shown.map((event) => {
    if (!placeOf.has(event.id)) return event
    const next = given.shift() ?? event
    const data = plain[placeOf.get(next.id) ?? -1]?.data
    return untouched.has(next) ? ({ ...next, data } as ThreadEvent) : next
  })
}
