// Replaces a file that another program may append to, without losing a line
import { createHash } from 'node:crypto'
import { appendFile, type FileHandle, open } from 'node:fs/promises'
import type { Io } from '../process-io.ts'
import { type Written, writeText } from '../terminal/io.ts'

/** A program that never stops appending must not hold up the replacement for ever. */
const MOST_LOOKS = 16

/**
 * Replaces the file if its digest is the given one; undefined if it is not, and then the file is as the
 * other program left it. Gives what was appended to the old file during the replacement; it is at the
 * end of the new one.
 */
export async function replaceUnchanged(
  path: string,
  digest: string,
  text: Written,
  io: Io,
): Promise<Uint8Array | undefined> {
  // The old file stays readable through this handle after another one has taken its name.
  const old = await open(path, 'r')
  try {
    const { size } = await old.stat()
    if ((await digestOfStart(old, size)) !== digest) return undefined
    await writeText(path, text, io)
    return await moveAppended(old, path, { size, digest }, io)
  } finally {
    await old.close()
  }
}

/** Looks until nothing new is there: each look comes after a write that was synced to the disk. */
async function moveAppended(
  old: FileHandle,
  path: string,
  before: { readonly size: number; readonly digest: string },
  io: Io,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = []
  let end = before.size
  for (let look = 0; look < MOST_LOOKS; look++) {
    const piece = await readFrom(old, end)
    const isUnchanged = (await digestOfStart(old, before.size)) === before.digest
    if (!isUnchanged || (piece.length > 0 && !(await endsLine(old, before.size)))) {
      // Changed inside, or not made of lines: nothing can be moved, so the file gets its content back.
      await writeText(path, await readFrom(old, 0), io)
      return undefined
    }
    if (piece.length === 0) break
    await appendFile(path, piece, { flush: true })
    pieces.push(piece)
    end += piece.length
  }
  return Buffer.concat(pieces)
}

async function digestOfStart(file: FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256')
  if (size === 0) return hash.digest('hex')
  for await (const piece of file.createReadStream({ start: 0, end: size - 1, autoClose: false }))
    hash.update(piece)
  return hash.digest('hex')
}

async function readFrom(file: FileHandle, position: number): Promise<Uint8Array> {
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.max(0, size - position))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, position)
  return bytes.subarray(0, bytesRead)
}

async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] === 10
}
