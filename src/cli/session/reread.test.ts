// The lines of a long file are read again by their place, and only while they are what was read.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Source } from '../../formats/session-format.ts'
import { rereadable } from './input.ts'

const TEXT = 'the first line\nUmi 海 lay at berth C2 — all night\n\nthe last one, without an end'
const PIECE_BYTES = 7 // parts lines, and a character of three bytes

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-reread-'))
  file = join(folder, 'session.jsonl')
  writeFileSync(file, TEXT)
})

afterEach(() => rmSync(folder, { recursive: true }))

function readSource(longBytes = 0): Source {
  const bytes = readFileSync(file)
  const source: Source = {
    bytes: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES)
        yield bytes.subarray(at, at + PIECE_BYTES)
    },
  }
  return rereadable(file, source, { longBytes })
}

async function readThrough(source: Source): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of source.open()) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString()
}

describe('a long file', () => {
  it('is read as before, and any part of it once more', async () => {
    const source = readSource()
    expect(await readThrough(source)).toBe(TEXT)
    const bytes = Buffer.from(TEXT)
    let start = 0
    for (const line of TEXT.split('\n')) {
      const end = start + Buffer.byteLength(line)
      expect(source.textAt?.(start, end)).toBe(line)
      start = end + 1
    }
    expect(source.textAt?.(0, bytes.length)).toBe(TEXT)
    expect(source.textAt?.(5, 5)).toBe('')
  })

  it('may grow meanwhile: what was read is still there', async () => {
    const source = readSource()
    await readThrough(source)
    appendFileSync(file, '\none more')
    expect(source.textAt?.(0, Buffer.byteLength(TEXT))).toBe(TEXT)
  })

  const CHANGES = [
    { what: 'another character', change: () => writeFileSync(file, TEXT.replace('C2', 'C3')) },
    { what: 'a shorter one', change: () => writeFileSync(file, TEXT.slice(0, 20)) },
  ]
  it.each(CHANGES)('is refused once it is another: $what', async ({ change }) => {
    const source = readSource()
    await readThrough(source)
    change()
    expect(() => source.textAt?.(0, Buffer.byteLength(TEXT))).toThrow(
      expect.objectContaining({ code: 'version-conflict', where: file }),
    )
  })

  it('is missed by its name when it is gone', async () => {
    const source = readSource()
    await readThrough(source)
    rmSync(file)
    expect(() => source.textAt?.(0, 4)).toThrow(expect.objectContaining({ code: 'not-found' }))
  })
})

describe('a short file', () => {
  it('is held: it has no parts to be read again', () => {
    expect(readSource(1_000).textAt).toBe(undefined)
  })
})
