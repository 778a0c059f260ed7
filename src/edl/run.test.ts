// A script on several files: what is written, what is given up, what is kept for the next script.
import { describe, expect, it } from 'vitest'
import { play } from '../../test/edl/play.ts'
import { InMemoryFileIO } from './in-memory-file-io.ts'
import { createRegisters } from './registers.ts'
import { runScript } from './run.ts'
import type { FileIO } from './script.ts'

describe('a file on which a command fails', () => {
  it('stays as it was, and the others are written [EDL-10]', async () => {
    const texts = { a: 'a\n', b: 'b\n', c: 'c\n' }
    const script =
      'file a\nreplace "A"\nfile b\nreplace "B"\nselect /nope/\nreplace "never"\nfile c\nreplace "C"\n'
    const { result, files } = await play(texts, script)
    expect(['a', 'b', 'c'].map((path) => files.getFileContents(path))).toEqual(['A', 'b\n', 'C'])
    expect(result.errors).toMatchObject([
      { path: 'b', message: 'select: no matches for pattern /nope/', mutationsNotApplied: 2 },
    ])
  })

  it('is left alone for the rest of the script [EDL-10]', async () => {
    const script =
      'file a\nselect /nope/\nfile a\nreplace "1"\nfile b\nreplace "2"\nfile a\nreplace "3"\nnewfile a\n'
    const { result, files } = await play({ a: 'a', b: 'b' }, script)
    expect(files.getFileContents('a')).toBe('a')
    expect(files.getFileContents('b')).toBe('2')
    expect(result.errors).toMatchObject([{ path: 'a', mutationsNotApplied: 2 }])
  })

  it('leaves its texts in registers, with their newline, for the next script [EDL-11]', async () => {
    const registers = createRegisters()
    const failing =
      'file f\nreplace "done, then given up"\nselect /x/\nreplace <<E\nline\nE\ninsert_before "b"\ndelete\ninsert_after r\n'
    const { result } = await play({ f: 'a' }, failing, { registers })
    expect(result.errors[0]?.saved).toEqual([
      { register: '_saved_1', chars: 5 },
      { register: '_saved_2', chars: 1 },
    ])
    expect(result.text).toContain('saved in register _saved_1 (5 chars)')
    const { files } = await play({ f: 'a' }, 'file f\nreplace _saved_1\ninsert_after _saved_2', {
      registers,
    })
    expect(files.getFileContents('f')).toBe('line\nb')
    await play({ f: 'a' }, 'file f\nselect /x/\nreplace "c"', { registers })
    expect(Object.fromEntries(registers.registers)).toEqual({
      _saved_1: 'line\n',
      _saved_2: 'b',
      _saved_3: 'c',
    })
  })

  it('may be missing, or not to be read', async () => {
    const { result } = await play({}, 'file gone\nreplace "a"')
    expect(result.errors).toMatchObject([
      {
        message: "Failed to read file: gone: ENOENT: no such file or directory, open 'gone'",
        mutationsNotApplied: 1,
        saved: [{ register: '_saved_1' }],
      },
    ])
  })
})

describe('newfile', () => {
  it('makes a file, also an empty one [EDL-14]', async () => {
    const { result, files } = await play({}, 'newfile a\nnewfile x/b\ninsert_after "text"')
    expect(files.getFileContents('a')).toBe('')
    expect(files.getFileContents('x/b')).toBe('text')
    expect(result.files).toMatchObject([
      { path: 'a', isNew: true },
      { path: 'x/b', isNew: true },
    ])
  })

  it.each([
    ['there already', 'newfile f\nreplace "x"'],
    ['opened before', 'file f\nreplace "x"\nnewfile f'],
  ])('of one that is %s fails [EDL-14]', async (_, script) => {
    const { result, files } = await play({ f: 'a' }, script)
    expect(files.getFileContents('f')).toBe('a')
    expect(result.errors).toMatchObject([
      { path: 'f', message: "newfile: f exists already. Use 'file' to edit it." },
    ])
  })

  it('of one that the script made fails, and then nothing is made [EDL-14]', async () => {
    const { files } = await play({}, 'newfile f\ninsert_after "a"\nnewfile f')
    expect(await files.fileExists('f')).toBe(false)
  })
})

describe('file', () => {
  it('goes on with what the script has made of it, all of it selected', async () => {
    const script = 'file f\nreplace "xy"\nfile g\nfile f\ninsert_after "z"\n'
    const { files } = await play({ f: 'a', g: '' }, script)
    expect(files.getFileContents('f')).toBe('xyz')
  })
})

describe('the files of a program', () => {
  const unchanging = { mkdir: async () => undefined, fileExists: async () => true }

  it('are written after their folder was made, and only where something changed', async () => {
    const calls: string[] = []
    const files: FileIO = {
      readFile: async (path) => path,
      writeFile: async (path, text) => void calls.push(`write ${path}: ${text}`),
      fileExists: async () => false,
      mkdir: async (path) => void calls.push(`mkdir ${path}`),
    }
    await runScript(
      'file x/y/a\nreplace "1"\nfile b\nselect /b/\nreplace "b"\nnewfile c\nfile /d\ndelete',
      files,
    )
    expect(calls).toEqual(['mkdir x/y', 'write x/y/a: 1', 'write c: ', 'write /d: '])
  })

  it('may refuse to be written or looked for: a failure of that file', async () => {
    const refuse = async () => Promise.reject(new Error('disk full'))
    const files: FileIO = { ...unchanging, readFile: async () => 'a', writeFile: refuse }
    expect(await runScript('file f\nreplace "b"', files)).toMatchObject({
      status: 'ok',
      files: [],
      errors: [{ message: 'Failed to write file: f: disk full', mutationsNotApplied: 1 }],
    })
    // The rest of the script is told as if nothing had happened.
    expect(await runScript('file g\nselect /a/\nfile f\nreplace "b"\nfile g', files)).toMatchObject(
      {
        selection: { path: 'g', ranges: [{ start: 0, end: 1 }] },
      },
    )
    const hidden: FileIO = { ...files, fileExists: refuse }
    expect(await runScript('newfile f', hidden)).toMatchObject({
      errors: [{ message: 'Failed to look for file: f: disk full' }],
    })
  })
})

describe('the result as a text', () => {
  it('tells what was done to each file, and what is selected [EDL-18]', async () => {
    const texts = { a: 'one\ntwo\nthree\n', b: 'x\n', d: 'd' }
    const script =
      'file b\nselect /nope/\nreplace <<E\ny\nE\nnewfile c\nfile a\nselect 2\nreplace <<E\n2\n2\nE\nselect_multiple /[23t]\\w*/\n'
    const { result } = await play(texts, script)
    expect(result.text).toBe(`Warnings:
  select 2: line numbers are those of the file before this script. A heredoc or a regex says more surely what is meant.

Trace:
  newfile c → 1 range, 0 lines
  file a → 1 range, 4 lines
  select 2 → 1 range, 1 line
  replace → 1 range, 3 lines
  select_multiple /[23t]\\w*/ → 3 ranges, 3 lines

Mutations:
  c: 0 replacements, 0 insertions, 0 deletions, +0/-0 lines (new file)
  a: 1 replacements, 0 insertions, 0 deletions, +3/-1 lines

Final selection (3 ranges):
[2:0 - 2:1]
2
[3:0 - 3:1]
2
[5:0 - 5:5]
three

File errors:
  b: select: no matches for pattern /nope/ (1 mutation not applied)
    file b → 1 range, 2 lines
    saved in register _saved_1 (2 chars)`)
  })

  it('stays short, whatever is selected and however long the script is [EDL-18]', async () => {
    const long = `${'head '.repeat(500)}${'tail '.repeat(500)}`
    const { result } = await play({ f: long }, `file f\n${'select bof-eof\n'.repeat(200)}`)
    expect(result.text).toContain('… 151 more')
    expect(result.text).toMatch(/head … ?tail/)
    expect(result.text.length).toBeLessThan(5_000)
    const many = await play({ f: long }, 'file f\nselect_multiple /head/')
    expect(many.result.text).toContain('Final selection (500 ranges):')
    expect(many.result.text).toContain('… 490 more')
  })

  it('says where nothing was modified [EDL-18]', async () => {
    const { result } = await play({ f: 'a' }, 'file f\nreplace "a"')
    expect(result.text).toContain('Mutations:\n  No files modified.')
    expect(result.files).toEqual([])
  })
})

describe('registers', () => {
  it('are fresh for each run that is given none', async () => {
    await play({ f: 'a' }, 'file f\ncut r')
    const { result } = await play({ f: 'a' }, 'file f\nreplace r')
    expect(result.errors).toHaveLength(1)
  })

  it('are changed in place, as whoever owns them expects', async () => {
    const registers = createRegisters()
    const files = new InMemoryFileIO({ f: 'ab' })
    await runScript('file f\nselect /a/\ncut r', files, { registers })
    expect(registers).toEqual({ registers: new Map([['r', 'a']]), nextSavedId: 1 })
  })
})
