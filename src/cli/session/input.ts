// The source of a session: a file, or a stream that is buffered.
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { PrecisError } from '../../core/errors.ts'
import type { Source } from '../../formats/session-format.ts'
import type { Io } from '../process-io.ts'
import { readPieces, unreadable } from '../terminal/io.ts'
import { databaseSession, readDatabase } from './opencode-database.ts'

const PIECE_BYTES = 64_000

interface OpenOptions {
  readonly lines?: 'hold' | 'read again'
  /** Its agent may be writing: later content, and an incomplete last line, are left for the next time. */
  readonly isGrowing?: boolean
}

/**
 * `-` is standard input. Errors name the file. For callers that keep the content in memory, lines of a long
 * file are read again on demand: `lines` are not held.
 */
const NO_SESSION =
  'Check the path, or take an id that precis sessions lists; `-` reads standard input.'

export async function openInput(
  given: string,
  io: Pick<Io, 'stdin' | 'cwd'>,
  { lines = 'hold', isGrowing = false }: OpenOptions = {},
): Promise<Source> {
  if (given === '-') return held(await readPieces(io.stdin, given))
  const database = databaseSession(given, io.cwd)
  if (database) return held([Buffer.from((await readDatabase(database)).text)])
  const path = resolve(io.cwd, given)
  const found = await stat(path).catch((thrown: unknown) => {
    throw unreadable(given, thrown, NO_SESSION)
  })
  if (found.isDirectory()) throw unreadable(given, { code: 'EISDIR' })
  // A pipe or device may return something else when read again.
  if (!found.isFile()) return held(await readPieces(findPieces(path, given), given))
  const bytes = isGrowing ? wholeLines(path, found.size) : found.size
  const source = { bytes, open: () => findPieces(path, given, isGrowing ? bytes : undefined) }
  return lines === 'hold' ? source : rereadable(path, source, { name: given })
}

function held(pieces: readonly Uint8Array[]): Source {
  return {
    bytes: pieces.reduce((sum, { length }) => sum + length, 0),
    async *open() {
      yield* pieces
    },
  }
}

/**
 * Up to the last complete line; the rest is still being written. A file without a complete line is read as it
 * is.
 */
function wholeLines(path: string, size: number): number {
  if (!path.endsWith('.jsonl')) return size
  const file = openSync(path, 'r')
  try {
    let rest = Buffer.alloc(0)
    for (let start = size; start > 0; ) {
      const length = Math.min(PIECE_BYTES, start)
      const piece = Buffer.alloc(length)
      start -= length
      readSync(file, piece, 0, length, start)
      rest = Buffer.concat([piece, rest])
      const end = piece.lastIndexOf(0x0a)
      if (end >= 0) return isWhole(rest.subarray(end + 1)) ? size : start + end + 1
    }
    return size
  } finally {
    closeSync(file)
  }
}

function isWhole(line: Buffer): boolean {
  try {
    JSON.parse(line.toString('utf8') || '0')
    return true
  } catch {
    return false
  }
}

async function* findPieces(
  path: string,
  name: string,
  bytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(path, { highWaterMark: PIECE_BYTES, end: bytes - 1 })
  try {
    for await (const piece of stream) yield piece
  } catch (thrown) {
    throw unreadable(name, thrown)
  } finally {
    stream.destroy()
  }
}

/** Shorter files are held, which is faster. */
const LONG_BYTES = 16_000_000

/** The same file; any part of a long one can be read again. */
export function rereadable(
  path: string,
  source: Source,
  {
    name = path,
    longBytes = LONG_BYTES,
  }: { readonly name?: string; readonly longBytes?: number } = {},
): Source {
  if ((source.bytes ?? 0) < longBytes) return source
  const pieces = new ReadPieces(path, name)
  return {
    ...source,
    open: () => pieces.noted(source.open()),
    textAt: (start, end) => pieces.textAt(start, end),
  }
}

/** One piece as it was read. The next one begins at its end. */
interface Piece {
  readonly start: number
  readonly bytes: number
  readonly sum: number
}

class ReadPieces {
  readonly #path: string
  readonly #name: string // as people call it
  readonly #pieces: Piece[] = []
  #last: { readonly piece: Piece; readonly content: Buffer } | undefined
  /** All pieces share one buffer: a new one each would fill the memory before garbage collection. */
  #buffer = Buffer.alloc(0)

  constructor(path: string, name: string) {
    this.#path = path
    this.#name = name
  }

  /** Reading the file from its start yields the pieces that count from then on. */
  async *noted(read: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
    let start = 0
    let count = 0
    for await (const given of read) {
      const content = typeof given === 'string' ? Buffer.from(given) : given
      this.#pieces[count] = { start, bytes: content.length, sum: crc32(content) }
      count += 1
      start += content.length
      yield content
    }
  }

  textAt(start: number, end: number): string {
    const parts: Buffer[] = []
    for (let index = this.#indexOf(start), at = start; at < end; index += 1) {
      const piece = this.#pieces[index]
      if (piece === undefined) throw this.#changed()
      const from = at - piece.start
      const part = this.#read(piece).subarray(from, Math.min(piece.bytes, end - piece.start))
      // The next piece overwrites the buffer.
      parts.push(at + part.length < end ? Buffer.from(part) : part)
      at += part.length
    }
    const [only, ...others] = parts
    if (only === undefined) return ''
    return (others.length === 0 ? only : Buffer.concat(parts)).toString('utf8')
  }

  /** The piece that contains this byte. */
  #indexOf(at: number): number {
    let low = 0
    let high = this.#pieces.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#pieces[middle]?.start ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Lines are usually read in order, so the last piece is kept. */
  #read(piece: Piece): Buffer {
    if (this.#last?.piece === piece) return this.#last.content
    const content = this.#bytesOf(piece)
    if (crc32(content) !== piece.sum) throw this.#changed()
    this.#last = { piece, content }
    return content
  }

  /** What was read; less if the file has become shorter. */
  #bytesOf({ start, bytes }: Piece): Buffer {
    if (this.#buffer.length < bytes) this.#buffer = Buffer.allocUnsafe(bytes)
    const content = this.#buffer
    this.#last = undefined
    try {
      const file = openSync(this.#path, 'r')
      try {
        let read = 0
        for (let more = 1; more > 0 && read < bytes; read += more)
          more = readSync(file, content, read, bytes - read, start + read)
        return content.subarray(0, read)
      } finally {
        closeSync(file)
      }
    } catch (thrown) {
      throw unreadable(this.#name, thrown)
    }
  }

  #changed(): PrecisError {
    return new PrecisError(
      'version-conflict',
      `${this.#name} has changed while the command was running`,
      {
        where: this.#name,
        hint: 'Nothing was written. Try again when no other program writes to it.',
      },
    )
  }
}
