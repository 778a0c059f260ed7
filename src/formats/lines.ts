// A file of one JSON record a line, read as it comes: the text of a line is held, never that of the file.
import { PrecisError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { type Fields, isStorable } from './fields.ts'
import type { ReadNotes } from './notes.ts'
import type { RawRecord } from './raw.ts'
import type { Source } from './session-format.ts'

export interface Line {
  readonly number: number // 1-based
  readonly text: string
  readonly ended: boolean // the last line may lack its end
}

/** No record of a session is this long; a text of twice the length could not be held at all. */
export const MAX_RECORD_CHARS = 200_000_000

/** The lines of a text that comes in pieces, as many as there are in each. */
export async function* linesOf(
  source: Source,
  onBytes?: (bytes: number) => void,
  blank: 'skip' | 'keep' = 'skip',
) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest: string[] = [] // joined only when the line is whole: else a long line costs its square
  let restChars = 0
  let number = 0
  const take = (text: string, isLast: boolean): Line[] => {
    const pieces = text.split('\n')
    const lines: Line[] = []
    for (const [at, piece] of pieces.entries()) {
      const ends = at < pieces.length - 1
      if (!ends && !isLast) {
        rest.push(piece)
        restChars += piece.length
        break
      }
      number += 1
      const line = rest.length === 0 ? piece : rest.join('') + piece
      rest = []
      restChars = 0
      if (blank === 'keep' || line.trim() !== '') lines.push({ number, text: line, ended: ends })
    }
    if (restChars > MAX_RECORD_CHARS) throw tooLong(number + 1)
    return lines
  }
  for await (const chunk of source.open()) {
    onBytes?.(chunk.length)
    const lines = take(decoded(decoder, chunk, number + 1), false)
    if (lines.length > 0) yield lines
  }
  const last = take(decoded(decoder, undefined, number + 1), true)
  if (last.length > 0) yield last
}

export function decoded(
  decoder: InstanceType<typeof TextDecoder>,
  chunk: Uint8Array | string | undefined,
  line: number,
): string {
  if (typeof chunk === 'string') return chunk
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
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
    hint: 'No record of a session is that long. Check what the file is.',
  })
}

/** A line, and what it says where it is JSON that the log can hold. */
export interface Record extends RawRecord {
  readonly value: Json | undefined
}

/**
 * A line as a record. Half a line at the end of a file is what a running tool leaves behind. `parsed` is
 * what the line says, where somebody has looked before.
 */
export function recordOf(line: Line, notes: ReadNotes, parsed?: Fields): Record {
  const at = line.number
  let value: unknown
  try {
    value = parsed ?? JSON.parse(at === 1 ? line.text.replace(/^\uFEFF/, '') : line.text)
  } catch {
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
  notes.problem(`line ${at}: nested too deep, or a number too large; kept as text`)
  notes.kept('a record that is nested too deep')
  return { at, raw: line.text, value: undefined }
}
