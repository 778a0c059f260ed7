// Searches at their edges: which files and lines are found, and how much of them is shown.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workspaceWith } from '../../../test/tools/temporary-workspace.ts'
import {
  compilePattern,
  lineAround,
  nameFilter,
  SEARCH_LIMITS,
  type SearchRequest,
  searchFiles,
} from './files.ts'
import { OwnLines, wrongPattern } from './ripgrep.ts'

describe('a filter of names', () => {
  it.each([
    [undefined, ['a.ts', 'b.md'], []],
    ['*.ts', ['a.ts', 'x/a.ts'], ['b.md']],
    ['!*.ts', ['b.md'], ['a.ts']],
    ['*.{ts,md}', ['a.ts', 'b.md'], ['c.js']],
    ['!*.{ts,md}', ['c.js'], ['a.ts', 'b.md']],
  ])('of files: %s', (glob, wanted, others) => {
    const isWanted = nameFilter(glob)
    for (const name of wanted) expect(isWanted(name), name).toBe(true)
    for (const name of others) expect(isWanted(name), name).toBe(false)
  })
})

describe('a line', () => {
  it.each([
    ['short  ', 0, 20, 'short'],
    ['x'.repeat(20), 3, 20, 'x'.repeat(20)],
    [`${'a'.repeat(20)}b`, 0, 20, `${'a'.repeat(20)}…`],
    [`${'a'.repeat(20)}b`, 20, 20, `…${'a'.repeat(5)}b`],
    [`${'a'.repeat(30)}b${'c'.repeat(30)}`, 30, 20, `…${'a'.repeat(5)}b${'c'.repeat(14)}…`],
    [`${'a'.repeat(5)}b${'c'.repeat(30)}`, 5, 20, `${'a'.repeat(5)}b${'c'.repeat(14)}…`],
    [`${'a'.repeat(30)}b${'c'.repeat(14)}`, 30, 20, `…${'a'.repeat(5)}b${'c'.repeat(14)}`],
  ])('%s around %i', (line, start, most, expected) => {
    expect(lineAround(line, start, most)).toBe(expected)
  })
})

describe('a search without ripgrep', () => {
  async function found(files: Record<string, string | Buffer>, more: Partial<SearchRequest> = {}) {
    const { root } = workspaceWith(files)
    const { start = '.', limits = SEARCH_LIMITS, ...rest } = more
    const hits: string[] = []
    const request = { root, pattern: 'x', ...rest, start: join(root, start), limits }
    for await (const some of searchFiles(request))
      hits.push(...some.map(({ name, line, text }) => `${name}:${line}:${text}`))
    return hits
  }

  it('gives lines in the order of names, of what is text and not ignored', async () => {
    const files = { b: 'x', a: 'n\nyx \n\nx', 'd/c': 'x', 'd/skip': 'x', '.gitignore': 'skip' }
    expect(await found(files)).toEqual(['a:2:yx', 'a:4:x', 'b:1:x', 'd/c:1:x'])
    expect(await found(files, { start: 'd' })).toEqual(['d/c:1:x'])
    expect(await found(files, { start: 'd/c' })).toEqual(['d/c:1:x'])
    expect(await found(files, { start: 'd/c', glob: '*.ts' })).toEqual([])
    expect(await found(files, { glob: '!a' })).toEqual(['b:1:x', 'd/c:1:x'])
    expect(await found({ a: 'x\0', b: 'x' })).toEqual(['b:1:x'])
  })

  it('stops one behind its limit, and passes over large files', async () => {
    const limits = { ...SEARCH_LIMITS, hits: 2, fileBytes: 10 }
    expect(await found({ a: 'x\nx\nx\nx' }, { limits })).toEqual(['a:1:x', 'a:2:x', 'a:3:x'])
    expect(await found({ a: 'x', b: 'x', c: 'x', d: 'x' }, { limits })).toHaveLength(3)
    expect(await found({ a: 'x'.repeat(10), b: 'x'.repeat(11) }, { limits })).toEqual([
      `a:1:${'x'.repeat(10)}`,
    ])
    const short = { ...limits, fileBytes: 1_000, lineChars: 20 }
    expect(await found({ a: `${'a'.repeat(40)}x` }, { limits: short })).toEqual(['a:1:…aaaaax'])
  })

  it('takes patterns of Unicode, of any case, and of old', () => {
    expect(compilePattern('a').flags).toBe('u')
    expect(compilePattern('(?i)a').flags).toBe('iu')
    expect(compilePattern('(?i)a').source).toBe('a')
    expect(compilePattern('a(?:i)').flags).toBe('u')
    expect(compilePattern('\\-').flags).toBe('')
    expect(compilePattern('(?i)\\-').flags).toBe('i')
    expect(compilePattern('\\p{L}').test('é')).toBe(true)
    for (const wrong of ['(', '\\p{None}', '\\-\\p{L}', '\\-\\u{1F600}', '\\P{L}\\-'])
      expect(() => compilePattern(wrong), wrong).toThrow()
    expect(wrongPattern('so it is')).toMatchObject({
      code: 'invalid-input',
      message: '`pattern` is not a valid regular expression: so it is',
      hint: 'Put a backslash before signs that are meant literally, as in `\\(`.',
    })
  })
})

describe('lines of a file', () => {
  it('are found by their number, or by their bytes where they moved', async () => {
    const utf16 = Buffer.from('\ufeffone\ntwo', 'utf16le')
    const { root } = workspaceWith({
      a: '\ufeffone\ntwo\n\nthree',
      b: utf16,
      c: Buffer.from(utf16).swap16(),
      d: 'x'.repeat(31),
      e: 'other',
    })
    symlinkSync('a', join(root, 'link'))
    const own = new OwnLines(root, 30)
    const at = (name: string, line: number, text: string) => own.find(name, line, Buffer.from(text))
    expect(await at('a', 1, 'one\n')).toBe(1)
    expect(await at('a', 1, '\ufeffone\n')).toBe(1)
    expect(await at('a', 2, 'two\n')).toBe(2)
    expect(await at('a', 3, '\n')).toBe(3)
    expect(await at('a', 1, 'three')).toBe(4)
    expect(await at('a', 4, 'two')).toBe(2)
    expect(await at('a', 2, 'tw')).toBeUndefined()
    for (const name of ['b', 'c']) {
      expect(await at(name, 1, 'one\n'), name).toBe(1)
      expect(await at(name, 2, 'two'), name).toBe(2)
    }
    expect(await at('d', 1, 'x'.repeat(31))).toBeUndefined()
    expect(await at('e', 1, 'other')).toBe(1)
    expect(await at('a', 2, 'two')).toBe(2)
    expect(await at('link', 2, 'two')).toBeUndefined()
    expect(await at('none', 1, 'two')).toBeUndefined()
    expect(await new OwnLines(root, 31).find('d', 1, Buffer.from('x'.repeat(31)))).toBe(1)
  })
})
