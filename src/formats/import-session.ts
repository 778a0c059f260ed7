// A file into a store: its thread and those of its sub-agents, with the compactions that it records.
import type { EntryId, Trigger } from '../core/change.ts'
import { originalId } from '../core/entry.ts'
import { PrecisError } from '../core/errors.ts'
import { bearsEntry, type EventDraft, type ThreadEvent } from '../core/event.ts'
import type { Json } from '../core/json.ts'
import type { Strategy } from '../core/strategy.ts'
import { ReadNotes } from './notes.ts'
import { recordedProposal } from './recorded.ts'
import {
  MAIN,
  type NamedDraft,
  type RecordedCompaction,
  type SessionFormat,
  type Source,
  type Step,
} from './session-format.ts'

/** What an import needs of a set of threads. */
export interface ImportTarget {
  create(started: {
    readonly reason: 'import'
    readonly title?: string
    readonly from?: { readonly threadId: string; readonly seq: number }
    readonly timestamp?: Date
    readonly source?: Json
  }): Promise<string>
  append(
    threadId: string,
    drafts: readonly EventDraft[],
    choices: { readonly openCalls: 'leave' },
  ): Promise<readonly ThreadEvent[]>
  compact(
    threadId: string,
    strategy: Strategy,
    options: {
      readonly trigger: Trigger
      readonly minTokens: number
      readonly timestamp?: Date
    },
  ): Promise<
    | { readonly committed: true }
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
  /** What the first event of the thread says of the file. */
  readonly source?: Json
  /**
   * Whether the log keeps the records of the file beside what they became. Without them it is about
   * half as large, and the session can only be written as a new one.
   */
  readonly records?: 'keep' | 'drop'
}

/** The strategy under which compactions stand that came in with a file. */
const RECORDED_STRATEGY = 'recorded'
const BATCH_DRAFTS = 500
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
  const named = {
    ...(title !== undefined && { title }),
    ...(options.source !== undefined && { source: options.source }),
  }
  const { began, steps } = await withBeginning(format.read(source, notes))
  const main = await ImportedThread.start(target, named, records, began)
  const threads = new Map([[MAIN, main]])
  let compactions = 0
  for await (const step of steps) {
    if (step.type === 'thread') {
      await main.flush()
      const from = { threadId: main.threadId, seq: main.lastSeq }
      const started = { from, ...(step.title !== undefined && { title: step.title }) }
      threads.set(step.thread, await ImportedThread.start(target, started, records, main.time))
      continue
    }
    requireWords(notes, format)
    const thread = threads.get(step.thread) ?? main
    if (step.type === 'drafts') await thread.add(step.drafts)
    else if (await thread.compact(step.compaction, notes)) compactions += 1
  }
  for (const thread of threads.values()) await thread.flush()
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

class ImportedThread {
  readonly threadId: string
  lastSeq = 1
  /** Of the last record that has one. */
  time: Date | undefined
  readonly #target: ImportTarget
  readonly #records: 'keep' | 'drop'
  readonly #ids = new Map<string, EntryId>()
  #pending: NamedDraft[] = []

  /** A thread is as old as the session was where it comes from. */
  static async start(
    target: ImportTarget,
    started: Started,
    records: 'keep' | 'drop',
    began: Date | undefined,
  ): Promise<ImportedThread> {
    const timestamp = began && { timestamp: began }
    const threadId = await target.create({ ...started, ...timestamp, reason: 'import' })
    return new ImportedThread(target, threadId, records, began)
  }

  private constructor(
    target: ImportTarget,
    threadId: string,
    records: 'keep' | 'drop',
    time: Date | undefined,
  ) {
    this.#target = target
    this.threadId = threadId
    this.#records = records
    this.time = time
  }

  /** An answer and its calls are in one step, so a batch never parts them. */
  async add(drafts: readonly NamedDraft[]): Promise<void> {
    // One by one: a step of a hundred thousand is too long for a list of arguments.
    for (const draft of this.#records === 'keep' ? drafts : drafts.flatMap(withoutRecords))
      this.#pending.push(draft)
    if (this.#pending.length >= BATCH_DRAFTS) await this.flush()
  }

  async flush(): Promise<void> {
    const pending = this.#pending
    if (pending.length === 0) return
    this.#pending = []
    const drafts = pending.map(({ draft }) => this.#timed(draft))
    const events = await this.#target.append(this.threadId, drafts, { openCalls: 'leave' })
    events.forEach((event, index) => {
      if (!bearsEntry(event)) return
      for (const name of pending[index]?.names ?? []) this.#ids.set(name, originalId(event.seq))
    })
    this.lastSeq = events.at(-1)?.seq ?? this.lastSeq
  }

  /** What has no time of its own happened after what stands before it, not when it was imported. */
  #timed(draft: EventDraft): EventDraft {
    if (draft.timestamp) this.time = draft.timestamp
    return draft.timestamp || !this.time ? draft : { ...draft, timestamp: this.time }
  }

  async compact(recorded: RecordedCompaction, notes: ReadNotes): Promise<boolean> {
    await this.flush()
    const strategy: Strategy = {
      id: RECORDED_STRATEGY,
      propose: async ({ context, eventAt }) =>
        recordedProposal(recorded, context, eventAt, (name) => this.#ids.get(name)),
    }
    // A tool's summary may be longer than the little that it replaced: it happened all the same.
    const outcome = await this.#target.compact(this.threadId, strategy, {
      trigger: 'import',
      minTokens: Number.MAX_SAFE_INTEGER,
      ...(this.time && { timestamp: this.time }),
    })
    if (!outcome.committed)
      notes.problem(`a recorded compaction could not be taken over: ${outcome.refusal.message}`)
    return outcome.committed
  }
}

function withoutRecords({ draft, ...named }: NamedDraft): NamedDraft[] {
  if (draft.type === 'FOREIGN') return []
  const { source: _, ...bare } = draft
  return [{ ...named, draft: bare }]
}
