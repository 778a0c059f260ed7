// The second half of the road: the gate judges a proposal, one append commits it, and a report says what it did.

import type { EntryId, NewEntry } from '../core/edit/change.ts'
import type { GateResult } from '../core/edit/gate.ts'
import type { Refusal } from '../core/edit/gate-checks.ts'
import { passGate } from '../core/edit/pass-gate.ts'
import { type Pins, pinsReducer } from '../core/edit/pins.ts'
import type { CompactionReport } from '../core/edit/report.ts'
import { PrecisError } from '../core/errors.ts'
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
import { reducedBy } from '../core/view/thread-state.ts'
import {
  buildReport,
  type Committed,
  type EditableThread,
  type OpenThread,
  type ProposalRecord,
  type Refused,
  withCounts,
} from './plan.ts'

export interface CommitPorts {
  readonly open: OpenThread
  newId(prefix: string): string
  /** What else goes with the conversation into a new thread: asked right before that is opened. */
  moving?(): Promise<readonly EventDraft[]>
}

/** A proposal that the gate has let pass, on the context that it was judged on. */
export interface JudgedProposal {
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins: Pins
  readonly result: GateResult
}

/** What the gate says of a proposal now. Changes nothing. */
export function judgeProposal(
  thread: EditableThread,
  record: ProposalRecord,
): Promise<JudgedProposal> {
  return thread.exclusively(async () => {
    const judged = await judge(thread, record)
    return { ...judged, eventAt: thread.rows.copy() }
  })
}

/** The one path by which a compaction comes about. A conflict passes the gate again. */
export function applyCompaction(
  thread: EditableThread,
  record: ProposalRecord,
  ports: CommitPorts,
): Promise<Committed | Refused> {
  return record.proposal.fresh
    ? openInstead(thread, record, ports)
    : thread.exclusively(() => appendChange(thread, record))
}

async function judge(thread: EditableThread, record: ProposalRecord): Promise<JudgedProposal> {
  await thread.refresh()
  await thread.loadContext()
  const { context } = thread
  const { eventAt } = thread.rows
  const pins = [...reducedBy(thread.state, pinsReducer), ...(record.pins ?? [])]
  return { context, eventAt, pins, result: passGate({ ...record, context, eventAt, pins }) }
}

async function appendChange(
  thread: EditableThread,
  record: ProposalRecord,
): Promise<Committed | Refused> {
  let refusal: Refusal | undefined
  let report: CompactionReport | undefined
  const events = await thread.append(
    async () => {
      const judged = await judge(thread, record)
      const { result } = judged
      refusal = result.ok ? undefined : result.refusal
      if (!result.ok) return []
      const counted = withCounts(result, thread.id, judged)
      report = buildReport(record, counted, judged)
      const found = (record.pins ?? []).map((data) => ({ type: 'PIN', data }) as const)
      const { madeAt } = record
      const timestamp = madeAt === undefined ? {} : { timestamp: new Date(madeAt) }
      return [{ type: 'COMPACTION', data: counted.change, ...timestamp }, ...found]
    },
    'leave',
    record.expectedVersion,
  )
  // It is through, committed or refused: another run is to do its work anew.
  await thread.scratch.clear()
  const event = events.find((candidate) => candidate.type === 'COMPACTION')
  const { seq: version } = events.at(-1) ?? event ?? {}
  if (event && report && version !== undefined) return { committed: true, event, version, report }
  if (refusal) return { committed: false, refusal }
  throw new PrecisError('internal', 'The gate accepted a compaction, but nothing was appended.')
}

/** One append creates the new thread. Nothing at all is written to the old one (decision 0012). */
async function openInstead(
  thread: EditableThread,
  record: ProposalRecord,
  ports: CommitPorts,
): Promise<Committed | Refused> {
  const planned = await thread.exclusively(async (): Promise<SessionDraft | Refusal> => {
    const judged = await judge(thread, record)
    const { result } = judged
    if (!result.ok) return result.refusal
    const seen = { ...judged, eventAt: thread.rows.copy() }
    return {
      report: () => buildReport(record, withCounts(result, thread.id, seen), seen),
      make: buildNewThread({ ...judged, thread, record, result }),
    }
  })
  if ('reason' in planned) return { committed: false, refusal: planned }
  // Not before the gate: what is delivered in between is said in the old thread, and moves with it.
  const { started, drafts } = planned.make((await ports.moving?.()) ?? [], () => ports.newId('pin'))
  const threadId = await ports.open(started, drafts)
  const { summary = '', replacedFor } = record.proposal.fresh ?? {}
  return {
    committed: true,
    fresh: { threadId, summary, ...(replacedFor !== undefined && { replacedFor }) },
    // Made where somebody asks for it: an agent shows none (FRESH-26).
    get report() {
      return planned.report()
    },
  }
}

interface SessionDraft {
  report(): CompactionReport
  readonly make: NewThread
}

// What a new thread begins with: where it came from, what the old one was set to, the summary, and what stays.

export interface NewThreadInput {
  readonly thread: EditableThread
  readonly record: ProposalRecord
  readonly result: Extract<GateResult, { readonly ok: true }>
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins: Pins
}

/** The whole first append, with what moves there from elsewhere. */
export type NewThread = (
  moving: readonly EventDraft[],
  newPinId: () => string,
) => { readonly started: ThreadStarted; readonly drafts: readonly EventDraft[] }

/** Of the first draft in a new thread: that it was started comes before. */
const FIRST_SEQ = 2

/** Everything is read now, while nothing else is done to the old thread. */
function buildNewThread(input: NewThreadInput): NewThread {
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
  // The same prompts, model, thinking, preset and folder: so the same tools (FRESH-28).
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

/** What the gate has let pass: the summary, what is pinned, the pinned texts (ALWAYS-21), what came since. */
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

/** Calls that will get no answer are closed here: nothing else comes between them. */
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

/** Who wrote a message stays known: without an origin it would count as typed by a person. */
function findWriter(id: EntryId, eventAt: EventAt): Pick<EventDraft, 'origin'> {
  const { original, seq } = parseEntryId(findRoot(id, eventAt))
  const event = original ? eventAt(seq) : undefined
  if (!event) return { origin: 'summary' }
  const origin = event.origin ?? (event.source === undefined ? undefined : 'client')
  return origin === undefined ? {} : { origin }
}

/** Pins hold in the new thread as well, by the names that their entries have there. */
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
