// Patterns, walks, files and workspaces at their edges: each limit at it and one beyond.
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { call, outcomeOf, seen, workspaceWith } from '../../../test/tools/temporary-workspace.ts'
import { readContextFiles } from '../compact/context-files.ts'
import { approvedWorkspace, isInside, openWorkspace } from '../workspace.ts'
import { editTool } from './edit.ts'
import { fileError, isErrno, namingFile, requireFile } from './file-errors.ts'
import { listTool } from './list.ts'
import { readFileKind } from './open-file.ts'
import { readTool } from './read.ts'
import { compileGlob, expandBraces, type WalkEntry, walk } from './walk.ts'
import { replaceFile } from './write-file.ts'

describe('a pattern', () => {
  it.each([
    ['*.ts', ['a.ts', 'src/a.ts', '.ts'], ['a.tsx', 'a.ts/b', 'ats']],
    ['./*.ts', ['a.ts', 'src/a.ts'], ['a.tsx']],
    ['x./a', ['x./a'], ['x/a', 'xa']],
    ['/a', ['a'], ['b/a']],
    ['a/b', ['a/b'], ['x/a/b', 'a/b/c', 'a']],
    ['a/b//', ['a/b'], ['x/a/b']],
    ['a/', ['a', 'x/a'], ['b']],
    ['**', ['a', 'a/b'], []],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'b/a']],
    ['**/a', ['a', 'x/a', 'x/y/a'], ['a/b', 'ba']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['b', 'a/bx']],
    ['a?c', ['abc', 'x/a😀c'], ['ac', 'abbc', 'a/c']],
    ['a**c', ['ac', 'abbc'], ['a/c', 'ab']],
    ['[ab]c', ['ac', 'bc'], ['cc', 'abc', '[ab]c']],
    ['[!ab]c', ['cc'], ['ac', 'bc']],
    ['[^ab]c', ['cc', '!c'], ['ac', 'bc']],
    ['[a-c]', ['a', 'b', 'c'], ['d', '-']],
    ['[]a]', [']', 'a'], ['b', '[]a]']],
    ['[a', ['[a'], ['a']],
    ['[z-a]', [], ['z', 'a', '-', '']],
    ['[\\^[]', ['\\', '^', '['], ['a']],
    ['\\*', ['*'], ['a', '\\*', '']],
    ['\\[a]', ['[a]'], ['a']],
    ['a\\', ['a\\'], ['a']],
    ['\\😀x', ['😀x'], ['x']],
    ['a.c', ['a.c'], ['abc']],
  ])('%s', (pattern, matched, others) => {
    const glob = compileGlob(pattern)
    for (const path of matched) expect(glob.matches(path), path).toBe(true)
    for (const path of others) expect(glob.matches(path), path).toBe(false)
  })

  it.each([
    ['a', ['a']],
    ['*.{ts,tsx}', ['*.ts', '*.tsx']],
    ['{a,b}/{c,d}', ['a/c', 'a/d', 'b/c', 'b/d']],
    ['{a,{b,c}}x', ['ax', 'bx', 'ax', 'cx']],
    ['{a}', ['{a}']],
    ['{,x}a', ['a', 'xa']],
    ['a{b,c', ['a{b,c']],
  ])('with braces: %s', (pattern, expected) => {
    expect(expandBraces(pattern).sort()).toEqual(expected.sort())
  })

  it('has at most 64 alternatives', () => {
    const many = (count: number) => `{${Array.from({ length: count }, (_, at) => at).join(',')}}`
    expect(expandBraces(many(64))).toHaveLength(64)
    expect(expandBraces(many(65))).toEqual([many(65)])
    expect(expandBraces(`${many(60)}{x,y}`).length).toBeLessThanOrEqual(64)
  })
})

async function walked(root: string, start: string, more: { depth?: number; most?: number } = {}) {
  const { depth = 99, most = Number.POSITIVE_INFINITY } = more
  const entries: WalkEntry[] = []
  const options = { root, start: join(root, start), maxDepth: depth }
  for await (const entry of walk({ ...options, isOver: () => entries.length >= most }))
    entries.push(entry)
  return entries.map(({ name, kind, isIgnored }) => `${name} ${kind}${isIgnored ? ' -' : ''}`)
}

describe('a walk', () => {
  it('goes by names, with rules from every folder between the top and the start', async () => {
    const { root } = workspaceWith({
      '.gitignore': 'top.txt\r\n# a comment\n\n  \nblank.txt  \nkept\\ \n!not.log\n',
      'a/.gitignore': 'mid.txt\n!top.txt\nfolder/\n',
      'a/b/.gitignore': '*.log\n!keep.log\n/only\n',
      'a/b/top.txt': '',
      'a/b/mid.txt': '',
      'a/b/folder': '',
      'a/b/x/folder/f': '',
      'a/b/x.log': '',
      'a/b/keep.log': '',
      'a/b/only': '',
      'a/b/x/only': '',
      'a/top.txt': '',
      'top.txt': '',
      'blank.txt': '',
      'kept ': '',
      '# a comment': '',
    })
    expect(await walked(root, 'a/b')).toEqual([
      'a/b/.gitignore file',
      'a/b/folder file',
      'a/b/keep.log file',
      'a/b/mid.txt file -',
      'a/b/only file -',
      'a/b/top.txt file',
      'a/b/x folder',
      'a/b/x/folder folder -',
      'a/b/x/only file',
      'a/b/x.log file -',
    ])
    expect(await walked(root, '.', { depth: 1 })).toEqual([
      '# a comment file',
      '.gitignore file',
      'a folder',
      'blank.txt file -',
      'kept  file -',
      'top.txt file -',
    ])
    expect(await walked(root, 'a', { depth: 1 })).toEqual([
      'a/.gitignore file',
      'a/b folder',
      'a/top.txt file',
    ])
    expect(await walked(root, 'a', { depth: 2, most: 2 })).toEqual([
      'a/.gitignore file',
      'a/b folder',
      'a/top.txt file',
    ])
    expect(await walked(root, 'a', { most: 0 })).toEqual([])
  })

  it('reads rules above the workspace only in a repository, and none that are too long', async () => {
    const { root } = workspaceWith({ '.gitignore': 'x\n', 'a/b/x': '', 'a/b/y': '' })
    expect(await walked(join(root, 'a'), 'b')).toEqual(['b/x file', 'b/y file'])
    mkdirSync(join(root, '.git'))
    expect(await walked(join(root, 'a'), 'b')).toEqual(['b/x file -', 'b/y file'])
    writeFileSync(join(root, '.gitignore'), `x\n#${'x'.repeat(99_997)}`)
    expect(await walked(join(root, 'a'), 'b')).toEqual(['b/x file -', 'b/y file'])
    writeFileSync(join(root, '.gitignore'), `x\n#${'x'.repeat(99_998)}`)
    expect(await walked(join(root, 'a'), 'b')).toEqual(['b/x file', 'b/y file'])
    mkdirSync(join(root, 'a/.gitignore'))
    expect(await walked(join(root, 'a'), 'b')).toEqual(['b/x file', 'b/y file'])
  })
})

describe('a file', () => {
  it('is known by its first bytes', () => {
    const kindOf = (text: string) => readFileKind(Buffer.from(text, 'latin1'))
    expect(kindOf('\x89PNG\r\n')).toEqual({ kind: 'image', mimeType: 'image/png' })
    expect(kindOf('\xff\xd8\xff')).toEqual({ kind: 'image', mimeType: 'image/jpeg' })
    expect(kindOf('GIF87a')).toEqual({ kind: 'image', mimeType: 'image/gif' })
    expect(kindOf('RIFF\n\n\n\nWEBP')).toEqual({ kind: 'image', mimeType: 'image/webp' })
    for (const other of [' \x89PNG\r\n', ' \xff\xd8\xff', ' GIF87a', 'GIF88a', ' RIFFxxxxWEBP'])
      expect(kindOf(other).kind, other).toBe('text')
    for (const other of ['RIFFxxxWEBP', 'RIFFxxxxxWEBP', ''])
      expect(kindOf(other).kind).toBe('text')
    expect(kindOf(`${'x'.repeat(7_999)}\0`).kind).toBe('binary')
    expect(kindOf(`${'x'.repeat(8_000)}\0`).kind).toBe('text')
  })

  it('is edited up to 10,000,000 bytes', async () => {
    const workspace = workspaceWith({ a: 'x' })
    truncateSync(join(workspace.root, 'a'), 10_000_001)
    const change = { path: 'a', oldText: 'x', newText: 'y' }
    expect(await outcomeOf(editTool(workspace), change)).toEqual([
      'failed',
      'a has 10,000,001 bytes. Files up to 10,000,000 can be edited; use `run` with sed or a script.',
    ])
    truncateSync(join(workspace.root, 'a'), 10_000_000)
    expect((await outcomeOf(editTool(workspace), change))[0]).toBe('completed')
  })

  it.each([
    ['a "b" c', '“b”', 1, 'differs'],
    ["it 's", '‘s', 1, 'differs'],
    ['x\na - b', 'a — b', 2, 'differs'],
    ['x\r\na  b\r\n', ' a b', 2, 'differs'],
    ['one\ntwo three\nfour', 'one\n two\nfour', 1, 'none'],
    ['one x\n two\nfour', 'one  x\ntwo\nfou', 1, 'differs'],
    ['abc = 1\nq', 'abc =  1\nz', 1, 'first'],
    ['abc\nq', 'abc\nz', 1, 'none'],
    ['aaaa\nq\naaaa\nq\naaaa\naaaa', 'aaaa\nz', '1, 3, 5', 'first'],
    ['ＡＢＣＤ', 'ABCD', 1, 'differs'],
    ['abcd', '\n\n', 1, 'none'],
    ['b  c\nd', '\n\nb c\n\n', 1, 'differs'],
  ])('that holds %j says what is near %j', async (text, oldText, line, how) => {
    const [, said] = await outcomeOf(editTool(workspaceWith({ a: text })), {
      path: 'a',
      oldText,
      newText: 'y',
    })
    const starts = {
      differs: `It differs only in white space or quotes from line ${line}, which reads:\n`,
      first: `Only its first line is like line ${line}, which reads:\n`,
      none: 'Read the file again and copy exactly.',
    }
    expect(said).toContain(`oldText does not occur in a. ${starts[how as 'none']}`)
  })

  it.each([
    [
      { shownChars: 14, lineChars: 99, keptChars: 99 },
      {},
      'line 1\nline 2\n[lines 1 to 2 of 3; go on with offset 3]',
    ],
    [
      { shownChars: 13, lineChars: 99, keptChars: 99 },
      {},
      'line 1\n[lines 1 to 1 of 3; go on with offset 2]',
    ],
    [
      { shownChars: 1, lineChars: 99, keptChars: 99 },
      {},
      'l… [5 more characters in this line]\n[lines 1 to 1 of 3; go on with offset 2]',
    ],
    [{ shownChars: 99, lineChars: 99, keptChars: 20 }, {}, 'line 1\nline 2\nline 3'],
    [
      { shownChars: 99, lineChars: 99, keptChars: 19 },
      {},
      'line 1\nline 2\nline \n[lines 1 to 3 of a file of 20 bytes; go on with offset 4; the last line is too long to be read whole; `search` or `run` can look into it]',
    ],
    [
      { shownChars: 99, lineChars: 99, keptChars: 99 },
      { offset: 3 },
      'line 3\n[lines 3 to 3 of 3]',
    ],
  ])('is read within %j', async (limits, part, text) => {
    const tool = readTool(workspaceWith({ a: 'line 1\nline 2\nline 3' }), limits)
    expect(seen(await call(tool, { path: 'a', ...part }))).toBe(text)
  })

  it('is not written where it may not be, with the way out', async () => {
    const refused = async (path: string, readOnly = false) => {
      const workspace = workspaceWith({ 'b/': '', c: '' }, { readOnly })
      return replaceFile(workspace, path, 'x').catch((thrown: unknown) => thrown)
    }
    expect(await refused('a', true)).toMatchObject({
      code: 'invalid-input',
      message: 'The workspace is read-only: nothing was written.',
      hint: 'Say what you would change instead.',
    })
    expect(await refused('.git/a')).toMatchObject({
      code: 'invalid-input',
      message: '.git/a belongs to git itself.',
      hint: 'Use `run` with a git command.',
    })
    expect(await refused('b')).toMatchObject({ code: 'invalid-input' })
    expect(await refused('a/b/c')).toMatchObject({ bytes: 1, place: { name: 'a/b/c' } })
    expect(await refused('b/c')).not.toHaveProperty('bytesBefore')
    expect(await refused('c')).toMatchObject({ bytes: 1, bytesBefore: 0 })
  })

  it('is listed up to a number of entries', async () => {
    const tool = listTool(workspaceWith({ a: '', b: '', c: '' }), { maxEntries: 3 })
    expect(await call(tool, {})).toEqual({
      status: 'completed',
      content: [{ type: 'text', text: 'a\nb\nc' }],
      metadata: { path: '.', entries: 3, isCut: false },
    })
    const fewer = listTool(workspaceWith({ a: '', b: '', c: '' }), { maxEntries: 2 })
    expect((await call(fewer, {})).metadata).toEqual({ path: '.', entries: 2, isCut: true })
  })

  it('has metadata of what was read', async () => {
    const tool = readTool(workspaceWith({ a: 'one\ntwo\n', empty: '' }))
    expect(await call(tool, { path: 'a' })).toEqual({
      status: 'completed',
      content: [{ type: 'text', text: 'one\ntwo\n' }],
      metadata: { path: 'a', offset: 1, lines: 2, totalLines: 2 },
    })
    expect((await call(tool, { path: 'a', limit: 1 })).metadata).toEqual({
      path: 'a',
      offset: 1,
      lines: 1,
    })
    expect((await call(tool, { path: 'empty' })).metadata).toMatchObject({ totalLines: 0 })
    expect((await call(tool, { path: 'a', offset: 3 })).content[0]?.text).toBe(
      'a has 2 lines; there is no line 3.',
    )
  })

  it('that fails is named, by what a model knows', async () => {
    const error = Object.assign(new Error('x'), { code: 'EIO', syscall: 'read', path: '/a' })
    expect(isErrno(error)).toBe(true)
    expect(isErrno(Object.assign(new Error('x'), { code: 'EIO' }))).toBe(false)
    expect(isErrno(Object.assign(new Error('x'), { syscall: 'read' }))).toBe(false)
    expect(isErrno({ code: 'EIO', syscall: 'read' })).toBe(false)
    expect(fileError(error).message).toBe('/a cannot be used: EIO.')
    const bare: NodeJS.ErrnoException = new Error('so it is')
    expect(fileError(bare).message).toBe('It cannot be used: so it is.')
    await expect(namingFile('a', () => Promise.reject(error))).rejects.toMatchObject({
      message: 'a cannot be used: EIO.',
      hint: 'Use another path.',
    })
    const other = new TypeError('other')
    await expect(namingFile('a', () => Promise.reject(other))).rejects.toBe(other)
    const stats = (isFile: boolean, isDirectory: boolean) => ({
      isFile: () => isFile,
      isDirectory: () => isDirectory,
    })
    expect(() => requireFile(stats(true, false), 'a')).not.toThrow()
    const refused = (isDirectory: boolean) => {
      try {
        return requireFile(stats(false, isDirectory), 'a')
      } catch (thrown) {
        return thrown
      }
    }
    expect(refused(true)).toMatchObject({
      code: 'invalid-input',
      message: 'a is a directory.',
      hint: 'Use `list` for directories.',
    })
    expect(refused(false)).toMatchObject({
      code: 'invalid-input',
      message: 'a is not a regular file (a pipe, socket or device).',
      hint: 'Only regular files can be read and written.',
    })
  })
})

describe('files that are carried over', () => {
  it('have limits for all of them together', async () => {
    const workspace = workspaceWith({ a: 'aaaa', b: 'bbbb', c: 'cccc', d: '' })
    const read = (limits: object, paths = ['a', 'b', 'c']) =>
      readContextFiles(workspace, paths, limits)
    const [a, b, c] = [
      { path: 'a', content: 'aaaa' },
      { path: 'b', content: 'bbbb' },
      { path: 'c', content: 'cccc' },
    ]
    const leftOut = (path: string, what: string) => ({
      path,
      error: `left out: no more than ${what} are carried over; read it again`,
    })
    expect(await read({})).toEqual([a, b, c])
    expect(await read({}, ['a', './a', 'a'])).toEqual([a])
    expect(await read({ files: 2 })).toEqual([a, b, leftOut('c', '2 files')])
    expect(await read({ totalChars: 12 })).toEqual([a, b, c])
    expect(await read({ totalChars: 8 })).toEqual([a, b, leftOut('c', '8 characters')])
    expect(await read({ files: 1 }, ['a', 'none'])).toEqual([
      a,
      { path: 'none', error: 'none does not exist.' },
    ])
    const [, cut] = await read({ totalChars: 7 }, ['a', 'b'])
    expect(cut).toEqual({
      path: 'b',
      content: 'bbb\n[cut here: all files together may have no more; the file has 4 bytes]',
      isCut: true,
    })
    expect(await read({ maxTokens: 1 }, ['d'])).toEqual([{ path: 'd', content: '' }])
  })

  it('share a number of tokens, the small ones whole', async () => {
    const word = (count: number) => 'word '.repeat(count)
    const workspace = workspaceWith({ a: word(10), b: word(400), c: word(400) })
    const read = (maxTokens: number) => readContextFiles(workspace, ['a', 'b', 'c'], { maxTokens })
    expect(await read(5_000)).toMatchObject([{ content: word(10) }, { content: word(400) }, {}])
    const [a, b, c] = await read(400)
    expect(a).toEqual({ path: 'a', content: word(10) })
    for (const each of [b, c])
      expect(each).toMatchObject({
        isCut: true,
        content: expect.stringMatching(
          /\n\[cut here: all files together may have no more; read the rest again\]$/,
        ),
      })
    const none = { error: 'left out: the window has no room for it; read it again' }
    expect(await read(100)).toMatchObject([{ path: 'a' }, none, none])
  })
})

describe('a workspace', () => {
  it('holds what is below it, and nothing beside it', () => {
    expect([isInside('/a', '/a'), isInside('/a', '/a/b'), isInside('/', '/b')]).toEqual([
      true,
      true,
      true,
    ])
    expect([isInside('/a', '/ab'), isInside('/a', '/'), isInside('/a', 'a')]).toEqual([
      false,
      false,
      false,
    ])
  })

  it('refuses a path that leads elsewhere than was allowed', async () => {
    const workspace = workspaceWith({ a: '', b: '' })
    expect(approvedWorkspace(workspace, undefined)).toBe(workspace)
    await expect(approvedWorkspace(workspace, 'a').locate('a')).resolves.toMatchObject({
      name: 'a',
    })
    await expect(approvedWorkspace(workspace, 'b').locate('a')).rejects.toMatchObject({
      code: 'invalid-input',
      message: 'a now leads to another place than when it was allowed.',
      hint: 'Something is changing links there; use another path.',
    })
  })

  it('says why a path cannot be used', async () => {
    const workspace = workspaceWith({ file: '' })
    symlinkSync('gone', join(workspace.root, 'broken'))
    const refused = async (path: string) => {
      const error = await workspace.locate(path).catch((thrown: unknown) => thrown)
      return error as { code: string; message: string; hint: string; where?: string }
    }
    expect(await refused('a\0')).toMatchObject({
      code: 'invalid-input',
      message: 'The path holds a NUL byte.',
      hint: 'Give the plain path.',
    })
    for (const path of ['~', '~/a'])
      expect(await refused(path)).toMatchObject({
        code: 'invalid-input',
        message: '`~` is not expanded here.',
        hint: 'Give a path relative to the workspace.',
      })
    expect(await workspace.locate('~a')).toMatchObject({ name: '~a' })
    expect(await refused('broken')).toMatchObject({
      code: 'invalid-input',
      message: 'broken is a link that leads to nothing.',
      hint: 'Use another path.',
    })
    expect(await refused('../x')).toMatchObject({
      code: 'invalid-input',
      message: `../x is outside the workspace ${workspace.root}.`,
      where: '../x',
      hint: 'Use a path inside the workspace, relative to it.',
    })
    expect(await refused('file/x')).toMatchObject({
      message: 'A part of file/x is a file, not a directory.',
    })
    expect(workspace.targetOf('broken')).toBe(join(workspace.root, 'broken'))
    expect([workspace.nameOf('.'), workspace.nameOf('a/../b/c')]).toEqual(['.', 'b/c'])
    expect(() => openWorkspace({ root: join(workspace.root, 'file') })).toThrow(
      /file is not a directory\.$/,
    )
    expect(() => openWorkspace({ root: join(workspace.root, 'none') })).toThrow(
      /none does not exist\.$/,
    )
  })
})
