// Some lines of a file of any size: read in blocks, and no further than was asked for.
import type { FileHandle } from 'node:fs/promises'
import type { Signal } from '../../core/ports.ts'
import { throwIfAborted } from '../define-tool.ts'

export interface LineRange {
  readonly offset: number // number of the first line, from 1
  readonly limit: number // how many lines
  readonly maxBytes: number
}

export interface FileLines {
  readonly bytes: Buffer // with the line breaks that are in the file
  readonly lines: number // how many there are in `bytes`
  /** Of the whole file; known where its end was reached. */
  readonly totalLines?: number
  /** The last line is not whole: together they are longer than what may be read. */
  readonly isCut: boolean
}

const BLOCK_BYTES = 64 * 1024
const NEWLINE = 0x0a

export async function readLines(
  file: FileHandle,
  { offset, limit, maxBytes }: LineRange,
  signal: Signal,
): Promise<FileLines> {
  const kept: Buffer[] = []
  let room = maxBytes
  let line = 1 // the one that the next piece belongs to
  let isOpen = false // something of it was read already
  const done = (lines: number, isCut = false): FileLines => ({
    bytes: Buffer.concat(kept),
    lines: Math.max(0, lines),
    isCut,
  })
  for await (const block of blocksOf(file, signal)) {
    for (const piece of piecesOf(block)) {
      if (line >= offset + limit) return done(limit)
      if (line >= offset) {
        kept.push(piece.subarray(0, room))
        if (piece.length > room) return done(line - offset + 1, true)
        room -= piece.length
      }
      isOpen = piece.at(-1) !== NEWLINE
      if (!isOpen) line += 1
    }
  }
  const totalLines = isOpen ? line : line - 1
  return { ...done(totalLines - offset + 1), totalLines }
}

async function* blocksOf(file: FileHandle, signal: Signal): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    throwIfAborted(signal)
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield block.subarray(0, bytesRead)
  }
}

/** Each line of a block with its break; the last may be a part of one. */
function* piecesOf(block: Buffer): Generator<Buffer> {
  for (let from = 0; from < block.length; ) {
    const found = block.indexOf(NEWLINE, from)
    const to = found === -1 ? block.length : found + 1
    yield block.subarray(from, to)
    from = to
  }
}
