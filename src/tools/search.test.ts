// The tool `search`, with ripgrep and without: the same finds, the same limits, and no way to run away.
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../test/require.ts'
import {
  call,
  outcomeOf,
  seen,
  temporaryFolder,
  workspaceWith,
  writeFiles,
} from '../../test/tools/temporary-workspace.ts'
import { pretendWork } from '../../test/wait.ts'
import type { Json } from '../core/text/json.ts'
import { findRipgrep } from './search/ripgrep.ts'
import { type SearchOptions, searchTool } from './search/search.ts'

const TREE = {
  '.gitignore': 'ignored/\n*.log\n',
  '.hidden/a.ts': 'needle hidden\n',
  '.git/config': 'needle of git\n',
  'ignored/a.ts': 'needle ignored\n',
  'app.log': 'needle in a log\n',
  'binary.bin': Buffer.from('needle\0binary'),
  'large.txt': `${'x'.repeat(1024 * 1024)}needle`,
  'src/a.ts': 'one\n  needle two\nthree needle needle\r\n',
  'src/b.tsx': 'NEEDLE\nfoo(needle)\n',
  'src/sub/c.md': '# needle 漢字 😀\n',
  'wide.txt': `${'é'.repeat(500)} needle ${'z'.repeat(500)}\n`,
}

const FOUND: readonly (readonly [Json, string])[] = [
  [
    { pattern: 'needle' },
    [
      '.hidden/a.ts:1:needle hidden',
      'src/a.ts:2:  needle two',
      'src/a.ts:3:three needle needle',
      'src/b.tsx:2:foo(needle)',
      'src/sub/c.md:1:# needle 漢字 😀',
      `wide.txt:1:…${'é'.repeat(74)} needle ${'z'.repeat(218)}…`,
    ].join('\n'),
  ],
  [{ pattern: 'needle', path: 'src/sub' }, 'src/sub/c.md:1:# needle 漢字 😀'],
  [{ pattern: 'needle', path: 'src/b.tsx' }, 'src/b.tsx:2:foo(needle)'],
  [{ pattern: 'needle', path: 'ignored' }, 'ignored/a.ts:1:needle ignored'],
  [{ pattern: 'needle', path: 'app.log' }, 'app.log:1:needle in a log'],
  [
    { pattern: 'needle', glob: '*.{md,tsx}' },
    'src/b.tsx:2:foo(needle)\nsrc/sub/c.md:1:# needle 漢字 😀',
  ],
  [
    { pattern: 'needle', glob: 'src/*' },
    'src/a.ts:2:  needle two\nsrc/a.ts:3:three needle needle\nsrc/b.tsx:2:foo(needle)',
  ],
  [{ pattern: 'needle', path: 'src', glob: '!*.ts*' }, 'src/sub/c.md:1:# needle 漢字 😀'],
  [{ pattern: '(?i)^needle$' }, 'src/b.tsx:1:NEEDLE'],
  [{ pattern: 'foo\\(\\w+\\)' }, 'src/b.tsx:2:foo(needle)'],
  [{ pattern: '\\p{Lo}' }, 'src/sub/c.md:1:# needle 漢字 😀'],
  [{ pattern: '--files' }, '[no match]'],
  [{ pattern: 'absent' }, '[no match]'],
]

/** What holds for both ways to search. */
function searching(options: SearchOptions): void {
  it.each(FOUND)('finds %j', async (input, text) => {
    expect(await outcomeOf(searchTool(workspaceWith(TREE), options), input)).toEqual([
      'completed',
      text,
    ])
  })

  it('stops at its limit, and says so', async () => {
    const workspace = workspaceWith({ a: 'x\n'.repeat(50), b: 'x\n' })
    const limited = { ...options, searchLimits: { hits: 2 } }
    expect(await outcomeOf(searchTool(workspace, limited), { pattern: 'x' })).toEqual([
      'completed',
      'a:1:x\na:2:x\n[only the first 2: narrow the pattern, the path or the glob]',
    ])
    const all = { ...options, searchLimits: { hits: 51 } }
    expect(seen(await call(searchTool(workspace, all), { pattern: 'x' }))).not.toContain('only')
  })

  it.each([
    [
      { pattern: 'foo(' },
      expect.stringMatching(/^`pattern` is not a valid regular expression: [\s\S]+/),
    ],
    [{ pattern: '\\p{Nonsense}' }, expect.stringMatching(/^`pattern` is not a valid regular/)],
    [{ pattern: '' }, expect.stringContaining('`pattern`')],
    [{ pattern: 'a\0b' }, expect.stringContaining('`pattern`: must not hold a NUL byte')],
    [{ pattern: 'x', path: 'none' }, expect.stringContaining('none does not exist')],
    [{ pattern: 'x', path: '/etc' }, expect.stringContaining('/etc is outside the workspace')],
  ])('answers %j with a sentence', async (input, sentence) => {
    const tool = searchTool(workspaceWith(TREE), options)
    expect(await outcomeOf(tool, input)).toEqual(['failed', sentence])
  })

  it('follows no link', async () => {
    const outside = temporaryFolder()
    writeFiles(outside, { 'secret.txt': 'needle SECRET' })
    const workspace = workspaceWith({ 'a.txt': 'needle' })
    symlinkSync(outside, join(workspace.root, 'folder'))
    symlinkSync(join(outside, 'secret.txt'), join(workspace.root, 'file'))
    const tool = searchTool(workspace, options)
    expect(seen(await call(tool, { pattern: 'needle' }))).toBe('a.txt:1:needle')
  })

  it('ends when it is aborted', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`f${n}`, 'x\n'.repeat(999)]),
    )
    const controller = new AbortController()
    const tool = searchTool(workspaceWith(files), { ...options, searchLimits: { hits: 1e9 } })
    const searching = call(tool, { pattern: 'x' }, controller.signal)
    await pretendWork(5) // in the middle of it
    controller.abort()
    expect((await searching).status).toBe('aborted')
  })
}

describe('search without ripgrep', () => {
  searching({ ripgrep: false })

  it('ends a pattern that would never end', async () => {
    const workspace = workspaceWith({ 'a.txt': 'first aab\n', 'b.txt': `${'a'.repeat(60)}!\n` })
    const tool = searchTool(workspace, { ripgrep: false, searchLimits: { timeMs: 3_000 } })
    const outcome = await call(tool, { pattern: '(a+)+b' })
    expect(seen(outcome)).toBe(
      'a.txt:1:first aab\n[stopped after 3 s, there may be more: narrow the path or the glob]',
    )
  })

  it('passes over what may not be read', async () => {
    const workspace = workspaceWith({ 'a.txt': 'needle', 'b.txt': 'needle' })
    chmodSync(join(workspace.root, 'a.txt'), 0)
    const text = seen(await call(searchTool(workspace, { ripgrep: false }), { pattern: 'needle' }))
    expect(text).toContain('b.txt:1:needle')
  })
})

const { available, notice } = requirement('ripgrep')

describe.skipIf(!available)(`search with ripgrep ${notice}`, () => {
  const ripgrep = findRipgrep('/nowhere')
  searching(ripgrep === undefined ? {} : { ripgrep })
})

describe('ripgrep', () => {
  it('is looked for on the path', () => {
    const folder = temporaryFolder()
    const program = join(folder, 'rg')
    expect(findRipgrep('/elsewhere', `/nowhere:${folder}`)).toBeUndefined()
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    expect(findRipgrep('/elsewhere', `/nowhere::${folder}`)).toBe(program)
  })

  /** A program in its place, which writes one hit and then does what it is told. */
  function standIn(then: string): string {
    const program = join(temporaryFolder(), 'rg')
    const hit = {
      type: 'match',
      data: {
        path: { text: './a.txt' },
        lines: { bytes: Buffer.from('caf\xe9 needle\n', 'latin1').toString('base64') },
        line_number: 1,
        submatches: [{ start: 5 }],
      },
    }
    const script = `#!/bin/sh\nhit='${JSON.stringify(hit)}'\necho "$hit"\n${then}\n`
    writeFileSync(program, script, { mode: 0o755 })
    return program
  }

  it.each([
    [
      'its time is over',
      'exec sleep 60',
      { timeMs: 500 },
      'stopped after 0.5 s, there may be more: narrow the path or the glob',
    ],
    [
      'it has found enough',
      'exec yes "$hit"',
      { hits: 1 },
      'only the first 1: narrow the pattern, the path or the glob',
    ],
  ])('is ended when %s, with what it found until then', async (_, then, searchLimits, note) => {
    const workspace = workspaceWith({ 'a.txt': Buffer.from('caf\xe9 needle\n', 'latin1') })
    const tool = searchTool(workspace, { ripgrep: standIn(then), searchLimits })
    expect(seen(await call(tool, { pattern: 'needle' }))).toBe(`a.txt:1:caf� needle\n[${note}]`)
  })

  it('that is gone is said', async () => {
    const tool = searchTool(workspaceWith(), { ripgrep: '/nowhere/rg' })
    expect(await outcomeOf(tool, { pattern: 'x' })).toEqual([
      'failed',
      expect.stringContaining('ripgrep did not start'),
    ])
  })
})
