// Makes the rows of a page again: what was appended is appended, what was compacted is compacted.
import { readRow } from '../../src/core/log/codec.ts'
import type { EventDraft, EventOf, ThreadEvent } from '../../src/core/log/event.ts'
import type { Clock, Ids, Row } from '../../src/core/ports.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { createThreads, type Threads } from '../../src/threads/threads.ts'

/** The rows that a store then holds, by thread. Names and times are those of the given rows. */
export async function replayRows(rows: readonly Row[]): Promise<Map<string, readonly Row[]>> {
  const events = rows.map(readRow)
  const ports = new NamesOf()
  const store = memoryStore()
  const threads = createThreads({ store, clock: ports, ids: ports })
  for (const [index, event] of events.entries()) {
    ports.event = event
    // The calls went in with their answer.
    if (event.type !== 'TOOL_CALL') await replay(threads, event, callsAfter(events, index))
  }
  const stored = new Map<string, readonly Row[]>()
  for (const { threadId } of events) stored.set(threadId, await store.read(threadId))
  return stored
}

/** Gives whatever is made the name and the time of the event that is to be made. */
class NamesOf implements Clock, Ids {
  event: ThreadEvent | undefined

  now(): Date {
    return this.event?.timestamp ?? new Date(0)
  }

  async sleep(): Promise<void> {
    // Nothing in a replay waits.
  }

  next(prefix: string): string {
    if (prefix === 'run' && this.event?.type === 'COMPACTION') return this.event.data.runId
    return (prefix === 'thr' ? this.event?.threadId : this.event?.id) ?? ''
  }
}

async function replay(
  threads: Threads,
  event: ThreadEvent,
  calls: readonly ThreadEvent[],
): Promise<unknown> {
  const { threadId } = event
  switch (event.type) {
    case 'THREAD_STARTED': {
      const { from, reason } = event.data
      return from && reason === 'fork'
        ? threads.fork(from.threadId, from.seq)
        : threads.create({ ...event.data, threadId })
    }
    case 'COMPACTION':
      return compact(threads, event)
    case 'COMPACTION_UNDONE':
      return threads.undo(threadId, event.data.reverts)
    case 'COMPACTION_REDONE':
      return threads.redo(threadId, event.data.reverts)
    default:
      return threads.append(threadId, [event, ...calls].map(draftOf))
  }
}

/** Proposes the edits of the row: the gate must make the rest of it. */
async function compact(threads: Threads, event: EventOf<'COMPACTION'>): Promise<void> {
  const { strategyId, trigger, edits, closes, metadata, usage } = event.data
  threads.register({
    id: strategyId,
    propose: async () => ({
      edits,
      ...(closes && { closes }),
      ...(metadata !== undefined && { metadata }),
      ...(usage && { usage }),
    }),
  })
  const outcome = await threads.compact(event.threadId, strategyId, { trigger })
  if (!outcome.committed) throw new Error(`event ${event.seq}: ${outcome.refusal.message}`)
}

function callsAfter(events: readonly ThreadEvent[], index: number): readonly ThreadEvent[] {
  const rest = events.slice(index + 1)
  const end = rest.findIndex(({ type }) => type !== 'TOOL_CALL')
  return end === -1 ? rest : rest.slice(0, end)
}

function draftOf({ v: _, threadId, seq, ...draft }: ThreadEvent): EventDraft {
  return draft as EventDraft
}
