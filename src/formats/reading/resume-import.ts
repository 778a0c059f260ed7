// What an interrupted import of the same file stored: the next run skips it and continues after it.
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import type { EventDraft, ThreadEvent } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import type { Step } from '../session-format.ts'

export interface EarlierRun {
  readonly threadId: string // of the file itself
  readonly store: Pick<Store, 'info' | 'read' | 'find'>
}

/** The stored events of one thread, in the order in which they are read again. */
export class StoredPart {
  readonly threadId: string
  readonly version: number
  readonly #store: EarlierRun['store']
  #seq = 1 // its first event identifies it

  /** Undefined if the earlier run did not reach this thread. */
  static async find({ store }: EarlierRun, threadId: string): Promise<StoredPart | undefined> {
    const info = await store.info(threadId)
    return info && new StoredPart(store, threadId, info.version)
  }

  private constructor(store: EarlierRun['store'], threadId: string, version: number) {
    this.#store = store
    this.threadId = threadId
    this.version = version
  }

  /** The stored ones of these drafts. Rejects if something else is stored. */
  async take(drafts: readonly EventDraft[]): Promise<readonly ThreadEvent[]> {
    const count = Math.min(drafts.length, this.version - this.#seq)
    if (count === 0) return []
    const events = await this.#read(count)
    if (!events.every((event, index) => isSameEvent(event, drafts[index])))
      throw anotherImport(this.threadId)
    this.#seq += count
    return events
  }

  /** Whether a recorded compaction is stored, with its pins; undefined if the run ended before it. */
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
  // The number of its answer was set when it was appended.
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

/** The first record with a time tells when a session began: early, or never. */
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
