// pi's session files, versions 1 to 3, and those of its fork Oh My Pi: a tree of entries, one a line.

import { type Origin, summaryEntries } from '../reading/conversation.ts'
import { eachLine } from '../reading/lines.ts'
import type { ReadNotes } from '../reading/notes.ts'
import {
  type Fields,
  fieldsIn,
  modelRef,
  objectIn,
  type RawRecord,
  textIn,
  timeIn,
  writtenModelRef,
} from '../reading/raw.ts'
import { type KeptBecause, OneThreadReader, readLines } from '../reading/record-reader.ts'
import type { Sample, Source, Step } from '../session-format.ts'
import { REMINDER, readMessage, readTexts, readUserContent } from './message.ts'

export const PI = 'pi'
export const OH_MY_PI = 'oh-my-pi'

export function isPi({ lines }: Sample): boolean {
  return lines.some(({ type, id, cwd }) => type === 'session' && isText(id) && isText(cwd))
}

export function isOhMyPi(sample: Sample): boolean {
  return (
    isPi(sample) &&
    sample.lines.some(({ type, v }) => type === 'session_init' || (type === 'title' && v === 1))
  )
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** Two passes: the last entry determines the active branch through its parents. */
export async function* readPi(
  format: string,
  source: Source,
  notes: ReadNotes,
): AsyncGenerator<Step> {
  yield* readLines(source, notes, new EntryReader(format, notes, await leftEntries(source)))
}

/** Ids of entries not on the path to the last one. Version 1 has no ids. */
async function leftEntries(source: Source): Promise<Set<string>> {
  const parents = new Map<string, string | undefined>()
  let leaf: string | undefined // the entry before; also replaces a missing parent
  for await (const lines of eachLine(source))
    for (const { text } of lines) {
      const entry = objectIn(text) ?? {}
      const id = textIn(entry.id)
      if (id === undefined || entry.type === 'session' || !('parentId' in entry)) continue
      const parent = textIn(entry.parentId)
      parents.set(id, parent === undefined || parents.has(parent) ? parent : leaf)
      leaf = id
    }
  const left = new Set(parents.keys())
  // Each entry leaves the set when visited, so cycles end.
  while (leaf !== undefined && left.delete(leaf)) leaf = parents.get(leaf)
  return left
}

class EntryReader extends OneThreadReader {
  readonly #left: ReadonlySet<string>
  #index = -1 // version 1 identifies entries by index
  #names: string[] = [] // of hidden entries: they name what follows

  constructor(format: string, notes: ReadNotes, left: ReadonlySet<string>) {
    super(format, notes)
    this.#left = left
    if (left.size > 0)
      notes.problem(
        `${left.size} entries are on branches that were left; they are kept, out of the context`,
      )
  }

  read(entry: Fields, record: RawRecord): KeptBecause {
    this.#index += 1
    const id = textIn(entry.id)
    if (id !== undefined && this.#left.has(id)) return 'on a branch that was left'
    this.#names.push(`#${this.#index}`, ...(id === undefined ? [] : [id]))
    const origin = { record, names: this.#names, ...timeIn(entry.timestamp) }
    if (this.#readShown(entry, origin)) {
      this.#names = []
      return undefined
    }
    const isKnown = this.#readAside(entry, record, origin)
    return isKnown ? undefined : `${textIn(entry.type) ?? 'untyped'}: not sent`
  }

  /** Whether the model sees the entry. */
  #readShown(entry: Fields, origin: Origin): boolean {
    switch (entry.type) {
      case 'message':
        return readMessage(fieldsIn(entry.message), origin, this.conversation)
      case 'custom_message':
        if (entry.customType === REMINDER)
          this.conversation.reminder(readTexts(entry.content), origin)
        else this.conversation.queued(readUserContent(entry.content), origin, 'client')
        return true
      case 'branch_summary': {
        const text = textIn(entry.summary)
        if (!text) return false
        this.conversation.user(`Summary of a branch that was left:\n\n${text}`, origin, 'model')
        return true
      }
      default:
        return false
    }
  }

  #readAside(entry: Fields, record: RawRecord, origin: Origin): boolean {
    const { names: _, ...unnamed } = origin
    switch (entry.type) {
      case 'compaction':
        return this.#compaction(entry, record)
      case 'model_change': {
        const whole = textIn(entry.model)
        const model = whole?.includes('/')
          ? writtenModelRef(whole)
          : modelRef(textIn(entry.provider) ?? 'unknown', entry.modelId)
        this.conversation.aside({ type: 'MODEL_CHANGED', data: { model } }, unnamed)
        return true
      }
      case 'session_init': {
        const data = textIn(entry.systemPrompt)
        if (data === undefined) return false
        this.conversation.aside({ type: 'SYSTEM_PROMPT', data }, unnamed)
        return true
      }
      default:
        return false
    }
  }

  /** The kept part starts at a named entry: by id, in version 1 by index. */
  #compaction(entry: Fields, record: RawRecord): boolean {
    const summary = textIn(entry.summary)
    if (!summary) return false
    const { summary: _, details, ...about } = entry
    const index = entry.firstKeptEntryIndex
    const from =
      textIn(entry.firstKeptEntryId) ?? (typeof index === 'number' ? `#${index}` : undefined)
    this.conversation.raw(record)
    this.conversation.compaction({
      put: summaryEntries(summary),
      ...(from !== undefined && { keepFrom: from }),
      metadata: { recorded: { ...about, ...(details !== undefined && { details }) } },
    })
    return true
  }
}
