// The content of a new thread: origin, inherited settings, summary, and what stays.
import type { EntryId, NewEntry } from '../core/edit/change.ts'
import type { GateResult } from '../core/edit/gate.ts'
import type { Pins } from '../core/edit/pins.ts'
import {
  abortedResult,
  type EventAt,
  type EventDraft,
  type PinData,
  type ThreadStarted,
} from '../core/log/event.ts'
import { inheritedDrafts } from '../core/settings/settings-keys.ts'
import type { Context } from '../core/view/context.ts'
import {
  findRoot,
  type Item,
  originalId,
  parseEntryId,
  readNewEntries,
} from '../core/view/entry.ts'
import { contentOf } from '../core/view/entry-content.ts'
import { noteElsewhere } from '../core/view/last-request.ts'
import type { EditableThread } from './editable-thread.ts'
import type { ProposalRecord } from './plan.ts'

export interface NewThreadInput {
  readonly thread: EditableThread
  readonly record: ProposalRecord
  readonly result: Extract<GateResult, { readonly ok: true }>
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins: Pins
}

/** The complete first append, including what moves from elsewhere. */
export type NewThread = (
  moving: readonly EventDraft[],
  newPinId: () => string,
) => { readonly started: ThreadStarted; readonly drafts: readonly EventDraft[] }

/** Number of the first draft; the event that starts the thread precedes it. */
const FIRST_SEQ = 2

/** Reads everything now, while the old thread cannot change. */
export function buildNewThread(input: NewThreadInput): NewThread {
  const { thread, record, context, eventAt, pins } = input
  const first = eventAt(1)
  const owner = first?.type === 'THREAD_STARTED' ? first.data.owner : undefined
  const { usage } = record.proposal
  const started: ThreadStarted = {
    from: { threadId: thread.id, seq: context.version },
    reason: 'fresh-session',
    ...(owner !== undefined && { owner }),
    ...(usage && { usage }),
  }
  // The same prompts, model, thinking, preset and folder, and so the same tools (FRESH-28).
  const settings = inheritedDrafts(thread.state, promptsIn(context, eventAt))
  const entries = readEntries(input)
  return (moving, newPinId) => {
    const before = [...moving, ...settings]
    const pinned = pinsThere(pins, entries, FIRST_SEQ + before.length, newPinId)
    return { started, drafts: [...before, ...entries.flatMap(({ drafts }) => drafts), ...pinned] }
  }
}

function promptsIn({ head }: Context, eventAt: EventAt): string[] {
  return [head.system, head.userSystem].flatMap((seq) => {
    const event = seq === undefined ? undefined : eventAt(seq)
    const isPrompt = event?.type === 'SYSTEM_PROMPT' || event?.type === 'USER_SYSTEM_PROMPT'
    return isPrompt ? [event.data] : []
  })
}

interface MovedEntry {
  readonly id: EntryId // in the old thread
  readonly drafts: readonly EventDraft[]
}

/** What the gate accepted: summary, pinned entries, pinned texts (ALWAYS-21), later messages. */
function readEntries({ thread, context, eventAt, result }: NewThreadInput): MovedEntry[] {
  const put = readNewEntries(result.data.edits)
  return result.applied.items.map(({ id }: Item): MovedEntry => {
    const parsed = parseEntryId(id)
    const isNew = !parsed.original && parsed.seq === context.version + 1
    const drafts = isNew
      ? buildOpening(put[parsed.index], thread.id)
      : entryDrafts(id, eventAt, context.open)
    return { id, drafts }
  })
}

function buildOpening(entry: NewEntry | undefined, from: string): EventDraft[] {
  if (entry?.type !== 'USER_MESSAGE') return []
  const { data, label } = entry
  const isNote = label === 'carried' && typeof data === 'string'
  return [
    {
      type: 'USER_MESSAGE',
      data: isNote ? noteElsewhere(data, from) : data,
      origin: 'summary',
    },
  ]
}

/** Calls without a future answer are closed here, because nothing else may come between. */
function entryDrafts(id: EntryId, eventAt: EventAt, open: ReadonlySet<string>): EventDraft[] {
  const content = contentOf(id, eventAt)
  switch (content?.kind) {
    case 'user':
      return [{ type: 'USER_MESSAGE', data: content.content, ...findWriter(id, eventAt) }]
    case 'answer':
      return [
        { type: 'AGENT_MESSAGE', data: content.answer },
        ...content.calls.map(
          (call): EventDraft => ({ type: 'TOOL_CALL', data: { ...call, answer: 0 } }), // numbered by the log
        ),
        ...content.calls.filter((call) => open.has(call.id)).map((call) => abortedResult(call.id)),
      ]
    case 'result':
      return [{ type: 'TOOL_RESULT', data: content.result }]
    case 'reminder':
      return [{ type: 'SYSTEM_REMINDER', data: content.text }]
    default:
      return []
  }
}

/** Keep the author: without an origin a message would count as typed by a person. */
function findWriter(id: EntryId, eventAt: EventAt): Pick<EventDraft, 'origin'> {
  const { original, seq } = parseEntryId(findRoot(id, eventAt))
  const event = original ? eventAt(seq) : undefined
  if (!event) return { origin: 'summary' }
  const origin = event.origin ?? (event.source === undefined ? undefined : 'client')
  return origin === undefined ? {} : { origin }
}

/** Pins of the new thread, with its entry ids. */
function pinsThere(
  pins: Pins,
  entries: readonly MovedEntry[],
  firstSeq: number,
  newPinId: () => string,
): EventDraft[] {
  const nameOf = new Map<string, EntryId>()
  let seq = firstSeq
  for (const { id, drafts } of entries) {
    if (drafts.length > 0) nameOf.set(id, originalId(seq))
    seq += drafts.length
  }
  return pins.flatMap(({ text, entries: ids, by, wasSet }): EventDraft[] => {
    const there = ids?.flatMap((id) => nameOf.get(id) ?? [])
    if (text === undefined && !there?.length) return []
    const data: PinData = {
      pinId: newPinId(),
      ...(text !== undefined && { text }),
      ...(there?.length && { entries: there }),
      ...(by !== undefined && { by }),
      ...(wasSet !== undefined && { wasSet }),
    }
    return [{ type: 'PIN', data }]
  })
}
