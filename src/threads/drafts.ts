// Drafts, checked, become events: ids, times and numbers, calls tied to their answer, open calls closed.

import type { EntryId } from '../core/edit/change.ts'
import { PrecisError } from '../core/errors.ts'
import { checkEvent, readRow } from '../core/log/codec.ts'
import {
  abortedResult,
  EVENT_VERSION,
  type EventAt,
  type EventDraft,
  isChangeType,
  type PinData,
  type ThreadEvent,
} from '../core/log/event.ts'
import type { Clock, Ids, Store } from '../core/ports.ts'
import type { Context } from '../core/view/context.ts'
import type { ThreadFold, ThreadState } from '../core/view/thread-state.ts'

/**
 * What to do when something other than a result comes while calls are open: `close` answers them as
 * aborted first, `leave` keeps a foreign log as it is.
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

/** The events that these drafts become at the end of the log, and the state after them. */
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

/** Prompts right behind each other are one: the last counts, so it takes in those before it. */
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
    draft.type === 'TOOL_CALL' && draft.data // without data it is refused below
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

/** What could not be read back would be in the live context and missing from the next replay. */
function requireReadable(event: ThreadEvent): void {
  const time = event.timestamp
  if (!(time instanceof Date) || Number.isNaN(time.getTime()))
    throw new PrecisError('invalid-input', 'The timestamp of a draft is not a valid date.', {
      where: `${event.type} ${event.id}`,
      hint: 'Give a Date, or leave it out.',
    })
  const cause = checkEvent(event)
  if (!cause) return
  // Its words are those of a reader, up to the colon: here something was to be written.
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

/** An answer without the arguments of its calls could never be sent again. */
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

// Validates drafts, pins and forks before they reach the log; reads a whole log

const IMPORT_DRAFTS = 1_000
const CALL_ROWS = 64
const READ_ROWS = 2_000

/** Only the gate and an undo change a context: no caller writes such an event. */
export function requireOrdinary(drafts: readonly EventDraft[]): void {
  if (!Array.isArray(drafts))
    throw new PrecisError('invalid-input', 'Drafts must be an array.', {
      hint: 'Nothing was appended. Pass an array, also for a single draft: [{ type, data }].',
    })
  for (const draft of drafts) requireDraft(draft)
}

function requireDraft(draft: EventDraft): void {
  if (typeof draft !== 'object' || draft === null)
    throw new PrecisError('invalid-input', 'A draft is an object with `type` and `data`.', {
      hint: 'Nothing was appended. Types of events and their data: docs/log-format.md.',
    })
  if (isChangeType(draft.type))
    throw new PrecisError('invalid-input', `A ${draft.type} cannot be appended by hand.`, {
      where: draft.type,
      hint: 'Use compact, undo, redo or expand: they pass the gate.',
    })
}

export function requirePin({ entries = [], text }: Omit<PinData, 'pinId'>): void {
  if (entries.length > 0 || (text ?? '').trim() !== '') return
  throw new PrecisError('invalid-input', 'A pin needs entries or a text.', {
    hint: 'Name entries of the context, or give the text to keep.',
  })
}

export function requireVisible(context: Context, entries: readonly EntryId[]): void {
  const visible = new Set(context.items.toArray().map((item) => item.id))
  const missing = entries.find((id) => !visible.has(id))
  if (missing !== undefined)
    throw new PrecisError(
      'unknown-entry',
      `${missing} is not in the context, so it cannot be pinned.`,
      {
        where: missing,
        hint: 'Expand it first, or pin its text.',
      },
    )
}

/** An answer and its calls were appended together: a cut between them moves behind the last call. */
export async function wholeAppend(store: Store, threadId: string, seq: number): Promise<number> {
  let at = seq
  for (;;) {
    const rows = await store.read(threadId, { from: at + 1, limit: CALL_ROWS })
    const others = rows.findIndex((row) => row.type !== 'TOOL_CALL')
    if (others >= 0) return at + others
    at += rows.length
    if (rows.length < CALL_ROWS) return at
  }
}

export function* batches(drafts: readonly EventDraft[]): Generator<readonly EventDraft[]> {
  let from = 0
  while (from < drafts.length) {
    let to = Math.min(from + IMPORT_DRAFTS, drafts.length)
    while (drafts[to]?.type === 'TOOL_CALL') to += 1
    yield drafts.slice(from, to)
    from = to
  }
}

export async function readAll(store: Store, threadId: string): Promise<ThreadEvent[]> {
  const events: ThreadEvent[] = []
  for (;;) {
    const rows = await store.read(threadId, { from: events.length + 1, limit: READ_ROWS })
    for (const row of rows) events.push(readRow(row))
    if (rows.length < READ_ROWS) return events
  }
}
