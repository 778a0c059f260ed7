// One branch of a conversation in a compactor: messages in, messages out, and its log.

import type { EntryId } from '../core/edit/change.ts'
import type { PinData, ThreadEvent } from '../core/log/event.ts'
import { isJson, isRecord, type Json } from '../core/text/json.ts'
import { parseEntryId } from '../core/view/entry.ts'
import { chooseDialect } from '../messages/detect.ts'
import type { AnyMessage, Dialect, FormatId } from '../messages/dialect.ts'
import { MessageLog, type Place, relink } from '../messages/message-log.ts'
import { type Current, type Outgoing, writeMessages } from '../messages/write-messages.ts'
import { computeMessageKey } from './message-key.ts'

/** The compactor's state in a record: thread, conversation, pins. */
export type PinState = Pick<BranchRecord, 'threadId' | 'root' | 'turn' | 'texts' | 'pinCount'>

export interface Restored {
  readonly branch: Branch
  readonly pinState: PinState
  /** Turn of its first record. */
  readonly firstTurn: number
}

export class Branch {
  readonly log: MessageLog
  /** Messages written by compactions: always the same objects. */
  readonly #made = new Map<string, AnyMessage>()
  #given: readonly KnownMessage[]
  #shown: readonly KnownMessage[] = []
  #current: Current = { numbers: new Set(), made: new Map() }
  /** Shared by all branches of one conversation. */
  root: object = this
  /** After an undo the next compaction waits until the window is full. */
  isHeld = false
  /** Context size at the last attempt that gained nothing. */
  stuckTokens = 0
  #recorded: {
    readonly events: number
    readonly messages: number
    readonly given: readonly KnownMessage[]
    readonly shown: readonly KnownMessage[]
    readonly rest: string
  } = { events: 0, messages: 0, given: [], shown: [], rest: '' }
  /** The first event of the next record, if the store has unplaced events before it. */
  #since: number | undefined
  /** Restored from a store, and no messages seen since. */
  #isRestored = false

  constructor(log: MessageLog, given: readonly KnownMessage[] = []) {
    this.log = log
    this.#given = given
  }

  static of(dialect: Dialect): Branch {
    return new Branch(new MessageLog(dialect))
  }

  /** The branch in these stored events, and the compactor's last state. */
  static restore(events: readonly ThreadEvent[]): Restored | undefined {
    const records = events.flatMap((event) => recordIn(event) ?? [])
    const last = records.at(-1)
    if (!last) return undefined
    const branch = Branch.of(chooseDialect([], last.format))
    const { log } = branch
    log.restore(placedEvents(events))
    if (recordIn(events.at(-1) as ThreadEvent) === undefined) branch.#since = events.length + 1
    for (const { messages, entries, places, given, shown } of records) {
      log.messages.length = messages.from
      log.entries.length = messages.from
      log.messages.push(...(messages.more as AnyMessage[]))
      log.entries.push(...entries)
      for (const [id, at] of places) log.places.set(id, at)
      branch.#given = changed(branch.#given, given)
      branch.#shown = changed(branch.#shown, shown)
    }
    log.pins.push(...last.pins)
    branch.isHeld = last.isHeld
    branch.#isRestored = true
    relink(log)
    branch.#noteRecorded(writeRest(last), log.events.length)
    return { branch, pinState: last, firstTurn: records[0]?.turn ?? 0 }
  }

  /** What changed since the last record; undefined if nothing did. */
  record(pinState: PinState): BranchRecord | undefined {
    const { events, messages, entries, places, pins, dialect } = this.log
    const { messages: from, given, shown, rest } = this.#recorded
    const ids = new Set(entries.slice(from).flat())
    const record: BranchRecord = {
      kind: 'precis-compactor',
      ...(this.#since !== undefined && { since: this.#since }),
      format: dialect.id,
      ...pinState,
      messages: { from, more: messages.slice(from).map(storedMessage) },
      entries: entries.slice(from),
      places: [...ids].map((id) => [id, places.get(id) ?? []]),
      given: findChange(given, this.#given, isSameKnown),
      shown: findChange(shown, this.#shown, isSameKnown),
      pins,
      isHeld: this.isHeld,
    }
    const isSame =
      this.#recorded.events === events.length &&
      from === messages.length &&
      given.length === this.#given.length &&
      shown.length === this.#shown.length &&
      record.given.more.length + record.shown.more.length === 0 &&
      rest === writeRest(record)
    if (isSame) return undefined
    this.#since = undefined
    this.#noteRecorded(writeRest(record), events.length + 1)
    return record
  }

  #noteRecorded(rest: string, events: number): void {
    this.#recorded = {
      events,
      messages: this.log.messages.length,
      given: this.#given,
      shown: this.#shown,
      rest,
    }
  }

  /** How many leading messages it knows, and whether those are all it has. */
  match(keys: readonly string[]): { readonly count: number; readonly isWhole: boolean } {
    const [given, shown] = [samePrefix(this.#given, keys), samePrefix(this.#shown, keys)]
    const isGiven = given === this.#given.length
    const isShown = shown === this.#shown.length && shown > 0
    if (isShown && (!isGiven || shown > given)) return { count: shown, isWhole: true }
    return { count: given, isWhole: isGiven }
  }

  /** Adopts messages it matches completely and returns the new ones. */
  take(messages: readonly object[], keys: readonly string[], count: number): readonly object[] {
    const list = this.#given.length === count && samePrefix(this.#given, keys) === count
    const known = list ? this.#given : this.#shown
    const made = new Map<string, AnyMessage>()
    for (const [index, { number, madeOf }] of known.entries()) {
      const message = messages[index] as AnyMessage
      if (number !== undefined) this.log.messages[number] = message
      if (madeOf !== undefined) made.set(madeOf, message)
    }
    if (this.#isRestored) relink(this.log)
    this.#isRestored = false
    const first = this.log.messages.length
    this.#given = [
      ...known,
      ...keys.slice(count).map((key, index) => ({ key, number: first + index })),
    ]
    this.#current = { numbers: new Set(this.#given.flatMap(({ number }) => number ?? [])), made }
    return messages.slice(count)
  }

  /** Whether an answer is among the first messages: messages before it may be equal in any conversation. */
  hasAnswerWithin(count: number): boolean {
    const numbers = this.#given.slice(0, count).map(({ number }) => number)
    return numbers.some((number) => {
      if (number === undefined) return true // written by a compaction
      const ids = this.log.entries[number] ?? []
      return ids.some((id) => this.log.eventAt(parseEntryId(id).seq)?.type === 'AGENT_MESSAGE')
    })
  }

  /** A branch with the first `count` messages; undefined if they cannot be separated. */
  fork(count: number): Branch | undefined {
    const given = this.#given.slice(0, count)
    if (given.some(({ number }, index) => number !== index)) return undefined
    const log = this.log.fork(count)
    return log && new Branch(log, given.slice(0, log.messages.length))
  }

  write(refs: boolean): readonly AnyMessage[] {
    const written = writeMessages(this.log, { refs, made: this.#made, current: this.#current })
    this.#shown = written.map(knownOf)
    return written.map(({ message }) => message)
  }

  /** The caller's index of a message. */
  indexOf(number: number): number | undefined {
    const index = this.#given.findIndex((known) => known.number === number)
    return index < 0 ? undefined : index
  }
}

function knownOf({ message, number, madeOf }: Outgoing): KnownMessage {
  return { key: computeMessageKey(message), number, madeOf }
}

function writeRest({ root, texts, pinCount, pins, isHeld }: BranchRecord): string {
  return JSON.stringify([root, texts, pinCount, pins, isHeld])
}

function samePrefix(known: readonly KnownMessage[], keys: readonly string[]): number {
  let count = 0
  while (count < known.length && known[count]?.key === keys[count]) count += 1
  return count
}

/** A message of the caller: its text, and its number in the log if it has one. */
interface KnownMessage {
  readonly key: string
  readonly number?: number | undefined
  /** Its sources, if a compaction wrote it. */
  readonly madeOf?: string | undefined
}

/** The difference to the recorded list: how many stay, and what follows. */
interface ListChange<T> {
  readonly from: number
  readonly more: readonly T[]
}

/** The data of a FOREIGN event. Each record holds the changes since the one before. */
interface BranchRecord {
  readonly kind: 'precis-compactor'
  /** The first event it places, unless that directly follows the previous record. */
  readonly since?: number
  readonly format: FormatId
  /** The thread given to the compactor, the same for all branches. Old records lack it. */
  readonly threadId?: string
  /** The first branch of the same conversation. */
  readonly root: number
  /** Records of all branches are counted; the latest has the highest number. */
  readonly turn?: number
  /** As JSON; null for other values, such as class instances. */
  readonly messages: ListChange<Json>
  readonly entries: readonly (readonly EntryId[])[]
  readonly places: readonly (readonly [EntryId, readonly Place[]])[]
  readonly given: ListChange<KnownMessage>
  readonly shown: ListChange<KnownMessage>
  readonly pins: readonly PinData[]
  /** Pinned texts by pin id, and the number of pins so far. */
  readonly texts: readonly (readonly [string, string])[]
  readonly pinCount: number
  readonly isHeld: boolean
}

function recordIn(event: ThreadEvent): BranchRecord | undefined {
  if (event.type !== 'FOREIGN' || !isRecord(event.data)) return undefined
  return event.data.kind === 'precis-compactor'
    ? (event.data as unknown as BranchRecord)
    : undefined
}

/** Events that no record places are ignored: a process ended before it wrote the record. */
function placedEvents(events: readonly ThreadEvent[]): ThreadEvent[] {
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

function findChange<T>(
  before: readonly T[],
  after: readonly T[],
  isSame: (one: T, other: T) => boolean,
): ListChange<T> {
  let from = 0
  const most = Math.min(before.length, after.length)
  while (from < most && isSame(before[from] as T, after[from] as T)) from += 1
  return { from, more: after.slice(from) }
}

function changed<T>(list: readonly T[], { from, more }: ListChange<T>): T[] {
  return [...list.slice(0, from), ...more]
}

function isSameKnown(one: KnownMessage, other: KnownMessage): boolean {
  return one.key === other.key && one.number === other.number && one.madeOf === other.madeOf
}

/** Null if JSON loses something. An undefined property counts as absent. */
function storedMessage(message: unknown): Json {
  return isJson(message, 0, true) ? message : null
}
