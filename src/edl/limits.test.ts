// Nothing that a script asks for goes on for ever or grows without end.
import { describe, expect, it } from 'vitest'
import { play } from '../../test/edl/play.ts'
import { InMemoryFileIO } from './in-memory-file-io.ts'
import { runScript } from './run.ts'
import type { EdlLimits } from './script.ts'

async function refusal(script: string, text: string, limits: Partial<EdlLimits>): Promise<string> {
  const files = new InMemoryFileIO({ f: text })
  const result = await runScript(script, files, { limits })
  expect(files.getFileContents('f')).toBe(text)
  return result.status === 'error' ? result.error : (result.errors[0]?.message ?? 'none')
}

describe('a limit', () => {
  it.each<[string, Partial<EdlLimits>, string, string, string]>([
    [
      'scripts',
      { scriptChars: 10 },
      'file f\ndelete',
      'a',
      'The script has 13 characters; at most 10',
    ],
    ['commands', { commands: 2 }, 'file f\ndelete\ndelete', 'a', 'more than 2 commands'],
    [
      'files that are read',
      { fileChars: 3 },
      'file f\ndelete',
      'abcd',
      'has 4 characters; at most 3',
    ],
    [
      'files that grow',
      { fileChars: 3 },
      'file f\ninsert_after "abc"',
      'a',
      'would have 4 characters',
    ],
    ['matches', { ranges: 2 }, 'file f\nselect_multiple /./', 'abc', 'more than 2 matches'],
    [
      'matches in several ranges',
      { ranges: 2 },
      'file f\nselect_multiple /../\nnarrow_multiple /./',
      'abcd',
      'more than 2 matches',
    ],
    [
      'searching',
      { regexSteps: 50 },
      'file f\nselect /(?:a*)*b/',
      'a'.repeat(99),
      'takes too long',
    ],
    [
      'looking for lines',
      { regexSteps: 1_000 },
      `file f\n${'select <<E\nb\nE\n'.repeat(20)}`,
      `${'a\n'.repeat(500)}b`,
      'takes too long',
    ],
    [
      'many matches',
      { regexSteps: 1_000 },
      'file f\nselect_multiple <<E\na\nE',
      'a\n'.repeat(500),
      'takes too long',
    ],
    [
      'many edits',
      { regexSteps: 1_000 },
      `file f\nselect_multiple <<E\na\nE\n${'replace "a"\n'.repeat(20)}`,
      'a\n'.repeat(9),
      'takes too long',
    ],
    [
      'edits of a long text',
      { regexSteps: 1_000 },
      `file f\n${'insert_after "a"\n'.repeat(20)}`,
      'a'.repeat(9_999),
      'takes too long',
    ],
    [
      'large selections',
      { regexSteps: 1_000 },
      `file f\n${'select bof-eof\n'.repeat(20)}`,
      'a\n'.repeat(99),
      'takes too long',
    ],
  ])('holds for %s [EDL-23]', async (_, limits, script, text, says) => {
    expect(await refusal(script, text, limits)).toContain(says)
  })

  it('is on all searches of a script together [EDL-23]', async () => {
    const text = 'a'.repeat(99)
    const limits = { regexSteps: 1_000 }
    expect(await refusal('file f\nselect /a*/y', text, limits)).toBe(
      'select: expected 1 match, got 2',
    )
    const script = `file f\n${'select_multiple /a*/\n'.repeat(10)}`
    expect(await refusal(script, text, limits)).toContain('takes too long')
  })

  it('is not given anew to the next file [EDL-23]', async () => {
    const texts = { f: 'a'.repeat(99), g: 'ab' }
    const script = 'file f\nselect /(?:a*)*b/\nfile g\nselect /a/\n'
    const { result } = await play(texts, script, { limits: { regexSteps: 50 } })
    expect(result.errors.map(({ path }) => path)).toEqual(['f', 'g'])
  })

  it('stops a text that doubles with every command before it is made [EDL-23]', async () => {
    const doubling = 'select bof-eof\ncut r\ninsert_after r\ninsert_after r\n'.repeat(100)
    expect(await refusal(`file f\n${doubling}`, 'abc', {})).toMatch(
      /^The file would have \d+ characters; at most 10000000 are allowed$/,
    )
  })

  it('lets a pattern pass that runs away elsewhere [EDL-23]', async () => {
    const text = `${'a'.repeat(50_000)}!`
    const { result } = await play({ f: text }, 'file f\nselect_multiple /(a+)+$|(a|aa)+\\d|!/')
    expect(result.selection?.ranges).toEqual([{ start: 50_000, end: 50_001, isLines: false }])
  })
})

describe('lines that are looked for', () => {
  it('take one pass, also where they nearly occur everywhere [EDL-23]', async () => {
    const text = 'a\n'.repeat(200_000)
    const almost = `${'a\n'.repeat(100_000)}b`
    const { result } = await play({ f: text }, `file f\nselect <<E\n${almost}\nE\n`)
    expect(result.errors[0]?.message).toMatch(/^select: no matches/)
  })
})
