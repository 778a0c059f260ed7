// A long thread, put straight into a store: rounds of five events, each with a call and its result.
import { EVENT_VERSION, type EventDraft, type NewEvent } from '../../src/core/log/event.ts'
import type { Store } from '../../src/core/ports.ts'
import { answer, result } from '../say.ts'

const NOON = new Date(Date.UTC(2026, 0, 1, 12))
const EVENTS_AT_ONCE = 5_000

/** One question and what came of it. The call names the event that it belongs to. */
function round(at: number, seq: number): EventDraft[] {
  const id = `call-${at}`
  return [
    { type: 'USER_MESSAGE', data: `Question ${at} of many.` },
    { type: 'AGENT_MESSAGE', data: { content: `I look at file ${at}.`, calls: [id] } },
    { type: 'TOOL_CALL', data: { id, name: 'read', arguments: { path: 'x' }, answer: seq + 2 } },
    result(id, `line ${at}\n`.repeat(1 + (at % 7))),
    ...answer(`Answer ${at}.${' It goes on.'.repeat((at % 11) * 5)}`),
  ]
}

/** Past the threads, straight into the store: they would weigh every event as it comes. */
export async function fill(store: Store, threadId: string, version: number, rounds: number) {
  const drafts = Array.from({ length: rounds }, (_, at) => round(at, version + 5 * at)).flat()
  const events = drafts.map(
    (draft, at) =>
      ({
        v: EVENT_VERSION,
        threadId,
        id: `evt_long_${threadId}_${at}`,
        timestamp: NOON,
        ...draft,
      }) as NewEvent,
  )
  for (let at = 0; at < events.length; at += EVENTS_AT_ONCE)
    await store.append(threadId, events.slice(at, at + EVENTS_AT_ONCE), {
      expectedVersion: version + at,
    })
}
