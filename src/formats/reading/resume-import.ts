// What an interrupted import of the same file has stored: the next run passes over it and goes on behind it.
// What an earlier import has stored of a file that has grown since: which of its records are in the log already.
import { createHash } from 'node:crypto'
import type { EntryId } from '../../core/edit/change.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import { bearsEntry, type EventDraft, isEntryType, type ThreadEvent } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import { type Answer, type Part, textOfParts } from '../../core/view/content.ts'
import { originalId } from '../../core/view/entry.ts'
import type { NamedDraft, Step } from '../session-format.ts'
import { fieldsIn, isRawRecord, listIn, type RawRecord, textIn } from './raw.ts'

export interface EarlierRun {
  readonly threadId: string // of the file itself
  readonly store: Pick<Store, 'info' | 'read' | 'find'>
}

/** The events that one thread of the file has already, in the order in which they are read again. */
export class StoredPart {
  readonly threadId: string
  readonly version: number
  readonly #store: EarlierRun['store']
  #seq = 1 // its first event says what it is

  /** Undefined where the earlier run did not come as far as this thread. */
  static async find({ store }: EarlierRun, threadId: string): Promise<StoredPart | undefined> {
    const info = await store.info(threadId)
    return info && new StoredPart(store, threadId, info.version)
  }

  private constructor(store: EarlierRun['store'], threadId: string, version: number) {
    this.#store = store
    this.threadId = threadId
    this.version = version
  }

  /** As many of these drafts as are stored. Rejects where something else is. */
  async take(drafts: readonly EventDraft[]): Promise<readonly ThreadEvent[]> {
    const count = Math.min(drafts.length, this.version - this.#seq)
    if (count === 0) return []
    const events = await this.#read(count)
    if (!events.every((event, index) => isSameEvent(event, drafts[index])))
      throw anotherImport(this.threadId)
    this.#seq += count
    return events
  }

  /** Whether a recorded compaction is stored, with what it pinned; undefined where the run ended before it. */
  async takeCompaction(): Promise<boolean | undefined> {
    if (this.#seq >= this.version) return undefined
    const [event] = await this.#read(1)
    if (event?.type !== 'COMPACTION') return false
    do this.#seq += 1
    while (this.#seq < this.version && (await this.#read(1))[0]?.type === 'PIN')
    return true
  }

  async #read(count: number): Promise<ThreadEvent[]> {
    const range = { from: this.#seq + 1, to: this.#seq + count }
    return (await this.#store.read(this.threadId, range)).map(readRow)
  }
}

function isSameEvent(event: ThreadEvent, draft: EventDraft | undefined): boolean {
  if (!draft || event.type !== draft.type) return false
  if ((event.source === undefined) !== (draft.source === undefined)) return false
  if (draft.timestamp && draft.timestamp.getTime() !== event.timestamp.getTime()) return false
  // The number of its answer is put in when it is appended.
  const data =
    event.type === 'TOOL_CALL'
      ? { ...(draft.data as object), answer: event.data.answer }
      : draft.data
  return JSON.stringify(data) === JSON.stringify(event.data)
}

function anotherImport(threadId: string): PrecisError {
  return new PrecisError('id-conflict', `Thread ${threadId} is not the beginning of this import.`, {
    where: threadId,
    hint: 'Import with the options of the first time, or as a new thread.',
  })
}

/** When a session began is known with its first record that has a time: near its beginning, or never. */
const LOOKED_AT = 100

export async function withBeginning(
  read: AsyncIterable<Step>,
): Promise<{ readonly began: Date | undefined; readonly steps: AsyncIterable<Step> }> {
  const rest = read[Symbol.asyncIterator]()
  const held: Step[] = []
  let began: Date | undefined
  while (!began && held.length < LOOKED_AT) {
    const next = await rest.next()
    if (next.done) break
    held.push(next.value)
    began = timeIn(next.value)
  }
  return { began, steps: inOrder(held, rest) }
}

async function* inOrder(held: readonly Step[], rest: AsyncIterator<Step>): AsyncGenerator<Step> {
  try {
    yield* held
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.() // closes the file if it is not read to the end
  }
}

function timeIn(step: Step): Date | undefined {
  if (step.type !== 'drafts') return undefined
  return step.drafts.find(({ draft }) => draft.timestamp)?.draft.timestamp
}

const PAGE = 1_000

interface StoredRecord {
  readonly seq: number
  readonly bearsEntry: boolean
  readonly digest: string
}

/** The records of one thread, by their places in the file. */
export class StoredRecords {
  readonly threadId: string
  readonly version: number
  readonly #records = new Map<number, StoredRecord>()
  readonly #answers = new Map<number, Answer>()
  readonly #calls = new Set<string>()
  readonly #answered = new Set<string>()
  /** Places of those that the file does not have any more, as far as it was read. */
  readonly #missing = new Set<number>()
  #compactions = 0
  #isSkipping = true // what has no record of its own goes with what stands before it

  static async read({ store }: EarlierRun, threadId: string): Promise<StoredRecords> {
    const events: ThreadEvent[] = []
    for (;;) {
      const rows = await store.read(threadId, { from: events.length + 1, limit: PAGE })
      for (const row of rows) events.push(readRow(row))
      if (rows.length < PAGE) return new StoredRecords(threadId, events)
    }
  }

  private constructor(threadId: string, events: readonly ThreadEvent[]) {
    this.threadId = threadId
    this.version = events.length
    for (const event of events) {
      if (event.type === 'COMPACTION' && event.data.trigger === 'import') this.#compactions += 1
      // Whoever worked on the thread here has a conversation that the file does not go on with.
      const isOwn = bearsEntry(event) && textIn(fieldsIn(event.source).format) === undefined
      if (isOwn) throw anotherFile(threadId)
      if (event.type === 'AGENT_MESSAGE') this.#answers.set(event.seq, event.data)
      if (event.type === 'TOOL_CALL') this.#calls.add(event.data.id)
      if (event.type === 'TOOL_RESULT') this.#answered.add(event.data.id ?? '')
      for (const { at, raw } of listRecords(event)) {
        const stored = { seq: event.seq, bearsEntry: bearsEntry(event), digest: hashRecord(raw) }
        this.#records.set(at, stored)
        this.#missing.add(at)
      }
    }
  }

  /** Once the file was read: whether it lacks records that are stored. */
  get isLonger(): boolean {
    return this.#missing.size > 0
  }

  /** Those of the drafts that are new; the others are named to `known`. Rejects where the file is another. */
  take(
    drafts: readonly NamedDraft[],
    known: (names: readonly string[], id: EntryId) => void,
  ): NamedDraft[] {
    return drafts.flatMap((named) => {
      const { draft } = named
      const records = listRecords(draft)
      for (const { at } of records) this.#missing.delete(at)
      if (draft.type === 'TOOL_CALL') return this.#calls.has(draft.data.id) ? [] : [named]
      if (records.length === 0) return this.#isSkipping ? [] : [named]
      const old = records.filter(({ at }) => this.#records.has(at))
      for (const record of old) this.#require(record, draft)
      this.#isSkipping = old.length > 0
      if (old.length === 0) return [named]
      const { seq = 0 } = this.#records.get(old[0]?.at ?? -1) ?? {}
      if (named.names && isEntryType(draft.type)) known(named.names, originalId(seq))
      if (old.length === records.length) return []
      const rest = records.filter(({ at }) => !this.#records.has(at))
      if (draft.type === 'AGENT_MESSAGE') return [this.#restOf(named, this.#answers.get(seq), rest)]
      if (draft.type !== 'FOREIGN') throw anotherFile(this.threadId)
      const data = { ...fieldsIn(draft.data), records: rest } as Json
      return [{ draft: { ...draft, data } as EventDraft }]
    })
  }

  /** An answer that was written on becomes a second one, where the calls of the first have their results. */
  #restOf(
    { draft, names }: NamedDraft,
    stored: Answer | undefined,
    records: RawRecord[],
  ): NamedDraft {
    const grown = draft.data as Answer
    const [before, after] = [stored ? listParts(stored) : [], listParts(grown)]
    const isBeginning = before.every((part, at) => isSamePart(part, after[at]))
    if (!isBeginning || !stored?.calls.every((id) => this.#answered.has(id)))
      throw anotherFile(this.threadId)
    const parts = after.slice(before.length)
    const calls = grown.calls.filter((id) => !this.#calls.has(id))
    const data = { ...grown, content: textOfParts(parts), parts, calls }
    const source = { ...fieldsIn(draft.source), records } as Json
    return { draft: { ...draft, data, source } as EventDraft, ...(names && { names }) }
  }

  /** As in `StoredPart`. */
  async takeCompaction(): Promise<boolean | undefined> {
    if (this.#compactions === 0) return undefined
    this.#compactions -= 1
    return true
  }

  #require({ at, raw }: RawRecord, draft: EventDraft): void {
    const stored = this.#records.get(at)
    const isSame =
      stored?.digest === hashRecord(raw) && stored.bearsEntry === isEntryType(draft.type)
    if (!isSame) throw anotherFile(this.threadId)
  }
}

function listRecords(event: Pick<EventDraft, 'type' | 'data' | 'source'>): RawRecord[] {
  const kept = event.type === 'FOREIGN' ? (event.data as Json) : event.source
  return listIn(fieldsIn(kept).records).filter(isRawRecord)
}

function listParts({ parts, content }: Answer): readonly Part[] {
  return parts ?? (content === '' ? [] : [{ type: 'text', text: content }])
}

function isSamePart(one: Part, other: Part | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function hashRecord(raw: string): string {
  return createHash('sha1').update(raw).digest('base64')
}

function anotherFile(threadId: string): PrecisError {
  return new PrecisError('id-conflict', `Thread ${threadId} is not the beginning of this file.`, {
    where: threadId,
    hint: 'Import it as a new thread.',
  })
}
