// How every reader processes its file: record by record, keeping unreadable ones unchanged.

import type { Json } from '../../core/text/json.ts'
import { MAIN, type Source, type Step } from '../session-format.ts'
import { Conversation } from './conversation.ts'
import { jsonItems, ROOT } from './json-items.ts'
import { buildRecord, eachLine, type Line } from './lines.ts'
import type { ReadNotes } from './notes.ts'
import { type Fields, isFields, type RawRecord } from './raw.ts'

/** Why a record is kept or dropped; undefined if it became events. */
export type KeptBecause = string | { readonly ignored: string } | undefined

/** Receives a file's records: each becomes events or is kept. */
export interface RecordReader {
  read(record: Fields, raw: RawRecord, list: string): KeptBecause
  /** Keeps a record unchanged. */
  keep(raw: RawRecord): void
  /** What surrounds a document's lists. */
  envelope?(value: Json): void
  /** There are no more records. */
  end(): void
  drain(): Iterable<Step>
}

/** A reader for files with one thread. */
export abstract class OneThreadReader implements RecordReader {
  protected readonly conversation: Conversation
  protected readonly notes: ReadNotes

  constructor(format: string, notes: ReadNotes) {
    this.conversation = new Conversation(format, MAIN)
    this.notes = notes
  }

  abstract read(record: Fields, raw: RawRecord, list: string): KeptBecause

  keep(raw: RawRecord): void {
    this.conversation.raw(raw)
  }

  envelope(value: Json): void {
    this.conversation.envelope(value)
  }

  end(): void {
    this.conversation.flush()
  }

  drain(): Step[] {
    return this.conversation.drain()
  }
}

function readRecord(
  reader: RecordReader,
  record: Fields,
  raw: RawRecord,
  list: string,
  notes: ReadNotes,
): void {
  const reason = reader.read(record, raw, list)
  if (reason === undefined) notes.modelled()
  else if (typeof reason === 'object') notes.ignored(reason.ignored)
  else {
    reader.keep(raw)
    notes.kept(reason)
  }
}

export async function* readLines(
  source: Source,
  notes: ReadNotes,
  reader: RecordReader,
): AsyncGenerator<Step> {
  yield* readEach(
    eachLine(source, (bytes) => notes.read(bytes)),
    notes,
    reader,
  )
}

/** A line with its value, if known. */
export interface ParsedLine extends Line {
  readonly parsed?: Fields | undefined
}

export async function* readEach(
  read: AsyncIterable<readonly ParsedLine[]> | Iterable<readonly ParsedLine[]>,
  notes: ReadNotes,
  reader: RecordReader,
): AsyncGenerator<Step> {
  for await (const lines of read) {
    for (const line of lines) {
      const record = buildRecord(line, notes, line.parsed)
      const raw = line.record ?? { at: record.at, raw: record.raw }
      if (isFields(record.value)) readRecord(reader, record.value, raw, ROOT, notes)
      else {
        reader.keep(raw)
        if (record.value !== undefined) notes.kept('a line that is no object')
      }
    }
    yield* reader.drain()
  }
  reader.end()
  yield* reader.drain()
}

export async function* readItems(
  source: Source,
  lists: readonly string[],
  notes: ReadNotes,
  reader: RecordReader,
): AsyncGenerator<Step> {
  for await (const piece of jsonItems(source, lists, (bytes) => notes.read(bytes))) {
    if (piece.type === 'shell') {
      if (piece.cut) notes.problem('the file ends in the middle; what came before was read')
      reader.envelope?.(piece.value)
    } else if (piece.type === 'item' && isFields(piece.value))
      readRecord(reader, piece.value, { at: piece.index, raw: piece.text }, piece.list, notes)
    else {
      const cut = piece.type === 'broken' && piece.cut
      notes.kept(cut ? 'a half-written last item' : 'an item that cannot be read')
      if (!cut) notes.problem(`${piece.list}[${piece.index}]: cannot be read; kept as it is`)
      reader.keep({ at: piece.index, raw: piece.text })
    }
    yield* reader.drain()
  }
  reader.end()
  yield* reader.drain()
}
