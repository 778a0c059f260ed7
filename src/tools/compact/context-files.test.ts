// The files that `compact` carries over: in order, once each, within a limit, and never a failure.
import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workspaceWith } from '../../../test/tools/temporary-workspace.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { readContextFiles } from './context-files.ts'

describe('readContextFiles', () => {
  it('gives each file as it is now, in the order given, once [WHOLE-09] [WHOLE-10]', async () => {
    const workspace = workspaceWith({ 'a.txt': 'a\n', 'sub/b.txt': 'größer', empty: '' })
    const paths = ['sub/b.txt', 'a.txt', './a.txt', 'sub/../a.txt', 'empty', 'sub/b.txt']
    expect(await readContextFiles(workspace, paths)).toEqual([
      { path: 'sub/b.txt', content: 'größer' },
      { path: 'a.txt', content: 'a\n' },
      { path: 'empty', content: '' },
    ])
    expect(await readContextFiles(workspace, [])).toEqual([])
  })

  it('says for each file why it cannot be shown [WHOLE-10] [WHOLE-11]', async () => {
    const workspace = workspaceWith({ 'a.txt': 'a', bin: Buffer.from([0, 1]), 'folder/': '' })
    symlinkSync('/etc/passwd', join(workspace.root, 'link'))
    const paths = ['none', 'bin', 'folder', '/etc/passwd', '../x', 'link', 'n\0l', 'a.txt']
    expect(await readContextFiles(workspace, paths)).toEqual([
      { path: 'none', error: 'none does not exist.' },
      { path: 'bin', error: 'bin is a binary file.' },
      { path: 'folder', error: 'folder is a directory.' },
      { path: '/etc/passwd', error: expect.stringContaining('outside the workspace') },
      { path: '../x', error: expect.stringContaining('outside the workspace') },
      { path: 'link', error: expect.stringContaining('outside the workspace') },
      { path: 'n\0l', error: 'The path holds a NUL byte.' },
      { path: 'a.txt', content: 'a' },
    ])
  })

  it('reads against the root of the workspace, whatever the folder of the process [WHOLE-11]', async () => {
    const workspace = workspaceWith({ 'package.json': 'ours' })
    expect(await readContextFiles(workspace, ['package.json'])).toEqual([
      { path: 'package.json', content: 'ours' },
    ])
  })

  it('caps the total size, with a note [WHOLE-11]', async () => {
    const workspace = workspaceWith({ a: 'a'.repeat(60), b: '😀'.repeat(60), c: 'c' })
    const files = await readContextFiles(workspace, ['a', 'b', 'c'], { totalChars: 101, files: 9 })
    expect(files).toEqual([
      { path: 'a', content: 'a'.repeat(60) },
      {
        path: 'b',
        content: `${'😀'.repeat(20)}\n[cut here: all files together may have no more; the file has 240 bytes]`,
        isCut: true,
      },
      { path: 'c', error: 'left out: no more than 101 characters are carried over; read it again' },
    ])
    const few = await readContextFiles(workspace, ['a', 'b', 'c'], { totalChars: 999, files: 2 })
    expect(few[2]).toEqual({
      path: 'c',
      error: 'left out: no more than 2 files are carried over; read it again',
    })
  })

  it('fits them to a number of tokens: small ones whole, the others cut alike [WHOLE-11]', async () => {
    const line = 'a line of some words, and of no others\n'
    const workspace = workspaceWith({ a: line.repeat(400), b: 'small', c: line.repeat(200) })
    const files = await readContextFiles(workspace, ['a', 'b', 'none', 'c'], { maxTokens: 1_000 })
    const sizes = files.map((file) => ('content' in file ? estimateTokens(file.content) : 0))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1_000)
    for (const at of [0, 3]) expect(sizes[at]).toBeGreaterThan(400)
    expect(files[0]).toMatchObject({ isCut: true, content: expect.stringContaining('[cut here') })
    expect(files[1]).toEqual({ path: 'b', content: 'small' })
    expect(files[2]).toEqual({ path: 'none', error: 'none does not exist.' })
    const none = await readContextFiles(workspace, ['a', 'b'], { maxTokens: 20 })
    expect(none).toEqual([
      { path: 'a', error: 'left out: the window has no room for it; read it again' },
      { path: 'b', content: 'small' },
    ])
  })

  it('names the first that cannot be shown, and says how many more there are [WHOLE-11]', async () => {
    const workspace = workspaceWith({ 'a.txt': 'a' })
    const gone = Array.from({ length: 500 }, (_, at) => `gone/${at}.txt`)
    const files = await readContextFiles(workspace, ['x'.repeat(9_000), ...gone, 'a.txt'])
    expect(files).toHaveLength(22)
    expect(files[1]?.path).toBe('gone/0.txt')
    expect(files.at(-2)).toEqual({ path: 'a.txt', content: 'a' })
    expect(files.at(-1)).toEqual({
      path: '481 more',
      error: 'not carried over either; read again what is needed',
    })
    expect(JSON.stringify(files).length).toBeLessThan(3_000)
  })

  it('does not fail for what may not be read [WHOLE-10]', async () => {
    const workspace = workspaceWith({ 'a.txt': 'a' })
    chmodSync(join(workspace.root, 'a.txt'), 0)
    const [file] = await readContextFiles(workspace, ['a.txt'])
    // Whoever is root may read everything.
    expect(file).toEqual(
      process.getuid?.() === 0
        ? { path: 'a.txt', content: 'a' }
        : { path: 'a.txt', error: expect.stringContaining('permission denied') },
    )
  })
})
