// The working conversation: a context's events as the API shows them.
import type { CompactionData, EntryId, NewEntry } from '../edit/change.ts'
import {
  bearsEntry,
  type EventAt,
  type EventOf,
  isChange,
  type Origin,
  type ThreadEvent,
} from '../log/event.ts'
import { buildMarker, type Context, emptyContext, foldEvent } from './context.ts'
import { findRoot, newEntryAt, parseEntryId } from './entry.ts'
import { outranks } from './entry-content.ts'

/** A COMPACTION with the working conversation right after it, which is never stored. */
export type CompactionEvent = Omit<EventOf<'COMPACTION'>, 'data'> & {
  readonly data: CompactionData & { readonly compactedEvents: readonly ThreadEvent[] }
}
export type ShownEvent = Exclude<ThreadEvent, EventOf<'COMPACTION'>> | CompactionEvent

/** The complete history, each COMPACTION with its `compactedEvents`. */
export function allEvents(events: readonly ThreadEvent[]): ShownEvent[] {
  const first = events[0]?.seq ?? 1
  const eventAt: EventAt = (seq) => events[seq - first]
  let context = emptyContext()
  return events.map((event) => {
    context = foldEvent(context, event, eventAt)
    return event.type === 'COMPACTION'
      ? withCompacted(event, compactedEvents(context, eventAt))
      : event
  })
}

export function withCompacted(
  event: EventOf<'COMPACTION'>,
  compacted: readonly ThreadEvent[],
): CompactionEvent {
  return { ...event, data: { ...event.data, compactedEvents: compacted } }
}

/** `getEvents`: the working conversation with the latest compaction's marker. */
export function workingEvents(context: Context, eventAt: EventAt): ThreadEvent[] {
  const { head, rest } = shownEvents(context, eventAt)
  const marker = buildMarker(context)
  const event = marker === undefined ? undefined : eventAt(marker)
  if (marker === undefined || event === undefined) return [...head, ...rest]
  const later = rest.findIndex((shown) => shown.seq > marker)
  const at = later < 0 ? rest.length : later
  return [...head, ...rest.slice(0, at), event, ...rest.slice(at)]
}

/** The working conversation without its marker. */
export function compactedEvents(context: Context, eventAt: EventAt): ThreadEvent[] {
  const { head, rest } = shownEvents(context, eventAt)
  return [...head, ...rest]
}

/** After a compaction the effective system prompts come first, and superseded ones are omitted. */
function shownEvents(context: Context, eventAt: EventAt) {
  const isCompacted = context.active.length > 0
  const head = isCompacted ? headSeqs(context).flatMap((seq) => eventAt(seq) ?? []) : []
  const shown = [...leadingEvents(context, eventAt)]
  for (const item of context.items)
    for (const event of eventsOfEntry(item.id, item.calls, context.version, eventAt))
      shown.push(event)
  const rest = isCompacted ? shown.filter((event) => !isSystemPrompt(event)) : shown
  return { head, rest: collapseResults(rest) }
}

function isSystemPrompt({ type }: ThreadEvent): boolean {
  return type === 'SYSTEM_PROMPT' || type === 'USER_SYSTEM_PROMPT'
}

function headSeqs(context: Context): number[] {
  return [context.head.system, context.head.userSystem].filter((seq) => seq !== undefined)
}

/** Events before the first entry belong to none and are always shown. */
function leadingEvents(context: Context, eventAt: EventAt): ThreadEvent[] {
  return followers(0, context.version, eventAt)
}

/** Events without an entry after `seq`, up to the next entry. Changes appear only as marker. */
function followers(seq: number, last: number, eventAt: EventAt): ThreadEvent[] {
  const events: ThreadEvent[] = []
  for (let next = seq + 1; next <= last; next += 1) {
    const event = eventAt(next)
    if (event === undefined || bearsEntry(event)) break
    if (!isChange(event)) events.push(event)
  }
  return events
}

function eventsOfEntry(
  id: EntryId,
  calls: readonly string[] | undefined,
  last: number,
  eventAt: EventAt,
): ThreadEvent[] {
  const parsed = parseEntryId(id)
  if (parsed.original) {
    const event = eventAt(parsed.seq)
    return event === undefined ? [] : [event, ...followers(parsed.seq, last, eventAt)]
  }
  const entry = newEntryAt(id, eventAt)
  if (entry === undefined) return []
  const root = parseEntryId(findRoot(id, eventAt))
  const original = root.original ? eventAt(root.seq) : undefined
  if (original === undefined)
    return [madeEvent(parsed.seq, parsed.index, entry, eventAt)].filter((e) => e !== undefined)
  // A rewrite keeps its original's id, time and following events.
  const rest = followers(original.seq, last, eventAt)
  return [
    { ...original, data: entry.data } as ThreadEvent,
    ...rest.filter(
      (event) => event.type !== 'TOOL_CALL' || (calls?.includes(event.data.id) ?? false),
    ),
  ]
}

const ORIGINS: Readonly<Partial<Record<NewEntry['label'], Origin>>> = {
  summary: 'summary',
  brief: 'summary',
  files: 'files',
  continuation: 'continuation',
}

/** An entry added by a change, as an event with the change's number. */
function madeEvent(
  seq: number,
  index: number,
  entry: NewEntry,
  eventAt: EventAt,
): ThreadEvent | undefined {
  const change = eventAt(seq)
  if (change === undefined) return undefined
  const origin = ORIGINS[entry.label]
  return {
    v: change.v,
    id: `${change.id}.${index}`,
    threadId: change.threadId,
    seq,
    timestamp: change.timestamp,
    type: entry.type,
    data: entry.data,
    ...(origin && { origin }),
  } as ThreadEvent
}

/** Each call of a round has one result: the most informative, and the first of equals. */
function collapseResults(events: readonly ThreadEvent[]): ThreadEvent[] {
  const dropped = new Set<ThreadEvent>()
  let best = new Map<string, EventOf<'TOOL_RESULT'>>()
  for (const event of events) {
    if (event.type === 'USER_MESSAGE' || event.type === 'AGENT_MESSAGE') best = new Map()
    if (event.type !== 'TOOL_RESULT') continue
    const { id } = event.data
    const known = id === undefined ? undefined : best.get(id)
    if (id === undefined) dropped.add(event)
    else if (known === undefined) best.set(id, event)
    else if (outranks(event.data.status, known.data.status)) {
      dropped.add(known)
      best.set(id, event)
    } else dropped.add(event)
  }
  return events.filter((event) => !dropped.has(event))
}
