// Files of ten million lines: refused early where they say nothing, and read in little memory where they do.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { longSession } from '../../bench/cli/long-session.ts'
import { eachPlace, ROOT, sample } from './place.ts'

const place = eachPlace()
const TEN_MILLION = 10_000_000
const MOST_MEMORY_KB = 500_000

/** A file of the same line again and again, behind a beginning. */
function endless(name: string, beginning: string, line: string): void {
  const handle = openSync(join(place().folder, name), 'w')
  writeSync(handle, beginning)
  const piece = line.repeat(100_000)
  for (let written = 0; written < TEN_MILLION; written += 100_000) writeSync(handle, piece)
  closeSync(handle)
}

/** The peak of memory of an import, in kB. */
function peakOf(file: string): number {
  const script = join(ROOT, 'bench/cli/command-process.ts')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [script, 'import', file, '--json'],
    {
      cwd: place().folder,
      encoding: 'utf8',
      env: place().environment(),
      maxBuffer: 64_000_000,
    },
  )
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return Number(stdout.trim().split('\n').at(-1))
}

describe('ten million lines', () => {
  it.each([
    ['of words', 'a line of words\n', [], 'the format of the file is unknown'],
    ['of nothing', '\n', [], 'the input is empty'],
    [
      'of records without words',
      '{"type":"progress"}\n',
      ['--format', 'claude-code'],
      'hold no conversation',
    ],
  ])('%s: a clear message, and nothing written', (_, line, args, message) => {
    endless('many', '', line)
    const { status, stdout, stderr } = place().spawned(['compact', 'many', ...args, '--out', 'out'])
    expect(stderr).toContain(message)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(place().left()).toEqual(['many'])
  })

  it('behind a session are streamed', () => {
    endless('long.jsonl', readFileSync(sample('session.jsonl'), 'utf8'), '{"type":"progress"}\n')
    expect(peakOf('long.jsonl')).toBeLessThan(MOST_MEMORY_KB)
  })
})

it('a session of 100 MB is imported in less than 500 MB of memory', () => {
  const handle = openSync(join(place().folder, 'big.jsonl'), 'w')
  for (const line of longSession(100_000_000)) writeSync(handle, line)
  closeSync(handle)
  expect(peakOf('big.jsonl')).toBeLessThan(MOST_MEMORY_KB)
})
