// Records a run's spending next to its thread, request by request, until an event of the thread bills it.
import type { ThreadEvent } from '../core/log/event.ts'
import { isFields, type Json } from '../core/text/json.ts'
import type { TokenUsage } from '../core/view/content.ts'
import { sumUsage } from '../core/window/usage.ts'

export interface Tab {
  /** Earlier unbilled spending, once: the caller bills it. */
  take(): TokenUsage | undefined
  add(usage: TokenUsage): Promise<void>
}

/** The storage of notes. A change receives the notes of others and decides what stays. */
export interface Notes {
  get(key: string): Promise<Json | undefined>
  change(key: string, next: (held: Json | undefined) => Json): Promise<void>
}

const KEY = 'spent'

/** A type alias, because it is stored as JSON. */
type Note = {
  readonly usage: TokenUsage & { readonly [field: string]: Json }
  readonly recorded: number // events of the run in the log before this was spent
}

/**
 * Only a run that holds the thread's compaction lease has one. Other notes are then from killed runs, never
 * from a running one.
 */
export class RunTab implements Tab {
  readonly #notes: Notes
  readonly #runId: string
  #name: string
  /** The notes this one replaces, including itself. */
  #names: ReadonlySet<string>
  #left: TokenUsage | undefined // unbilled
  #noted: TokenUsage | undefined
  #recorded = 0
  #writing: Promise<void> = Promise.resolve()

  /** Reads events only if notes were left over: a kill may have followed the bill. */
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

  /** An event or new thread of this run exists: what was taken and spent is billed. */
  async settle(): Promise<void> {
    this.#recorded += 1
    const { size } = this.#names
    const isClear = this.#noted === undefined && size === 1
    this.#noted = this.#left
    if (!isClear) await this.#write()
  }

  /** The attempt wrote nothing, so the next one is billed for it, in this run or another. */
  carry(): void {
    this.#left = this.#noted
  }

  /** Another run may own the thread and its notes now, so record further spending separately. */
  lose(): void {
    this.#name = `${this.#runId}.late`
    this.#names = new Set([this.#name])
    this.#left = undefined
    this.#noted = undefined
  }

  /** Sequential, because requests run in parallel. */
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
