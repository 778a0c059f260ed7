// A file that another program writes to while it is replaced, and a clock that goes back.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Io, processIo } from '../../src/cli/process-io.ts'
import {
  computeDigest,
  redoReplacement,
  replaceWithBackup,
  undoReplacement,
} from '../../src/cli/session/backups.ts'

let folder = ''
let file = ''
let io: Io

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-in-place-'))
  file = join(folder, 'session.jsonl')
  io = { ...processIo(), cwd: folder, environment: { PRECIS_HOME: join(folder, 'home') } }
})

afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

const OLD = '{"n":1}\n{"n":2}\n'
const NEW = '{"small":true}\n'
const LATE = '{"late":true}\n'

function now(): string {
  return readFileSync(file, 'utf8')
}

/** The new text, with something done when it is read for the time that writes it in the file's place. */
function onWrite(text: string, interfere: () => void): Iterable<string> {
  let reads = 0
  return {
    *[Symbol.iterator]() {
      reads += 1
      yield text
      // The first reading is for the digest, the second for the backup.
      if (reads === 3) interfere()
    },
  }
}

function replace(text: string | Iterable<string>) {
  const digest = computeDigest(readFileSync(file))
  return replaceWithBackup(file, text, { digest, what: 'compacted' }, io)
}

describe('a file that is replaced while another program writes to it', () => {
  it('keeps a line that was appended between the last check and the rename', async () => {
    writeFileSync(file, OLD)
    await replace(onWrite(NEW, () => appendFileSync(file, LATE)))
    expect(now()).toBe(NEW + LATE)
    await undoReplacement(file, io)
    expect(now()).toBe(OLD + LATE)
    await redoReplacement(file, io)
    expect(now()).toBe(NEW + LATE)
  })

  it('keeps every line over many replacements, each with a line that comes during it', async () => {
    writeFileSync(file, OLD)
    for (let n = 0; n < 20; n++)
      await replace(onWrite(now(), () => appendFileSync(file, `{"late":${n}}\n`)))
    expect(now()).toBe(OLD + Array.from({ length: 20 }, (_, n) => `{"late":${n}}\n`).join(''))
  })

  it.each([
    [
      'was changed inside',
      OLD,
      () => writeFileSync(file, '{"n":9}\n{"n":2}\n'),
      '{"n":9}\n{"n":2}\n',
    ],
    ['is not made of lines', '{"n":1}', () => appendFileSync(file, ' '), '{"n":1} '],
  ])('is left as it is where it %s, and no backup is listed', async (_, old, interfere, left) => {
    writeFileSync(file, old)
    await expect(replace(onWrite(NEW, interfere))).rejects.toMatchObject({
      code: 'version-conflict',
    })
    expect(now()).toBe(left)
    await expect(undoReplacement(file, io)).rejects.toThrow('has not replaced')
  })
})

describe('the backup that was just made', () => {
  it('stays where the clock was set back and twenty newer ones are there', async () => {
    writeFileSync(file, OLD)
    for (let n = 0; n < 25; n++) await replace(`{"small":${n}}\n`)
    vi.useFakeTimers({ now: 0, toFake: ['Date'] })
    const before = now()
    await replace(NEW)
    await undoReplacement(file, io)
    expect(now()).toBe(before)
  })
})
