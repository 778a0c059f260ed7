// Turns checked drafts into events: ids, times and numbers, calls tied to their answer, open calls closed.

import { PrecisError } from '../core/errors.ts'
import { checkEvent } from '../core/log/codec.ts'
import {
  abortedResult,
  EVENT_VERSION,
  type EventAt,
  type EventDraft,
  type ThreadEvent,
} from '../core/log/event.ts'
import type { Clock, Ids } from '../core/ports.ts'
import type { ThreadFold, ThreadState } from '../core/view/thread-state.ts'

/**
 * What to do when something other than a result arrives while calls are open: `close` first answers them as
 * aborted, `leave` keeps a foreign log unchanged.
 */
export type OpenCalls = 'close' | 'leave'

export interface Numbering {
  readonly threadId: string
  readonly clock: Clock
  readonly ids: Ids
  readonly fold: ThreadFold
  readonly openCalls: OpenCalls
  readonly rows: { readonly eventAt: EventAt }
}

const ENDS_ROUND = new Set(['USER_MESSAGE', 'AGENT_MESSAGE', 'SYSTEM_REMINDER', 'CHECKPOINT'])

/** The events these drafts become at the end of the log, and the state after them. */
export function numberDrafts(
  drafts: readonly EventDraft[],
  from: ThreadState,
  numbering: Numbering,
): { events: ThreadEvent[]; state: ThreadState } {
  const events: ThreadEvent[] = []
  const first = from.context.version + 1
  const eventAt: EventAt = (seq) => events[seq - first] ?? numbering.rows.eventAt(seq)
  let state = from
  const add = (draft: EventDraft) => {
    const event = numbered(draft, state.context.version + 1, events, numbering)
    events.push(event)
    state = numbering.fold.step(state, event, eventAt)
  }
  for (const draft of joinPrompts(drafts)) {
    if (numbering.openCalls === 'close' && ENDS_ROUND.has(draft.type))
      for (const call of state.context.open) add(abortedResult(call))
    add(draft)
  }
  requireCalls(events)
  return { events, state }
}

/** Consecutive prompts count as one, and the last applies, so it includes the earlier ones. */
function joinPrompts(drafts: readonly EventDraft[]): EventDraft[] {
  let before: string | undefined
  return drafts.map((draft) => {
    if (draft.type !== 'SYSTEM_PROMPT') {
      before = undefined
      return draft
    }
    const isNew = before !== undefined && !`${draft.data}`.startsWith(before)
    const data = isNew ? `${before}\n\n${draft.data}` : draft.data
    before = data
    return { ...draft, data }
  })
}

function numbered(
  draft: EventDraft,
  seq: number,
  earlier: readonly ThreadEvent[],
  numbering: Numbering,
): ThreadEvent {
  const data =
    draft.type === 'TOOL_CALL' && draft.data // missing data is rejected below
      ? { ...draft.data, answer: readAnswer(draft.data.id, earlier) }
      : draft.data
  const event = {
    v: EVENT_VERSION,
    id: draft.id ?? numbering.ids.next('evt'),
    threadId: numbering.threadId,
    seq,
    timestamp: draft.timestamp ?? numbering.clock.now(),
    type: draft.type,
    data,
    ...(draft.origin && { origin: draft.origin }),
    ...(draft.source !== undefined && { source: draft.source }),
  } as ThreadEvent
  requireReadable(event)
  return event
}

/** An unreadable event would be in the live context but missing from the next replay. */
function requireReadable(event: ThreadEvent): void {
  const time = event.timestamp
  if (!(time instanceof Date) || Number.isNaN(time.getTime()))
    throw new PrecisError('invalid-input', 'The timestamp of a draft is not a valid date.', {
      where: `${event.type} ${event.id}`,
      hint: 'Give a Date, or leave it out.',
    })
  const cause = checkEvent(event)
  if (!cause) return
  // Replace the reader's words before the colon: here something was to be written.
  const problem = cause.message.replace(/^[^:]*: /, '')
  throw new PrecisError('invalid-input', `A draft is not a valid event: ${problem}`, {
    where: `${event.type} ${event.id}`,
    hint: 'Nothing was appended. Types of events and their data: docs/log-format.md.',
    cause,
  })
}

/** A call belongs to the answer right before it, which must list it. */
function readAnswer(callId: string, earlier: readonly ThreadEvent[]): number {
  const answer = earlier.findLast((event) => event.type !== 'TOOL_CALL')
  if (answer?.type === 'AGENT_MESSAGE' && answer.data.calls.includes(callId)) return answer.seq
  throw new PrecisError(
    'invalid-input',
    `The tool call ${callId} does not follow the answer that lists it.`,
    {
      where: `TOOL_CALL ${callId}`,
      hint: 'Append an AGENT_MESSAGE whose `calls` names it, with its TOOL_CALLs right behind, in one append.',
    },
  )
}

/** An answer without its calls' arguments could never be sent again. */
function requireCalls(events: readonly ThreadEvent[]): void {
  const given = new Set(
    events.flatMap((event) =>
      event.type === 'TOOL_CALL' ? [`${event.data.answer} ${event.data.id}`] : [],
    ),
  )
  for (const event of events) {
    if (event.type !== 'AGENT_MESSAGE') continue
    const missing = event.data.calls.find((call) => !given.has(`${event.seq} ${call}`))
    if (missing !== undefined)
      throw new PrecisError(
        'invalid-input',
        `The answer lists the call ${missing}, but no TOOL_CALL came with it.`,
        {
          where: `AGENT_MESSAGE ${event.id}`,
          hint: 'Append an answer and its TOOL_CALLs in one append.',
        },
      )
  }
}
