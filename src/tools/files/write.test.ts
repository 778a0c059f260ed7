// The tool `write`: whole or not at all, with its folders, its mode kept.
import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../../test/require.ts'
import {
  outcomeOf,
  seen,
  toolRun,
  workspaceWith,
  writeFiles,
} from '../../../test/tools/temporary-workspace.ts'
import type { Json } from '../../core/text/json.ts'
import type { Workspace } from '../workspace.ts'
import { writeTool } from './write.ts'
import { replaceFile } from './write-file.ts'

function readText({ root }: Workspace, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

describe('write', () => {
  it('creates a file and the folders above it', async () => {
    const workspace = workspaceWith()
    const input = { path: 'a/b/c.txt', content: 'größer\n' }
    expect(await outcomeOf(writeTool(workspace), input)).toEqual([
      'completed',
      'Created a/b/c.txt: 9 bytes.',
    ])
    expect(readText(workspace, 'a/b/c.txt')).toBe('größer\n')
    expect(readdirSync(join(workspace.root, 'a/b'))).toEqual(['c.txt'])
  })

  it('replaces a file and keeps its mode, through links inside as well', async () => {
    const workspace = workspaceWith({ 'run.sh': 'old' })
    chmodSync(join(workspace.root, 'run.sh'), 0o751)
    symlinkSync('run.sh', join(workspace.root, 'link'))
    const tool = writeTool(workspace)
    expect(await outcomeOf(tool, { path: 'link', content: 'new!' })).toEqual([
      'completed',
      'Replaced run.sh: 4 bytes (before: 3).',
    ])
    expect(readText(workspace, 'run.sh')).toBe('new!')
    expect(statSync(join(workspace.root, 'run.sh')).mode & 0o7777).toBe(0o751)
    expect(readdirSync(workspace.root).sort()).toEqual(['link', 'run.sh'])
  })

  it('leaves a file that its owner made read-only', async () => {
    const workspace = workspaceWith({ 'locked.txt': 'old' })
    chmodSync(join(workspace.root, 'locked.txt'), 0o444)
    const outcome = await outcomeOf(writeTool(workspace), { path: 'locked.txt', content: 'new' })
    expect(outcome).toEqual([
      'failed',
      expect.stringContaining('locked.txt cannot be written: it is read-only'),
    ])
    expect(readText(workspace, 'locked.txt')).toBe('old')
    expect(readdirSync(workspace.root)).toEqual(['locked.txt'])
  })

  it('tells how a file would change, and writes only over what was compared', async () => {
    const workspace = workspaceWith({
      'a.txt': 'one\ntwo\nthree\n',
      'data.bin': 'x'.repeat(1_000_001),
    })
    const tool = writeTool(workspace)
    const proposed = async (input: Json) =>
      (await tool.changeOf?.(input)) ?? { diff: 'none', seen: 'none' }
    const input = { path: 'a.txt', content: 'one\n2\nthree\n' }
    const { diff, seen: mark } = await proposed(input)
    expect(diff).toBe('@@ line 1 @@\n  one\n- two\n+ 2\n  three')
    expect((await proposed({ ...input, content: 'one\ntwo\nthree\n' })).diff).toMatch(/already/)
    expect((await proposed({ path: 'data.bin', content: 'y' })).diff).toBe(
      '@@ all 1,000,001 bytes of the file are replaced @@\n+ y',
    )
    const long = { path: 'a.txt', content: 'a new line\n'.repeat(9_000) }
    expect((await proposed(long)).diff).toMatch(
      /^@@ nearly every line @@\n- one\n.*characters more @@$/s,
    )
    expect((await proposed(long)).diff.length).toBeLessThan(21_000)
    expect(await tool.changeOf?.({ path: '../a.txt', content: 'x' })).toBeUndefined()

    writeFileSync(join(workspace.root, 'a.txt'), 'theirs')
    const late = await tool.run(input, { ...toolRun(), seen: mark })
    expect([late.status, seen(late)]).toEqual(['failed', expect.stringContaining('has changed')])
    expect(readText(workspace, 'a.txt')).toBe('theirs')
    const again = await tool.run(input, { ...toolRun(), seen: (await proposed(input)).seen })
    expect(again.status).toBe('completed')
  })

  it('does not replace a file that came where none was when it was asked about', async () => {
    const workspace = workspaceWith()
    const tool = writeTool(workspace)
    const input = { path: 'new/a.txt', content: 'ours' }
    const change = await tool.changeOf?.(input)
    expect(change?.diff).toBe('+ ours')
    writeFiles(workspace.root, { 'new/a.txt': 'theirs' })
    const late = await tool.run(input, { ...toolRun(), seen: change?.seen ?? '' })
    expect(late.status).toBe('failed')
    expect(readText(workspace, 'new/a.txt')).toBe('theirs')
  })

  it('leaves everything as it was where it fails', async () => {
    const workspace = workspaceWith({ 'a.txt': 'a', 'folder/': '' })
    const tool = writeTool(workspace)
    for (const [path, sentence] of [
      ['folder', 'folder is a directory.'],
      ['a.txt/b', 'A part of a.txt/b is a file'],
      [`${'n'.repeat(300)}.txt`, 'too long'],
    ] as const) {
      const [status, text] = await outcomeOf(tool, { path, content: 'x' })
      expect([status, text]).toEqual(['failed', expect.stringContaining(sentence)])
    }
    expect(readdirSync(workspace.root).sort()).toEqual(['a.txt', 'folder'])
    expect(readText(workspace, 'a.txt')).toBe('a')
  })

  it('writes nothing where somebody else has changed the file meanwhile', async () => {
    const workspace = workspaceWith({ 'a.txt': 'a' })
    const mark = statSync(join(workspace.root, 'a.txt'), { bigint: true })
    writeFileSync(join(workspace.root, 'a.txt'), 'theirs')
    await expect(replaceFile(workspace, 'a.txt', 'ours', mark)).rejects.toMatchObject({
      message: 'a.txt has changed since it was read.',
    })
    expect(readText(workspace, 'a.txt')).toBe('theirs')
    expect(readdirSync(workspace.root)).toEqual(['a.txt'])
  })

  it('notices a foreign change that keeps the size and the file', async () => {
    const workspace = workspaceWith({ 'a.txt': 'a' })
    const path = join(workspace.root, 'a.txt')
    const mark = statSync(path, { bigint: true })
    writeFileSync(path, 'b')
    utimesSync(path, 1, 1) // whatever the grain of the clock
    await expect(replaceFile(workspace, 'a.txt', 'ours', mark)).rejects.toMatchObject({
      code: 'file-unwritable',
    })
    expect(readText(workspace, 'a.txt')).toBe('b')
  })

  it('notices another file of the same size and time in its place', async () => {
    const workspace = workspaceWith({ 'a.txt': 'a', 'theirs.txt': 'b' })
    const path = join(workspace.root, 'a.txt')
    const theirs = join(workspace.root, 'theirs.txt')
    for (const each of [path, theirs]) utimesSync(each, 1, 1)
    const mark = statSync(path, { bigint: true })
    renameSync(theirs, path)
    await expect(replaceFile(workspace, 'a.txt', 'ours', mark)).rejects.toMatchObject({
      code: 'file-unwritable',
    })
    expect(readText(workspace, 'a.txt')).toBe('b')
  })

  it('notices that the file is gone', async () => {
    const workspace = workspaceWith({ 'a.txt': 'a' })
    const mark = statSync(join(workspace.root, 'a.txt'), { bigint: true })
    rmSync(join(workspace.root, 'a.txt'))
    await expect(replaceFile(workspace, 'a.txt', 'ours', mark)).rejects.toMatchObject({
      code: 'file-unwritable',
    })
    expect(readdirSync(workspace.root)).toEqual([])
  })

  it.each([
    '.git',
    '.git/config',
    'sub/.git/hooks/pre-commit',
    'sub/.git',
    'sub/../.git/config',
    'sub/.Git/hooks/pre-commit',
    '.GIT/config',
    '.git /config',
    '.git./config',
    '.git::$INDEX_ALLOCATION/config',
    'git~1/config',
    'sub\\.git\\config',
    '.g\u200cit/config',
    '.\uff47it/config',
    'link/hooks/pre-commit',
  ])('writes nothing that belongs to git itself: %s', async (path) => {
    const workspace = workspaceWith({ 'sub/.git/hooks/': '', '.git/': '' })
    symlinkSync('sub/.git', join(workspace.root, 'link'))
    const [status, text] = await outcomeOf(writeTool(workspace), { path, content: 'x' })
    expect([status, text]).toEqual(['failed', expect.stringContaining('belongs to git itself')])
    expect(readdirSync(join(workspace.root, 'sub/.git/hooks'))).toEqual([])
    expect(readdirSync(join(workspace.root, '.git'))).toEqual([])
  })

  it.each(['store/hooks/pre-commit', 'store/config', 'store/worktrees/a/config.worktree'])(
    'writes nothing into the folder of a repository under another name: %s',
    async (path) => {
      const workspace = workspaceWith({
        '.git': 'gitdir: store',
        'store/HEAD': 'ref: refs/heads/main',
        'store/objects/': '',
        'store/refs/': '',
        'store/worktrees/a/HEAD': 'ref: refs/heads/a',
        'store/worktrees/a/commondir': '../..',
      })
      const [status, text] = await outcomeOf(writeTool(workspace), { path, content: 'x' })
      expect([status, text]).toEqual(['failed', expect.stringContaining('belongs to git itself')])
    },
  )

  it('writes names that only begin or end like the folder of git', async () => {
    const workspace = workspaceWith()
    for (const path of ['.gitignore', '.github/a.yml', 'a.git/b', 'HEAD', 'git/a', 'refs/a'])
      expect((await outcomeOf(writeTool(workspace), { path, content: 'x' }))[0]).toBe('completed')
  })

  const root = requirement('other-user')
  it.skipIf(!root.available)(`keeps the owner of a file ${root.notice}`, async () => {
    const workspace = workspaceWith({ 'a.txt': 'a' })
    chownSync(join(workspace.root, 'a.txt'), 65534, 65534)
    await replaceFile(workspace, 'a.txt', 'b')
    expect(statSync(join(workspace.root, 'a.txt')).uid).toBe(65534)
  })
})
