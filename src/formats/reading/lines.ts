// Reads a file with one JSON record per line as a stream: holds the text of a line, never the file.
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { parseRecord } from '../../core/text/json-bounds.ts'
import type { Source } from '../session-format.ts'
import type { ReadNotes } from './notes.ts'
import { type Fields, isStorable, placedRecord, type RawRecord } from './raw.ts'

export interface Line {
  readonly number: number // 1-based
  readonly text: string
  readonly ended: boolean // the last line may lack its end
  readonly record?: RawRecord // set if its text can be read again and need not be held
}

/** A line with its byte range, if known. */
interface CutLine {
  readonly text: string
  readonly start?: number
  readonly end?: number
}

/** No session record is this long, and a string twice as long is impossible. */
export const MAX_RECORD_CHARS = 200_000_000

/** The lines of a text in pieces, as many as each piece completes. */
export async function* eachLine(
  source: Source,
  onBytes?: (bytes: number) => void,
  blank: 'skip' | 'keep' = 'skip',
) {
  const cutter = new LineCutter()
  const textAt = source.textAt?.bind(source)
  let number = 0
  const numbered = (cut: readonly CutLine[], isLast = false): Line[] => {
    const lines: Line[] = []
    for (const { text, start, end } of cut) {
      number += 1
      if (blank === 'skip' && text.trim() === '') continue
      const line = { number, text, ended: !isLast }
      const isPlaced = textAt !== undefined && start !== undefined && end !== undefined
      const record = isPlaced ? placedRecord(number, { textAt, start, end }) : undefined
      lines.push(record ? { ...line, record } : line)
    }
    return lines
  }
  for await (const chunk of source.open()) {
    onBytes?.(chunk.length)
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    const lines = numbered(cutter.take(bytes, number + 1))
    if (lines.length > 0) yield lines
    if (cutter.restBytes > MAX_RECORD_CHARS) throw tooLong(number + 1)
  }
  const last = numbered([cutter.last(number + 1)], true)
  if (last.length > 0) yield last
}

const encoder = new TextEncoder()
const NEWLINE = 10
/** Lines shorter than this on average are decoded together. */
const SHORT_LINE_BYTES = 128

/**
 * Splits bytes into lines before decoding them. A string with one non-Latin character takes two bytes per
 * character, so only lines with one do, not their neighbours.
 */
class LineCutter {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #rest: Uint8Array[] = [] // joined once the line is complete: otherwise quadratic
  #isFirst = true
  #at = 0 // of the next chunk, in bytes
  restBytes = 0

  take(chunk: Uint8Array, line: number): CutLine[] {
    const at = this.#at
    this.#at += chunk.length
    const first = chunk.indexOf(NEWLINE)
    if (first < 0) {
      this.#hold(chunk)
      return []
    }
    const last = chunk.lastIndexOf(NEWLINE)
    const lines = [this.#joined(chunk.subarray(0, first), line, at + first)]
    if (last > first) this.#cut(chunk.subarray(first + 1, last), line, at + first + 1, lines)
    this.#hold(chunk.subarray(last + 1))
    return lines
  }

  /** The text after the last line break. */
  last(line: number): CutLine {
    return this.#joined(new Uint8Array(), line, this.#at)
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#rest.push(bytes)
    this.restBytes += bytes.length
  }

  /** The line that ends at byte `to`, with its held start. */
  #joined(ending: Uint8Array, line: number, to: number): CutLine {
    const bytes = this.#rest.length === 0 ? ending : joinBytes([...this.#rest, ending])
    this.#rest = []
    this.restBytes = 0
    const text = this.#text(bytes, line)
    // A byte order mark is not part of the first line, so that has no range.
    if (!this.#isFirst) return { text, start: to - bytes.length, end: to }
    this.#isFirst = false
    return { text: text.replace(/^\uFEFF/, '') }
  }

  /** Adds the lines of these bytes, which start at byte `at`. */
  #cut(bytes: Uint8Array, line: number, at: number, lines: CutLine[]): void {
    const before = lines.length
    for (let start = 0; start <= bytes.length; ) {
      const found = bytes.indexOf(NEWLINE, start)
      const end = found < 0 ? bytes.length : found
      const text = this.#text(bytes.subarray(start, end), line)
      lines.push({ text, start: at + start, end: at + end })
      start = end + 1
      // Short lines gain little, and there may be millions of them.
      if (found >= 0 && found < SHORT_LINE_BYTES * (lines.length - before)) {
        for (const short of this.#text(bytes.subarray(start), line).split('\n'))
          lines.push({ text: short })
        return
      }
    }
  }

  #text(bytes: Uint8Array, line: number): string {
    return inUtf8(() => this.#decoder.decode(bytes), line)
  }
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}

/** Decodes the next piece, which may end inside a character; without one, the end. */
export function decoded(
  decoder: InstanceType<typeof TextDecoder>,
  chunk: Uint8Array | string | undefined,
  line: number,
): string {
  if (typeof chunk === 'string') return chunk
  return inUtf8(() => decoder.decode(chunk, { stream: chunk !== undefined }), line)
}

function inUtf8(decode: () => string, line: number): string {
  try {
    return decode()
  } catch (thrown) {
    throw new PrecisError('invalid-input', 'the input is not text in UTF-8', {
      where: `line ${line}`,
      hint: 'Give it the session file itself, not an archive or a database.',
      cause: thrown,
    })
  }
}

function tooLong(line: number): PrecisError {
  return new PrecisError('invalid-input', 'a line is longer than 200 million characters', {
    where: `line ${line}`,
    hint: 'A session record cannot be that long. Check that the file is a session.',
  })
}

/** A line and its value, if that is JSON the log can hold. */
export interface Record extends RawRecord {
  readonly value: Json | undefined
}

/**
 * A line as a record. A running tool leaves half a line at the end of its file. `parsed` is the line's value,
 * if known.
 */
export function buildRecord(line: Line, notes: ReadNotes, parsed?: Fields): Record {
  const at = line.number
  let value: unknown
  try {
    value = parsed ?? parseRecord(at === 1 ? line.text.replace(/^\uFEFF/, '') : line.text)
  } catch (thrown) {
    if (PrecisError.is(thrown)) return tooDeep(line, notes)
    if (line.ended) {
      notes.problem(`line ${at}: not JSON; kept as it is`)
      notes.kept('a line that is not JSON')
    } else {
      notes.problem(`line ${at}: the file ends in the middle of a record; that record is kept raw`)
      notes.kept('a half-written last line')
    }
    return { at, raw: line.text, value: undefined }
  }
  if (isStorable(value)) return { at, raw: line.text, value }
  return tooDeep(line, notes)
}

function tooDeep({ number: at, text }: Line, notes: ReadNotes): Record {
  notes.problem(`line ${at}: nested too deep, too many values, or a number too large; kept as text`)
  notes.kept('a record that is nested too deep')
  return { at, raw: text, value: undefined }
}
