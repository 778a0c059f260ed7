// What a store keeps of a branch besides its events: which messages came in, where their entries are, what was given
import type { EntryId } from '../core/edit/change.ts'
import type { PinData, ThreadEvent } from '../core/log/event.ts'
import { isJson, isRecord, type Json } from '../core/text/json.ts'
import type { FormatId } from '../messages/dialect.ts'
import type { Place } from '../messages/message-log.ts'

/** A message as the caller has it: what it says, and its number in the log if it is one of those. */
export interface Known {
  readonly key: string
  readonly number?: number | undefined
  /** What it is made of, if a compaction wrote it. */
  readonly madeOf?: string | undefined
}

/** How a list differs from the one that was recorded before: so many stay, and these follow. */
export interface ListChange<T> {
  readonly from: number
  readonly more: readonly T[]
}

/** The data of a FOREIGN event. Each record says what changed since the one before. */
export interface BranchRecord {
  readonly kind: 'precis-compactor'
  /** The number of the first event that it places, where that is not the one behind the record before. */
  readonly since?: number
  readonly format: FormatId
  /** The thread that the compactor was given, in all of its branches. Old records lack it. */
  readonly threadId?: string
  /** The branch of the same conversation that came first. */
  readonly root: number
  /** Records of all branches are counted: the latest has the highest. */
  readonly turn?: number
  /** As JSON; null for those that are none, such as instances of classes. */
  readonly messages: ListChange<Json>
  readonly entries: readonly (readonly EntryId[])[]
  readonly places: readonly (readonly [EntryId, readonly Place[]])[]
  readonly given: ListChange<Known>
  readonly shown: ListChange<Known>
  readonly pins: readonly PinData[]
  /** Pinned texts by pin id, and how many pins there have been. */
  readonly texts: readonly (readonly [string, string])[]
  readonly pinCount: number
  readonly isHeld: boolean
}

export function recordIn(event: ThreadEvent): BranchRecord | undefined {
  if (event.type !== 'FOREIGN' || !isRecord(event.data)) return undefined
  return event.data.kind === 'precis-compactor'
    ? (event.data as unknown as BranchRecord)
    : undefined
}

/** All events, but those that no record places say nothing: a process ended before it wrote the record. */
export function placedEvents(events: readonly ThreadEvent[]): ThreadEvent[] {
  const placed = [...events]
  let next = 0
  const empty = (end: number) => {
    for (const { seq, ...event } of events.slice(next, end))
      placed[seq - 1] = { ...event, seq, type: 'FOREIGN', data: null } as ThreadEvent
  }
  for (const [index, event] of events.entries()) {
    const record = recordIn(event)
    if (!record) continue
    if (record.since !== undefined) empty(record.since - 1)
    next = index + 1
  }
  empty(events.length)
  return placed
}

export function changeOf<T>(
  before: readonly T[],
  after: readonly T[],
  isSame: (one: T, other: T) => boolean,
): ListChange<T> {
  let from = 0
  const most = Math.min(before.length, after.length)
  while (from < most && isSame(before[from] as T, after[from] as T)) from += 1
  return { from, more: after.slice(from) }
}

export function changed<T>(list: readonly T[], { from, more }: ListChange<T>): T[] {
  return [...list.slice(0, from), ...more]
}

export function isSameKnown(one: Known, other: Known): boolean {
  return one.key === other.key && one.number === other.number && one.madeOf === other.madeOf
}

/** Null for what JSON cannot say in full. A property that is undefined is as good as absent. */
export function storedMessage(message: unknown): Json {
  return isJson(message, 0, true) ? message : null
}
