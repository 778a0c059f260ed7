// The tool `read` on real files: exact text, parts of large ones, images, and what is no text.
import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { call, outcomeOf, seen, workspaceWith } from '../../../test/tools/temporary-workspace.ts'
import { OUTPUT_LIMITS } from '../process/limit-output.ts'
import { readTool } from './read.ts'

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk', 'base64')
const HUNDRED = Array.from({ length: 100 }, (_, n) => `line ${n + 1}`).join('\n')

describe('read', () => {
  it.each([
    ['plain', 'one\ntwo\n'],
    ['without a break at the end', 'one\ntwo'],
    ['with breaks of Windows', 'one\r\ntwo\r\n'],
    ['of other scripts', 'größer 漢字 😀\n'],
    ['of breaks alone', '\n\n\n'],
  ])('gives a text %s as it is', async (_, text) => {
    const tool = readTool(workspaceWith({ 'a.txt': text }))
    expect(await outcomeOf(tool, { path: 'a.txt' })).toEqual(['completed', text])
  })

  it.each([
    [
      { offset: 3, limit: 2 },
      'line 3\nline 4\n[lines 3 to 4 of a file of 791 bytes; go on with offset 5]',
    ],
    [{ offset: 99 }, 'line 99\nline 100\n[lines 99 to 100 of 100]'],
    [{ limit: 1 }, 'line 1\n[lines 1 to 1 of a file of 791 bytes; go on with offset 2]'],
    [{ offset: 100, limit: 1 }, 'line 100\n[lines 100 to 100 of 100]'],
  ])('gives the part %j and says where to go on', async (part, text) => {
    const tool = readTool(workspaceWith({ 'a.txt': HUNDRED }))
    expect(await outcomeOf(tool, { path: 'a.txt', ...part })).toEqual(['completed', text])
  })

  it('gives the whole where the part asked for is the whole', async () => {
    const tool = readTool(workspaceWith({ 'a.txt': `${HUNDRED}\n` }))
    expect(await outcomeOf(tool, { path: 'a.txt', limit: 100 })).toEqual([
      'completed',
      `${HUNDRED}\n`,
    ])
  })

  it('shows the first lines of a long text, and keeps all that was asked for', async () => {
    const tool = readTool(workspaceWith({ 'a.txt': HUNDRED }), { ...OUTPUT_LIMITS, shownChars: 50 })
    const outcome = await call(tool, { path: 'a.txt' })
    expect(outcome.content).toEqual([{ type: 'text', text: HUNDRED }])
    expect(seen(outcome)).toBe(
      'line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\n[lines 1 to 7 of 100; go on with offset 8]',
    )
    const next = await call(tool, { path: 'a.txt', offset: 8 })
    expect(seen(next)).toMatch(/^line 8\n/)
  })

  it('cuts a line that is too long to be shown, or to be kept', async () => {
    const workspace = workspaceWith({ 'a.txt': `${'x'.repeat(400)}\nend` })
    const limits = { shownChars: 200, lineChars: 10, keptChars: 300 }
    const outcome = await call(readTool(workspace, limits), { path: 'a.txt' })
    expect(outcome.content[0]?.text).toBe(
      `${'x'.repeat(300)}\n[lines 1 to 1 of a file of 404 bytes; go on with offset 2; the last line is too long to be read whole; \`search\` or \`run\` can look into it]`,
    )
    expect(seen(outcome)).toMatch(
      /^xxxxxxxxxx… \[290 more characters in this line\]\n\[lines 1 to 1/,
    )
  })

  it('reads a part of a huge file without all of it', async () => {
    const workspace = workspaceWith({ 'huge.txt': 'first\nsecond\n' })
    const path = join(workspace.root, 'huge.txt')
    truncateSync(path, 4_000_000_000_000) // nothing is stored for the rest
    expect(statSync(path).size).toBe(4e12)
    expect(await outcomeOf(readTool(workspace), { path: 'huge.txt', limit: 1 })).toEqual([
      'failed',
      expect.stringContaining('binary'),
    ])
    const text = workspaceWith({ 'large.txt': `${'0123456789\n'.repeat(300_000)}` })
    const outcome = await call(readTool(text), { path: 'large.txt', offset: 250_000, limit: 1 })
    expect(seen(outcome)).toMatch(
      /^0123456789\n\[lines 250000 to 250000 of a file of 3,300,000 bytes/,
    )
  })

  it('shows an image as an image', async () => {
    const tool = readTool(workspaceWith({ 'a.png': PNG }))
    const outcome = await call(tool, { path: 'a.png' })
    expect(outcome.content).toEqual([
      { type: 'image', mimeType: 'image/png', data: PNG.toString('base64') },
    ])
  })

  it.each([
    ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0])],
    ['image/gif', Buffer.from('GIF89a\0\0')],
    ['image/webp', Buffer.from('RIFF\x10\0\0\0WEBPVP8 ')],
  ])('knows %s by its bytes, whatever its name', async (mimeType, bytes) => {
    const tool = readTool(workspaceWith({ 'a.txt': bytes }))
    expect((await call(tool, { path: 'a.txt' })).content[0]).toMatchObject({ mimeType })
  })

  it.each([
    ['binary', Buffer.from([1, 2, 0, 3]), {}, /^a is a binary file\. It cannot be read as text/],
    [
      'a large image',
      Buffer.concat([PNG, Buffer.alloc(5_000_000)]),
      {},
      /bytes; 5,000,000 can be shown/,
    ],
    ['short', 'one\n', { offset: 7 }, /^a has 1 lines; there is no line 7\.$/],
  ])('refuses what is %s', async (_, content, part, sentence) => {
    const tool = readTool(workspaceWith({ a: content }))
    expect(await outcomeOf(tool, { path: 'a', ...part })).toEqual([
      'failed',
      expect.stringMatching(sentence),
    ])
  })

  it('says that a file is empty, and that not all of it is UTF-8', async () => {
    const tool = readTool(workspaceWith({ empty: '', latin: Buffer.from('caf\xe9\n', 'latin1') }))
    expect(await outcomeOf(tool, { path: 'empty' })).toEqual(['completed', '[The file is empty.]'])
    expect(await outcomeOf(tool, { path: 'latin' })).toEqual([
      'completed',
      'caf�\n[not all of it is UTF-8: � stands for the rest]',
    ])
  })

  it.each([
    [null, 'read: expected object, received null. Fields: path, offset?, limit?.'],
    [{}, 'read: `path`: expected string, received undefined. Fields: path, offset?, limit?.'],
    [{ path: 'a', line: 3 }, 'read: unknown field `line`. Fields: path, offset?, limit?.'],
    [
      { path: 'a', offset: 0 },
      'read: `offset`: Too small: expected number to be >=1. Fields: path, offset?, limit?.',
    ],
    [{ path: 'none' }, 'none does not exist. Look with `list` or `search` for its right path.'],
    [{ path: '.' }, '. is a directory. Use `list` for directories.'],
  ])('answers %j with a sentence', async (input, sentence) => {
    expect(await outcomeOf(readTool(workspaceWith()), input)).toEqual(['failed', sentence])
  })

  it('ends soon when it is aborted', async () => {
    const workspace = workspaceWith({ 'a.txt': 'x\n'.repeat(2_000_000) })
    const controller = new AbortController()
    const reading = call(
      readTool(workspace),
      { path: 'a.txt', offset: 3_000_000 },
      controller.signal,
    )
    controller.abort()
    expect((await reading).status).toBe('aborted')
    const late = await call(readTool(workspace), { path: 'a.txt' }, AbortSignal.abort())
    expect(late.status).toBe('aborted')
  })
})
