// Checks what ripgrep found against files that are opened without following links: a folder that became a
// link while ripgrep ran has led it elsewhere.
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import { isErrno } from '../files/file-errors.ts'
import { openPlace } from '../files/open-file.ts'

export class OwnLines {
  readonly #root: string
  readonly #maxBytes: number
  #name: string | undefined
  #lines: readonly Buffer[] = []

  constructor(root: string, maxBytes: number) {
    this.#root = root
    this.#maxBytes = maxBytes
  }

  /** The number of the line in that file of the workspace; another one where lines came before it meanwhile. */
  async find(name: string, line: number, text: Buffer): Promise<number | undefined> {
    if (name !== this.#name) {
      this.#lines = readLines(await this.#read(name))
      this.#name = name
    }
    const wanted = bare(text)
    if (this.#lines[line - 1]?.equals(wanted)) return line
    const at = this.#lines.findIndex((each) => each.equals(wanted))
    return at === -1 ? undefined : at + 1
  }

  /** Empty for what is gone, became a link, or is too large by now. */
  async #read(name: string): Promise<Buffer> {
    let file: FileHandle | undefined
    try {
      file = await openPlace(this.#root, { path: join(this.#root, name), name })
      const isLarge = (await file.stat()).size > this.#maxBytes
      return isLarge ? Buffer.alloc(0) : await file.readFile()
    } catch (error) {
      if (isErrno(error) || PrecisError.is(error)) return Buffer.alloc(0)
      throw error
    } finally {
      await file?.close()
    }
  }
}

const LINE_BREAK = 10

function readLines(bytes: Buffer): Buffer[] {
  const text = decoded(bytes)
  const lines: Buffer[] = []
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf(LINE_BREAK, start)
    lines.push(bare(text.subarray(start, end === -1 ? undefined : end)))
    if (end === -1) break
    start = end + 1
  }
  return lines
}

/** As ripgrep reads it: UTF-16 where a byte order mark says so, otherwise the bytes. */
function decoded(bytes: Buffer): Buffer {
  const mark = bytes.subarray(0, 2).toString('hex')
  if (mark === 'fffe') return Buffer.from(new TextDecoder('utf-16le').decode(bytes))
  if (mark === 'feff') return Buffer.from(new TextDecoder('utf-16be').decode(bytes))
  return bytes
}

const UTF8_MARK = Buffer.from('\ufeff')

function bare(line: Buffer): Buffer {
  const end = line.at(-1) === LINE_BREAK ? line.length - 1 : line.length
  const hasMark = line.subarray(0, UTF8_MARK.length).equals(UTF8_MARK)
  return line.subarray(hasMark ? UTF8_MARK.length : 0, end)
}
