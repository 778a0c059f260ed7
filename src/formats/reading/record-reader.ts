// How every reader goes through its file: record by record, with what cannot be read kept as it is.
// A text as JSON, with errors that say where it went wrong and what the text may be instead.

import { PrecisError } from '../../core/errors.ts'
import { isJson, type Json, parseRecord } from '../../core/text/json.ts'
import { MAIN, type Source, type Step } from '../session-format.ts'
import { Conversation } from './conversation.ts'
import { jsonItems, ROOT } from './json-items.ts'
import { type Line, linesOf, recordOf } from './lines.ts'
import type { ReadNotes } from './notes.ts'
import { type Fields, isFields, type RawRecord } from './raw.ts'

/** Why a record is kept as it is, or not at all; undefined where it became events. */
export type KeptBecause = string | { readonly ignored: string } | undefined

/** Where the records of a file go: each becomes events, or is kept. */
export interface RecordReader {
  read(record: Fields, raw: RawRecord, list: string): KeptBecause
  /** Keeps a record as it is. */
  keep(raw: RawRecord): void
  /** What stands around the lists of a document. */
  envelope?(value: Json): void
  /** There are no more records. */
  end(): void
  drain(): Iterable<Step>
}

/** A reader of files that hold one thread. */
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
    linesOf(source, (bytes) => notes.read(bytes)),
    notes,
    reader,
  )
}

/** A line, and what it says where somebody has looked before. */
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
      const record = recordOf(line, notes, line.parsed)
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

/** How much of a text is looked at to guess what it is. */
const GUESS_CHARS = 100_000

export function parseJsonText(text: string): Json {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (body.trim() === '')
    throw new PrecisError('invalid-input', 'the input is empty', {
      hint: 'Give it a session file, or a JSON document with the messages of a conversation.',
    })
  try {
    return parseRecord(body) as Json
  } catch (thrown) {
    if (PrecisError.is(thrown)) throw thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    throw new PrecisError('invalid-input', `the input is not JSON: ${readReason(message)}`, {
      ...findPlace(message, body),
      hint: guess(body),
      cause: thrown,
    })
  }
}

/** The engine's reason without its position and its quote of the text, which may be long. */
function readReason(message: string): string {
  return message
    .replace(/ in JSON at position.*$/s, '')
    .replace(/, (\.\.\.)?".*$/s, '')
    .replace(/^./, (first) => first.toLowerCase())
}

/** How much of the text before an unexpected token the engine quotes. */
const QUOTED_BEFORE = 10

/** The engine tells the position of most errors, and of an unexpected token only its surroundings. */
function findPlace(message: string, body: string): { where?: string } {
  const at = findPosition(message, body)
  if (at === undefined) return {}
  const before = body.slice(0, at)
  const line = before.split('\n').length
  return { where: `line ${line}, column ${at - before.lastIndexOf('\n')}` }
}

function findPosition(message: string, body: string): number | undefined {
  const known = /at position (\d+)/.exec(message)?.[1]
  if (known !== undefined) return Number(known)
  if (message.includes('end of JSON input')) return body.length
  const quoted = /\.\.\."([\s\S]*?)"(?:\.\.\.)? is not valid JSON$/.exec(message)?.[1]
  const found = quoted === undefined ? -1 : body.indexOf(quoted)
  return found < 0 ? undefined : found + QUOTED_BEFORE
}

function guess(body: string): string {
  const [first = '', second] = body.slice(0, GUESS_CHARS).split('\n', 2)
  if (second !== undefined && isJsonObject(first))
    return 'It looks like JSON Lines, one record a line, and not like one JSON document.'
  return 'Check that the file is complete, and that it is one JSON document.'
}

function isJsonObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

/** As many steps as lead from a document to a field of a tool's input. */
const PLACE_STEPS = 6
/** An input begins so many steps below its document; its own depth is what counts. */
const STEPS_TO_INPUT = 5

/**
 * Values of a document that the log cannot hold: too deep, or numbers without end. They are named
 * by their place.
 */
export function requireStorable(document: Json): void {
  const start = Array.isArray(document)
    ? { path: 'messages', depth: 1 - STEPS_TO_INPUT }
    : { path: '', depth: -STEPS_TO_INPUT }
  const place =
    placeFrom(document, start.path, start.depth) ??
    // Beside the messages the log counts from the document on.
    (isFields(document) ? placeFrom({ ...document, messages: [] }, '', 1) : undefined)
  if (place === undefined) return
  throw new PrecisError(
    'invalid-input',
    'a value is nested too deep, or holds a number too large',
    {
      where: place,
      hint: 'Nothing was written. Values may be nested up to 1,000 deep; leave out or shorten this one.',
    },
  )
}

/** The path to the first value that is no JSON to the log. */
function placeFrom(document: Json, start: string, depth: number): string | undefined {
  let value: unknown = document
  let path = start
  for (
    let step = 1;
    step <= PLACE_STEPS && typeof value === 'object' && value !== null;
    step += 1
  ) {
    const found = Object.entries(value).find(([, inner]) => !isJson(inner, depth + step))
    if (found === undefined) break
    const [key, inner] = found
    path += Array.isArray(value) ? `[${key}]` : `${path === '' ? '' : '.'}${key}`
    value = inner
  }
  return path === start ? undefined : path
}
