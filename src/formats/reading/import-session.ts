// Imports a file into a store: its thread and those of its sub-agents, with recorded compactions.
import type { EntryId, Trigger } from '../../core/edit/change.ts'
import type { Strategy } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import { bearsEntry, type EventDraft, type ThreadEvent } from '../../core/log/event.ts'
import { IMPORT_END, importEnd } from '../../core/log/import-end.ts'
import type { Json } from '../../core/text/json.ts'
import { originalId } from '../../core/view/entry.ts'
import {
  MAIN,
  type NamedDraft,
  type RecordedChange,
  type SessionFormat,
  type Source,
} from '../session-format.ts'
import { StoredRecords } from './grown-import.ts'
import { ReadNotes } from './notes.ts'
import { textLength } from './raw.ts'
import { recordedProposal } from './recorded.ts'
import { type EarlierRun, StoredPart, withBeginning } from './resume-import.ts'

/** What an import needs from a set of threads. */
export interface ImportTarget {
  create(started: {
    readonly reason: 'import'
    readonly threadId?: string
    readonly title?: string
    readonly from?: { readonly threadId: string; readonly seq: number }
    readonly timestamp?: Date
    readonly source?: Json
  }): Promise<string>
  append(
    threadId: string,
    drafts: readonly EventDraft[],
    choices: { readonly openCalls: 'leave'; readonly expectedVersion?: number },
  ): Promise<readonly ThreadEvent[]>
  compact(
    threadId: string,
    strategy: Strategy,
    options: {
      readonly trigger: Trigger
      readonly minTokens: number
      readonly timestamp?: Date
      readonly expectedVersion?: number
    },
  ): Promise<
    | { readonly committed: true; readonly version?: number | undefined }
    | { readonly committed: false; readonly refusal: { readonly message: string } }
  >
}

export interface ImportedSession {
  readonly threadId: string
  /** Sub-threads in the order in which the file starts them. */
  readonly subThreadIds: readonly string[]
  readonly compactions: number
  readonly notes: ReadNotes
  /** Its last answer was left for the next run. */
  readonly isHeld?: boolean
  /** The earlier run stored records the file no longer has. */
  readonly isShortened?: boolean
}

export interface ImportOptions {
  readonly notes?: ReadNotes
  readonly title?: string
  /** Facts of the file for the thread's first event. The thread then counts as partial until its last one. */
  readonly source?: { readonly [key: string]: Json }
  /** An earlier run on a shorter file, or an interrupted one: its events stay, and this run continues. */
  readonly earlier?: EarlierRun
  /**
   * Whether the log keeps the file's records. Without them it is about half as large, and the session can
   * only be written as a new one.
   */
  readonly records?: 'keep' | 'drop'
  /** Whether to leave a last answer with open calls for the next run: it may still be written. */
  readonly openAnswer?: 'keep' | 'hold'
}

/** The strategy name of imported compactions. */
const RECORDED_STRATEGY = 'recorded'
const BATCH_DRAFTS = 500
/** Approximate characters per append: a few long results fill it. */
const BATCH_LENGTH = 16 * 1024 * 1024
/** A file without content for this many records is something else, and may be endless. */
const SILENT_RECORDS = 100_000

/** A failure leaves a truncated thread, which the caller deletes. */
export async function importSession(
  target: ImportTarget,
  format: SessionFormat,
  source: Source,
  options: ImportOptions = {},
): Promise<ImportedSession> {
  const { notes = new ReadNotes(), title, records = 'keep' } = options
  const isMarked = options.source !== undefined
  const end = { end: IMPORT_END }
  const { earlier, openAnswer = 'keep' } = options
  const how = { target, records, isMarked, earlier, openAnswer }
  const named = {
    ...(title !== undefined && { title }),
    ...(options.earlier && { threadId: options.earlier.threadId }),
    ...(isMarked && { source: { ...options.source, ...end } }),
  }
  const { began, steps } = await withBeginning(format.read(source, notes))
  const main = await ImportedThread.start(how, named, began)
  const threads = new Map([[MAIN, main]])
  let compactions = 0
  for await (const step of steps) {
    if (step.type === 'thread') {
      await main.flush()
      const from = { threadId: main.threadId, seq: main.lastSeq }
      const started = {
        from,
        ...(step.title !== undefined && { title: step.title }),
        // A second run finds it by this name.
        ...(isMarked && { source: end, threadId: `${main.threadId}_${threads.size}` }),
      }
      threads.set(step.thread, await ImportedThread.start(how, started, main.time))
      continue
    }
    requireWords(notes, format)
    const thread = threads.get(step.thread) ?? main
    if (step.type === 'drafts') await thread.add(step.drafts)
    else if (await thread.compact(step.compaction, notes)) compactions += 1
  }
  // The main one last: its last event makes all of them complete.
  for (const thread of [...threads.values()].toReversed()) await thread.end()
  const subThreadIds = [...threads.values()].slice(1).map(({ threadId }) => threadId)
  const isHeld = [...threads.values()].some((thread) => thread.isHeld)
  const isShortened = [...threads.values()].some((thread) => thread.isShortened)
  return {
    ...{ threadId: main.threadId, subThreadIds, compactions, notes },
    ...(isHeld && { isHeld }),
    ...(isShortened && { isShortened }),
  }
}

function requireWords({ account }: ReadNotes, { id }: SessionFormat): void {
  if (account.modelled > 0 || account.records < SILENT_RECORDS) return
  throw new PrecisError(
    'invalid-input',
    `the first ${account.records.toLocaleString('en-US')} records hold no conversation of the format ${id}`,
    { hint: 'Check the file, and name its format with --format.' },
  )
}

type Start = Omit<Parameters<ImportTarget['create']>[0], 'reason' | 'timestamp'>

interface How {
  readonly target: ImportTarget
  readonly records: 'keep' | 'drop'
  readonly isMarked: boolean
  readonly earlier: EarlierRun | undefined
  readonly openAnswer: 'keep' | 'hold'
}

class ImportedThread {
  readonly threadId: string
  lastSeq = 1
  isHeld = false // an open answer was left for the next run
  /** Time of the last record with one. */
  time: Date | undefined
  readonly #how: How
  readonly #stored: StoredPart | undefined
  readonly #grown: StoredRecords | undefined
  readonly #ids = new Map<string, EntryId>()
  #pending: NamedDraft[] = []
  #pendingLength = 0
  #version: number

  /** A thread is as old as its session. */
  static async start(how: How, started: Start, began: Date | undefined): Promise<ImportedThread> {
    const stored = how.earlier && (await findStored(how.earlier, started.threadId ?? ''))
    if (stored) return new ImportedThread(how, stored.threadId, began, stored)
    const timestamp = began && { timestamp: began }
    const threadId = await how.target.create({ ...started, ...timestamp, reason: 'import' })
    return new ImportedThread(how, threadId, began)
  }

  private constructor(
    how: How,
    threadId: string,
    time: Date | undefined,
    stored?: StoredPart | StoredRecords,
  ) {
    this.#how = how
    this.threadId = threadId
    if (stored instanceof StoredRecords) this.#grown = stored
    else this.#stored = stored
    this.#version = stored?.version ?? 1
    this.time = time
  }

  /** A step contains an answer with its calls, so a batch never separates them. */
  async add(read: readonly NamedDraft[]): Promise<void> {
    const drafts = this.#grown ? this.#grown.take(read, (...known) => this.#know(...known)) : read
    // One by one: a step of a hundred thousand exceeds the argument limit.
    for (const draft of this.#how.records === 'keep' ? drafts : drafts.flatMap(withoutRecords)) {
      this.#pending.push(draft)
      this.#pendingLength += textLength(draft.draft.data) + textLength(draft.draft.source)
    }
    if (this.#pending.length >= BATCH_DRAFTS || this.#pendingLength >= BATCH_LENGTH)
      await this.flush()
  }

  get isShortened(): boolean {
    return this.#grown?.isLonger ?? false
  }

  #know(names: readonly string[], id: EntryId): void {
    for (const name of names) this.#ids.set(name, id)
  }

  async end(): Promise<void> {
    if (this.#how.openAnswer === 'hold') this.#holdOpen()
    await this.flush()
    if (!this.#how.isMarked || this.#grown) return
    this.#pending = [{ draft: importEnd() }]
    await this.flush()
  }

  #holdOpen(): void {
    const types = this.#pending.map(({ draft }) => draft.type)
    const answer = types.lastIndexOf('AGENT_MESSAGE')
    const count = (type: EventDraft['type']) =>
      types.slice(answer).filter((each) => each === type).length
    if (answer < 0 || count('TOOL_RESULT') >= count('TOOL_CALL')) return
    this.#pending = this.#pending.slice(0, answer)
    this.isHeld = true
  }

  async flush(): Promise<void> {
    const pending = this.#pending
    if (pending.length === 0) return
    this.#pending = []
    this.#pendingLength = 0
    const drafts = pending.map(({ draft }) => this.#timed(draft))
    const taken = (await this.#stored?.take(drafts)) ?? []
    const events = [...taken, ...(await this.#append(drafts.slice(taken.length)))]
    events.forEach((event, index) => {
      if (!bearsEntry(event)) return
      this.#know(pending[index]?.names ?? [], originalId(event.seq))
    })
    this.lastSeq = events.at(-1)?.seq ?? this.lastSeq
  }

  /** If another run continues the same thread, one of the two fails here, so nothing is duplicated. */
  async #append(drafts: readonly EventDraft[]): Promise<readonly ThreadEvent[]> {
    if (drafts.length === 0) return []
    const choices = { openCalls: 'leave', ...this.#expected() } as const
    const events = await this.#how.target.append(this.threadId, drafts, choices)
    this.#version = events.at(-1)?.seq ?? this.#version
    return events
  }

  #expected(): { readonly expectedVersion?: number } {
    return this.#how.isMarked ? { expectedVersion: this.#version } : {}
  }

  /** Without its own time it happened after what precedes it, not at the import. */
  #timed(draft: EventDraft): EventDraft {
    if (draft.timestamp) this.time = draft.timestamp
    return draft.timestamp || !this.time ? draft : { ...draft, timestamp: this.time }
  }

  async compact(recorded: RecordedChange, notes: ReadNotes): Promise<boolean> {
    await this.flush()
    const stored = await (this.#stored ?? this.#grown)?.takeCompaction()
    if (stored !== undefined) return stored
    const strategy: Strategy = {
      id: RECORDED_STRATEGY,
      propose: async ({ context, eventAt }) =>
        recordedProposal(recorded, context, eventAt, (name) => this.#ids.get(name)),
    }
    // A tool's summary may be longer than what it replaced, but it did happen.
    const outcome = await this.#how.target.compact(this.threadId, strategy, {
      trigger: 'import',
      minTokens: Number.MAX_SAFE_INTEGER,
      ...(this.time && { timestamp: this.time }),
      ...this.#expected(),
    })
    if (outcome.committed) this.#version = outcome.version ?? this.#version
    else notes.problem(`a recorded compaction could not be taken over: ${outcome.refusal.message}`)
    return outcome.committed
  }
}

/** What the earlier run stored: by records if it completed, otherwise event by event. */
async function findStored(earlier: EarlierRun, threadId: string) {
  const hasEnded = (await earlier.store.find?.(threadId, IMPORT_END)) !== undefined
  return hasEnded ? StoredRecords.read(earlier, threadId) : StoredPart.find(earlier, threadId)
}

function withoutRecords({ draft, ...named }: NamedDraft): NamedDraft[] {
  if (draft.type === 'FOREIGN') return []
  const { source: _, ...bare } = draft
  return [{ ...named, draft: bare }]
}
