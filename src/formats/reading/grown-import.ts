// What an earlier import stored of a file that has grown since: the records already in the log.
import { createHash } from 'node:crypto'
import type { EntryId } from '../../core/edit/change.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import { bearsEntry, type EventDraft, isEntryType, type ThreadEvent } from '../../core/log/event.ts'
import type { Json } from '../../core/text/json.ts'
import { type Answer, type Part, textOfParts } from '../../core/view/content.ts'
import { originalId } from '../../core/view/entry.ts'
import type { NamedDraft } from '../session-format.ts'
import { fieldsIn, isRawRecord, listIn, type RawRecord, textIn } from './raw.ts'
import type { EarlierRun } from './resume-import.ts'

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
  /** Calls of the answer just taken. A compaction repeats answers of the file with their call ids. */
  #newCalls: ReadonlySet<string> = new Set()
  readonly #answered = new Set<string>()
  /** Places of records the file no longer has, as far as it was read. */
  readonly #missing = new Set<number>()
  #compactions = 0
  #isSkipping = true // without its own record: follows what precedes it

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
      // If someone worked on the thread here, the file no longer continues its conversation.
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

  /** Valid after reading the file: whether stored records are missing from it. */
  get isLonger(): boolean {
    return this.#missing.size > 0
  }

  /** The new drafts; known ones are passed to `known` by name. Rejects if the file is a different one. */
  take(
    drafts: readonly NamedDraft[],
    known: (names: readonly string[], id: EntryId) => void,
  ): NamedDraft[] {
    return drafts.flatMap((named) => {
      const fresh = this.#takeOne(named, known)
      const [{ draft } = named] = fresh
      if (draft.type === 'AGENT_MESSAGE')
        this.#newCalls = new Set(fresh.length === 0 ? [] : draft.data.calls)
      return fresh
    })
  }

  #takeOne(
    named: NamedDraft,
    known: (names: readonly string[], id: EntryId) => void,
  ): NamedDraft[] {
    const { draft } = named
    const records = listRecords(draft)
    for (const { at } of records) this.#missing.delete(at)
    if (draft.type === 'TOOL_CALL') return this.#newCalls.has(draft.data.id) ? [named] : []
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
  }

  /** A continued answer becomes a second one if the first one's calls have their results. */
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
