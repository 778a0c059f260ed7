// How large the context was over a thread: folded from its log, so that imported ones have it, too.
import { readRow } from '../core/codec.ts'
import { calibrationOf, emptyContext, foldEvent } from '../core/context.ts'
import { type EventAt, type EventOf, isChange, type ThreadEvent } from '../core/event.ts'
import type { Store } from '../core/ports.ts'
import { readContext } from '../core/reading.ts'
import type { TimelinePoint } from '../protocol/client.ts'

const PAGE_ROWS = 2_000
/** More would not be seen apart on any screen. */
const MOST_POINTS = 2_000

export async function timelineOf(
  store: Pick<Store, 'read'>,
  threadId: string,
): Promise<TimelinePoint[]> {
  const events: ThreadEvent[] = []
  const eventAt: EventAt = (at) => events[at - 1]
  const points: TimelinePoint[] = []
  let context = emptyContext()
  for (;;) {
    const rows = await store.read(threadId, { from: events.length + 1, limit: PAGE_ROWS })
    for (const event of rows.map(readRow)) {
      events.push(event)
      context = foldEvent(context, event, eventAt)
      if (event.type !== 'AGENT_MESSAGE' && !isChange(event)) continue
      const { tokens, by } = readContext(context, calibrationOf(context))
      if (tokens === undefined || by === undefined) continue
      points.push({
        seq: event.seq,
        tokens,
        by,
        ...(event.type === 'COMPACTION' && { compaction: compactionOf(event) }),
      })
    }
    if (rows.length < PAGE_ROWS) return thinned(points)
  }
}

function compactionOf({ data }: EventOf<'COMPACTION'>): TimelinePoint['compaction'] & object {
  const [before, after] = [data.before?.tokens, data.after?.tokens]
  return {
    strategy: data.strategyId,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  }
}

/** Compactions stay, and of each stretch between them the largest. */
function thinned(points: readonly TimelinePoint[]): TimelinePoint[] {
  if (points.length <= MOST_POINTS) return [...points]
  const stretch = Math.ceil(points.length / MOST_POINTS)
  const kept: TimelinePoint[] = []
  for (let at = 0; at < points.length; at += stretch) {
    const some = points.slice(at, at + stretch)
    const largest = some.reduce((one, other) => (other.tokens > one.tokens ? other : one))
    kept.push(...some.filter((point) => point === largest || point.compaction))
  }
  const last = points.at(-1)
  if (last && kept.at(-1) !== last) kept.push(last)
  return kept
}
