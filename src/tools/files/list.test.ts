// The tool `list`, and that it sees the same things as ignored that git does.
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import {
  call,
  outcomeOf,
  seen,
  workspaceWith,
  writeFiles,
} from '../../../test/tools/temporary-workspace.ts'
import { openWorkspace } from '../workspace.ts'
import { listTool } from './list.ts'

const TREE = {
  '.gitignore': 'node_modules/\n*.log\n!keep.log\n/dist\n',
  '.env': '',
  'README.md': '',
  'app.log': '',
  'keep.log': '',
  'dist/app.js': '',
  'node_modules/x/index.js': '',
  'src/a.ts': '',
  'src/dist/b.ts': '',
  'src/deep/er/c.ts': '',
}

describe('list', () => {
  it.each([
    [
      {},
      '.env\n.gitignore\nREADME.md\napp.log (ignored)\ndist/ (ignored)\nkeep.log\nnode_modules/ (ignored)\nsrc/',
    ],
    [{ path: 'src' }, 'src/a.ts\nsrc/deep/\nsrc/dist/'],
    [{ path: 'src', depth: 2 }, 'src/a.ts\nsrc/deep/\nsrc/deep/er/\nsrc/dist/\nsrc/dist/b.ts'],
    [{ path: 'node_modules', depth: 3 }, 'node_modules/x/\nnode_modules/x/index.js'],
  ])('lists %j', async (input, text) => {
    expect(await outcomeOf(listTool(workspaceWith(TREE)), input)).toEqual(['completed', text])
  })

  it('marks links, follows none, and stays out of the folder of git', async () => {
    const workspace = workspaceWith({ '.git/config': '', 'a/b': '' })
    symlinkSync('..', join(workspace.root, 'a', 'up'))
    expect(await outcomeOf(listTool(workspace), { depth: 20 })).toEqual([
      'completed',
      '.git/ (ignored)\na/\na/b\na/up (link)',
    ])
  })

  it('heeds the rules above a workspace that is a part of a repository', async () => {
    const workspace = workspaceWith({
      '.git/config': '',
      '.gitignore': 'b.txt\n',
      'part/a.txt': '',
    })
    writeFiles(workspace.root, { 'part/b.txt': '' })
    const part = openWorkspace({ root: join(workspace.root, 'part') })
    expect(await outcomeOf(listTool(part), {})).toEqual(['completed', 'a.txt\nb.txt (ignored)'])
  })

  it('has a limit, and says so', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n + 10}`, '']))
    const tool = listTool(workspaceWith(files), { maxEntries: 2 })
    expect(await outcomeOf(tool, {})).toEqual([
      'completed',
      'f10\nf11\n[only the first 2: list a folder below, or less deep]',
    ])
  })

  it.each([
    [{ path: 'README.md' }, 'README.md is not a directory. Use `read` for files.'],
    [{ path: 'none' }, 'none does not exist. Look with `list` or `search` for its right path.'],
    [{ path: '../x' }, expect.stringContaining('../x is outside the workspace')],
    [{ depth: 0 }, expect.stringContaining('`depth`: Too small')],
  ])('answers %j with a sentence', async (input, sentence) => {
    expect(await outcomeOf(listTool(workspaceWith(TREE)), input)).toEqual(['failed', sentence])
  })

  it('says that a folder is empty, and does not let a name look like two', async () => {
    const workspace = workspaceWith({ 'empty/': '', 'odd/a\nb': '' })
    const tool = listTool(workspace)
    expect(seen(await call(tool, { path: 'empty' }))).toBe('[empty is empty]')
    expect(seen(await call(tool, { path: 'odd' }))).toBe('odd/a�b')
  })
})

describe('what is ignored', () => {
  // Letters of one byte: git counts bytes where we count characters.
  const names = ['a', 'b', 'ab', 'a.log', 'dist', '.x', 'a b', '[a]']
  const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 })
  const part = fc.constantFrom(
    'a',
    'b',
    '*',
    '**',
    '?',
    '*.log',
    'a*',
    '[ab]',
    '[!a]',
    'dist',
    '\\[a\\]',
    '.*',
    '[a-b]b',
    '*b*',
  )
  const pattern = fc
    .tuple(
      fc.constantFrom('', '!', '/'),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '/'),
    )
    .map(([start, parts, end]) => `${start}${parts.join('/')}${end}`)

  it('is what git ignores, for random rules and paths', async () => {
    const workspace = workspaceWith()
    const git = (args: string[], input = '') =>
      spawnSync('git', ['-C', workspace.root, ...args], { input, encoding: 'utf8' }).stdout
    git(['init', '-q'])
    await fc.assert(
      fc.asyncProperty(
        fc.array(pattern, { minLength: 1, maxLength: 4 }),
        fc.array(path, { minLength: 1, maxLength: 6 }),
        async (rules, paths) => {
          const files = paths.map((parts) => [...parts, 'file.log'].join('/'))
          git(['clean', '-ffdxq'])
          writeFiles(workspace.root, Object.fromEntries(files.map((file) => [file, ''])))
          writeFiles(workspace.root, { '.gitignore': rules.join('\n') })
          const listed = seen(await call(listTool(workspace), { depth: 10 })).split('\n')
          const shown = listed
            .filter((line) => !line.endsWith('(ignored)') && !line.endsWith('/'))
            .sort()
          const tracked = git(['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
          expect(shown).toEqual(tracked.split('\0').filter(Boolean).sort())
        },
      ),
      runs(40),
    )
  })
})
