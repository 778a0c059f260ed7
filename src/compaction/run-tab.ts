// What a run owes: noted beside its thread from request to request, until an event of the thread has it.
import type { ThreadEvent } from '../core/log/event.ts'
import { isFields, type Json } from '../core/text/json.ts'
import type { TokenUsage } from '../core/view/content.ts'
import { sumUsage } from '../core/window/usage.ts'

export interface Tab {
  /** What is owed from before, once: whoever takes it puts it on the bill. */
  take(): TokenUsage | undefined
  add(usage: TokenUsage): Promise<void>
}

/** Where it is noted. What others have noted meanwhile is handed to the change, and stays where that keeps it. */
export interface Notes {
  get(key: string): Promise<Json | undefined>
  change(key: string, next: (held: Json | undefined) => Json): Promise<void>
}

const KEY = 'spent'

/** A type, since it is kept as JSON. */
type Note = {
  readonly usage: TokenUsage & { readonly [field: string]: Json }
  readonly recorded: number // events of the run that were in the log before this was spent
}

/**
 * Only a run that holds the lease of the compactions of its thread has one: what others have noted is then
 * left over from runs that were killed, and no run that is still going.
 */
export class RunTab implements Tab {
  readonly #notes: Notes
  readonly #runId: string
  #name: string
  /** The notes that this one takes the place of, itself among them. */
  #names: ReadonlySet<string>
  #left: TokenUsage | undefined // on no bill yet
  #noted: TokenUsage | undefined
  #recorded = 0
  #writing: Promise<void> = Promise.resolve()

  /** `readEvents` is asked only where something was left over: a kill may have come right behind the bill. */
  static async open(
    notes: Notes,
    runId: string,
    readEvents: () => Promise<readonly ThreadEvent[]>,
  ): Promise<RunTab> {
    const stored = readNotes(await notes.get(KEY))
    const events = stored.length > 0 ? await readEvents() : []
    const owed = stored.filter(([name, { recorded }]) => countEnds(name, events) <= recorded)
    const left = owed.reduce<TokenUsage | undefined>(
      (sum, [, { usage }]) => sumUsage(sum, usage),
      undefined,
    )
    return new RunTab(notes, runId, new Set(stored.map(([name]) => name)), left)
  }

  private constructor(
    notes: Notes,
    runId: string,
    found: ReadonlySet<string>,
    left: TokenUsage | undefined,
  ) {
    this.#notes = notes
    this.#runId = runId
    this.#name = runId
    this.#names = new Set([...found, runId])
    this.#left = left
    this.#noted = left
  }

  take(): TokenUsage | undefined {
    const left = this.#left
    this.#left = undefined
    return left
  }

  add(usage: TokenUsage): Promise<void> {
    this.#noted = sumUsage(this.#noted, usage)
    return this.#write()
  }

  /** An event of this run is in the log, or its new thread: what was taken and spent is on the bill. */
  async settle(): Promise<void> {
    this.#recorded += 1
    const { size } = this.#names
    const isClear = this.#noted === undefined && size === 1
    this.#noted = this.#left
    if (!isClear) await this.#write()
  }

  /** Nothing was written of an attempt: the next one is billed for it, in this run or another. */
  carry(): void {
    this.#left = this.#noted
  }

  /** Another run may have the thread now, and what was noted here: what is spent from now on is noted apart. */
  lose(): void {
    this.#name = `${this.#runId}.late`
    this.#names = new Set([this.#name])
    this.#left = undefined
    this.#noted = undefined
  }

  /** One after the other: requests are sent side by side. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(() =>
      this.#notes.change(KEY, (held) => {
        const others = readNotes(held).filter(([name]) => !this.#names.has(name))
        const own: Json | undefined = this.#noted && {
          usage: { ...this.#noted },
          recorded: this.#recorded,
        }
        const all: Record<string, Json> = Object.fromEntries(others)
        return own ? { ...all, [this.#name]: own } : all
      }),
    )
    return this.#writing
  }
}

function countEnds(runId: string, events: readonly ThreadEvent[]): number {
  return events.filter(
    ({ type, data }) =>
      (type === 'COMPACTION' || type === 'COMPACTION_FAILED') &&
      (data as { readonly runId: string }).runId === runId,
  ).length
}

function readNotes(json: Json | undefined): [name: string, note: Note][] {
  const notes = isFields(json) ? Object.entries(json) : []
  return notes.filter((entry): entry is [string, Note] => isNote(entry[1]))
}

function isNote(json: Json): json is Note {
  if (!isFields(json) || typeof json.recorded !== 'number') return false
  return isFields(json.usage) && typeof json.usage.promptTokens === 'number'
}
