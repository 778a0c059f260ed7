// A file into a store: its thread and those of its sub-agents, with the compactions that it records.
import type { EntryId, Trigger } from '../core/change.ts'
import { originalId } from '../core/entry.ts'
import { PrecisError } from '../core/errors.ts'
import { bearsEntry, type EventDraft, type ThreadEvent } from '../core/event.ts'
import type { Strategy } from '../core/strategy.ts'
import { ReadNotes } from './notes.ts'
import { recordedProposal } from './recorded.ts'
import {
  MAIN,
  type NamedDraft,
  type RecordedCompaction,
  type SessionFormat,
  type Source,
} from './session-format.ts'

/** What an import needs of a set of threads. */
export interface ImportTarget {
  create(started: {
    readonly reason: 'import'
    readonly title?: string
    readonly from?: { readonly threadId: string; readonly seq: number }
  }): Promise<string>
  append(
    threadId: string,
    drafts: readonly EventDraft[],
    choices: { readonly openCalls: 'leave' },
  ): Promise<readonly ThreadEvent[]>
  compact(
    threadId: string,
    strategy: Strategy,
    options: { readonly trigger: Trigger; readonly minTokens: number },
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
  const named = title === undefined ? {} : { title }
  const main = await ImportedThread.start(target, named, records)
  const threads = new Map([[MAIN, main]])
  let compactions = 0
  for await (const step of format.read(source, notes)) {
    if (step.type === 'thread') {
      await main.flush()
      const from = { threadId: main.threadId, seq: main.lastSeq }
      const started = { from, ...(step.title !== undefined && { title: step.title }) }
      threads.set(step.thread, await ImportedThread.start(target, started, records))
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

function requireWords({ account }: ReadNotes, { id }: SessionFormat): void {
  if (account.modelled > 0 || account.records < SILENT_RECORDS) return
  throw new PrecisError(
    'invalid-input',
    `the first ${account.records.toLocaleString('en-US')} records hold no conversation of the format ${id}`,
    { hint: 'Check what the file is, and name its format if you know it.' },
  )
}

class ImportedThread {
  readonly threadId: string
  lastSeq = 1
  readonly #target: ImportTarget
  readonly #records: 'keep' | 'drop'
  readonly #ids = new Map<string, EntryId>()
  #pending: NamedDraft[] = []

  static async start(
    target: ImportTarget,
    started: Omit<Parameters<ImportTarget['create']>[0], 'reason'>,
    records: 'keep' | 'drop',
  ): Promise<ImportedThread> {
    const threadId = await target.create({ ...started, reason: 'import' })
    return new ImportedThread(target, threadId, records)
  }

  private constructor(target: ImportTarget, threadId: string, records: 'keep' | 'drop') {
    this.#target = target
    this.threadId = threadId
    this.#records = records
  }

  /** An answer and its calls are in one step, so a batch never parts them. */
  async add(drafts: readonly NamedDraft[]): Promise<void> {
    this.#pending.push(...(this.#records === 'keep' ? drafts : drafts.flatMap(withoutRecords)))
    if (this.#pending.length >= BATCH_DRAFTS) await this.flush()
  }

  async flush(): Promise<void> {
    const pending = this.#pending
    if (pending.length === 0) return
    this.#pending = []
    const drafts = pending.map(({ draft }) => draft)
    const events = await this.#target.append(this.threadId, drafts, { openCalls: 'leave' })
    events.forEach((event, index) => {
      if (!bearsEntry(event)) return
      for (const name of pending[index]?.names ?? []) this.#ids.set(name, originalId(event.seq))
    })
    this.lastSeq = events.at(-1)?.seq ?? this.lastSeq
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
