// A file into a store: its thread and those of its sub-agents, with the compactions that it records.
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
  type RecordedCompaction,
  type SessionFormat,
  type Source,
  type Step,
} from '../session-format.ts'
import { ReadNotes } from './notes.ts'
import { textLength } from './raw.ts'
import { recordedProposal } from './recorded.ts'
import { type EarlierRun, StoredPart } from './resume-import.ts'

/** What an import needs of a set of threads. */
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
  /** Sub-threads, in the order in which the file begins them. */
  readonly subThreadIds: readonly string[]
  readonly compactions: number
  readonly notes: ReadNotes
}

export interface ImportOptions {
  readonly notes?: ReadNotes
  readonly title?: string
  /** What the first event of the thread says of the file. With it, the thread is partial up to its last event. */
  readonly source?: { readonly [key: string]: Json }
  /** A run on the same file that was interrupted: what it wrote stays, and this one goes on with it. */
  readonly earlier?: EarlierRun
  /**
   * Whether the log keeps the records of the file beside what they became. Without them it is about
   * half as large, and the session can only be written as a new one.
   */
  readonly records?: 'keep' | 'drop'
}

/** The strategy under which compactions stand that came in with a file. */
const RECORDED_STRATEGY = 'recorded'
const BATCH_DRAFTS = 500
/** Characters of one append, about: a few long results fill it. */
const BATCH_LENGTH = 16 * 1024 * 1024
/** A file that has said nothing after so many records is something else, and may have no end. */
const SILENT_RECORDS = 100_000

/** A failure leaves a thread behind that ends early; whoever asked for the import deletes it. */
export async function importSession(
  target: ImportTarget,
  format: SessionFormat,
  source: Source,
  options: ImportOptions = {},
): Promise<ImportedSession> {
  const { notes = new ReadNotes(), title, records = 'keep' } = options
  const isMarked = options.source !== undefined
  const end = { end: IMPORT_END }
  const how = { target, records, isMarked, earlier: options.earlier }
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
  // The main one last: with its last event all of them are whole.
  for (const thread of [...threads.values()].toReversed()) await thread.end()
  const subThreadIds = [...threads.values()].slice(1).map(({ threadId }) => threadId)
  return { threadId: main.threadId, subThreadIds, compactions, notes }
}

/** When a session began is known with its first record that has a time: near its beginning, or never. */
const LOOKED_AT = 100

async function withBeginning(
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
    await rest.return?.() // closes the file where nobody reads to the end
  }
}

function timeIn(step: Step): Date | undefined {
  if (step.type !== 'drafts') return undefined
  return step.drafts.find(({ draft }) => draft.timestamp)?.draft.timestamp
}

function requireWords({ account }: ReadNotes, { id }: SessionFormat): void {
  if (account.modelled > 0 || account.records < SILENT_RECORDS) return
  throw new PrecisError(
    'invalid-input',
    `the first ${account.records.toLocaleString('en-US')} records hold no conversation of the format ${id}`,
    { hint: 'Check the file, and name its format with --format.' },
  )
}

type Started = Omit<Parameters<ImportTarget['create']>[0], 'reason' | 'timestamp'>

interface How {
  readonly target: ImportTarget
  readonly records: 'keep' | 'drop'
  readonly isMarked: boolean
  readonly earlier: EarlierRun | undefined
}

class ImportedThread {
  readonly threadId: string
  lastSeq = 1
  /** Of the last record that has one. */
  time: Date | undefined
  readonly #how: How
  readonly #stored: StoredPart | undefined
  readonly #ids = new Map<string, EntryId>()
  #pending: NamedDraft[] = []
  #pendingLength = 0
  #version: number

  /** A thread is as old as the session was where it comes from. */
  static async start(how: How, started: Started, began: Date | undefined): Promise<ImportedThread> {
    const stored = how.earlier && (await StoredPart.find(how.earlier, started.threadId ?? ''))
    if (stored) return new ImportedThread(how, stored.threadId, began, stored)
    const timestamp = began && { timestamp: began }
    const threadId = await how.target.create({ ...started, ...timestamp, reason: 'import' })
    return new ImportedThread(how, threadId, began)
  }

  private constructor(how: How, threadId: string, time: Date | undefined, stored?: StoredPart) {
    this.#how = how
    this.threadId = threadId
    this.#stored = stored
    this.#version = stored?.version ?? 1
    this.time = time
  }

  /** An answer and its calls are in one step, so a batch never parts them. */
  async add(drafts: readonly NamedDraft[]): Promise<void> {
    // One by one: a step of a hundred thousand is too long for a list of arguments.
    for (const draft of this.#how.records === 'keep' ? drafts : drafts.flatMap(withoutRecords)) {
      this.#pending.push(draft)
      this.#pendingLength += textLength(draft.draft.data) + textLength(draft.draft.source)
    }
    if (this.#pending.length >= BATCH_DRAFTS || this.#pendingLength >= BATCH_LENGTH)
      await this.flush()
  }

  async end(): Promise<void> {
    await this.flush()
    if (!this.#how.isMarked) return
    this.#pending = [{ draft: importEnd() }]
    await this.flush()
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
      for (const name of pending[index]?.names ?? []) this.#ids.set(name, originalId(event.seq))
    })
    this.lastSeq = events.at(-1)?.seq ?? this.lastSeq
  }

  /** Where another run goes on with the same thread, one of the two ends here: nothing is there twice. */
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

  /** What has no time of its own happened after what stands before it, not when it was imported. */
  #timed(draft: EventDraft): EventDraft {
    if (draft.timestamp) this.time = draft.timestamp
    return draft.timestamp || !this.time ? draft : { ...draft, timestamp: this.time }
  }

  async compact(recorded: RecordedCompaction, notes: ReadNotes): Promise<boolean> {
    await this.flush()
    const stored = await this.#stored?.takeCompaction()
    if (stored !== undefined) return stored
    const strategy: Strategy = {
      id: RECORDED_STRATEGY,
      propose: async ({ context, eventAt }) =>
        recordedProposal(recorded, context, eventAt, (name) => this.#ids.get(name)),
    }
    // A tool's summary may be longer than the little that it replaced: it happened all the same.
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

function withoutRecords({ draft, ...named }: NamedDraft): NamedDraft[] {
  if (draft.type === 'FOREIGN') return []
  const { source: _, ...bare } = draft
  return [{ ...named, draft: bare }]
}
