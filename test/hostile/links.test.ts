// Hostile folders: links that make a pattern allow what it does not name, and links that change meanwhile.
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { editTool } from '../../src/tools/files/edit.ts'
import { listTool } from '../../src/tools/files/list.ts'
import { readTool } from '../../src/tools/files/read.ts'
import { writeTool } from '../../src/tools/files/write.ts'
import { OUTPUT_LIMITS } from '../../src/tools/process/limit-output.ts'
import { searchTool } from '../../src/tools/search/search.ts'
import { openWorkspace } from '../../src/tools/workspace.ts'
import { requirement } from '../require.ts'
import { scaled } from '../scale.ts'
import { setUpApp } from '../server/setup.ts'
import { seen, temporaryFolder, toolRun, workspaceWith } from '../tools/temporary-workspace.ts'
import { openChat } from '../tui/setup.ts'

/** One call, in a folder where `docs/` has links to what lies beside it. */
async function called(name: string, input: Record<string, string>, policy: object) {
  const { client, folder } = await setUpApp({
    dev: { script: [{ calls: [{ name, arguments: input }] }, { text: 'The end.' }] },
    agent: { approval: { mode: 'deny', allow: [], deny: [], readOnly: false, ...policy } },
  })
  mkdirSync(join(folder, 'docs'))
  mkdirSync(join(folder, 'secret'))
  writeFileSync(join(folder, 'Makefile'), 'all:\n')
  writeFileSync(join(folder, 'secret', 'key.txt'), 'hush\n')
  writeFileSync(join(folder, 'docs', 'own.md'), 'own\n')
  symlinkSync('../Makefile', join(folder, 'docs', 'a.md'))
  symlinkSync('../secret', join(folder, 'docs', 'deep'))
  symlinkSync('own.md', join(folder, 'docs', 'alias.md'))
  symlinkSync('docs', join(folder, 'doc'))
  const { threadId } = await client.createThread({})
  await client.send(threadId, 'go')
  await expect.poll(async () => (await client.thread(threadId)).isWorking).toBe(false)
  const event = (await client.events(threadId)).find(({ type }) => type === 'TOOL_RESULT')
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  return { result: JSON.stringify(event?.data), read }
}

describe('a pattern', () => {
  const WRITE = { allow: ['write:docs/**'] }
  it.each([
    ['write', { path: 'docs/a.md', content: 'x' }],
    ['edit', { path: 'docs/a.md', oldText: 'all', newText: 'x' }],
    ['write', { path: 'docs/../docs/a.md', content: 'x' }],
    ['write', { path: 'doc/a.md', content: 'x' }],
  ])('does not allow %s on what a link leads to: %o', async (name, input) => {
    const { result, read } = await called(name, input as Record<string, string>, WRITE)
    expect(result).toContain('"denied"')
    expect(read('Makefile')).toBe('all:\n')
  })

  it('does not allow a new file behind a linked folder', async () => {
    const input = { path: 'docs/deep/new.txt', content: 'x' }
    expect((await called('write', input, WRITE)).result).toContain('"denied"')
  })

  it.each([
    ['read', { path: 'docs/deep/key.txt' }],
    ['list', { path: 'docs/deep' }],
    ['search', { path: 'docs/deep', pattern: 'hush' }],
  ])('does not allow %s behind a linked folder', async (name, input) => {
    const { result } = await called(name, input, { allow: ['read:docs/**'] })
    expect(result).toContain('"denied"')
    expect(result).not.toContain('hush')
  })

  it('denies what a link leads to, however it is written', async () => {
    const policy = { mode: 'allow', deny: ['write:Makefile', 'read:secret/**'] }
    const wrote = await called('write', { path: 'docs/a.md', content: 'x' }, policy)
    expect(wrote.result).toContain('"denied"')
    expect(wrote.read('Makefile')).toBe('all:\n')
    const shown = await called('read', { path: 'docs/deep/key.txt' }, policy)
    expect(shown.result).toContain('"denied"')
  })

  it('is not asked about where what the link leads to is denied', async () => {
    const policy = { mode: 'ask', deny: ['write:Makefile'] }
    const { result } = await called('write', { path: 'docs/a.md', content: 'x' }, policy)
    expect(result).toContain('It is denied by the pattern write:Makefile.')
  })

  it('still allows links that stay within it', async () => {
    const { result, read } = await called('write', { path: 'docs/alias.md', content: 'x' }, WRITE)
    expect(result).toContain('"completed"')
    expect(read('docs/own.md')).toBe('x')
  })
})

describe('a question', () => {
  it('says where a link leads', async () => {
    const calls = [{ name: 'write', arguments: { path: 'a.md', content: 'x' } }]
    const chat = await openChat({ dev: { script: [{ calls }, { text: 'The end.' }] } })
    writeFileSync(join(chat.folder, 'Makefile'), 'all:\n')
    symlinkSync('Makefile', join(chat.folder, 'a.md'))
    chat.terminal.enter('go')
    expect(await chat.terminal.sees('Allow')).toContain('write: a.md → Makefile')
    chat.terminal.press('escape')
    await chat.terminal.sees('The end.')
  })
})

describe('a link that changes after the check', () => {
  it('leads no tool elsewhere, also within the workspace', async () => {
    const workspace = workspaceWith({ 'docs/a.md': 'own\n', Makefile: 'all:\n' })
    const tools = [writeTool(workspace), editTool(workspace), readTool(workspace, OUTPUT_LIMITS)]
    const input = { path: 'docs/a.md', content: 'x', oldText: 'all', newText: 'x' }
    const fields: Record<string, readonly (keyof typeof input)[]> = {
      write: ['path', 'content'],
      edit: ['path', 'oldText', 'newText'],
      read: ['path'],
    }
    for (const tool of tools) {
      const own = Object.fromEntries((fields[tool.name] ?? []).map((key) => [key, input[key]]))
      rmSync(join(workspace.root, 'docs/a.md'), { force: true })
      writeFileSync(join(workspace.root, 'docs/a.md'), 'own\n')
      const target = tool.targetOf?.(own) ?? ''
      expect(target).toBe('docs/a.md')
      rmSync(join(workspace.root, 'docs/a.md'))
      symlinkSync('../Makefile', join(workspace.root, 'docs/a.md'))
      const outcome = await tool.run(own, { ...toolRun(), target })
      expect([outcome.status, seen(outcome)]).toEqual([
        'failed',
        expect.stringContaining('now leads to another place than when it was allowed'),
      ])
    }
    expect(readFileSync(join(workspace.root, 'Makefile'), 'utf8')).toBe('all:\n')
  })

  const rounds = scaled(500, 100)
  it(`shows no name from elsewhere in a list: ${4 * rounds} tries against somebody who swaps folders`, async () => {
    const outside = temporaryFolder()
    for (let at = 0; at < 5; at += 1) writeFileSync(join(outside, `OUTSIDE-${at}`), '')
    const workspace = workspaceWith({ 'a/b/inside.txt': '' })
    const folder = join(workspace.root, 'a', 'b')
    const tool = listTool(workspace)
    let isOver = false
    const swapping = (async () => {
      while (!isOver) {
        renameSync(folder, `${folder}-away`)
        symlinkSync(outside, folder)
        await nextTurn()
        rmSync(folder)
        renameSync(`${folder}-away`, folder)
        await nextTurn()
      }
    })()
    let leaked = 0
    for (let tries = 0; tries < rounds; tries += 1) {
      const listed = await Promise.all(
        ['.', 'a', 'a/b', '.'].map((path) => tool.run({ path, depth: 3 }, toolRun())),
      )
      for (let turns = tries % 3; turns > 0; turns -= 1) await nextTurn()
      leaked += listed.filter((outcome) => seen(outcome).includes('OUTSIDE')).length
    }
    isOver = true
    await swapping
    expect(leaked).toBe(0)
  })

  const { available, notice } = requirement('ripgrep')
  /** Ripgrep in a workspace where somebody changes something before and after it reads. */
  function searchBetween(root: string, before: string, after: string) {
    const program = join(temporaryFolder(), 'rg')
    const script = [before, 'found=$(rg "$@")', after, String.raw`printf '%s\n' "$found"`]
    writeFileSync(program, `#!/bin/sh\n${script.join('\n')}\n`)
    chmodSync(program, 0o755)
    return searchTool(openWorkspace({ root }), { ripgrep: program })
  }

  it.skipIf(!available).each([
    ['stays', 'mv a/b a/away && ln -s OUTSIDE a/b', ':', '[no match]'],
    [
      'is gone again',
      'mv a/b a/away && ln -s OUTSIDE a/b',
      'rm a/b && mv a/away a/b',
      'a/b/x.txt:1:needle own',
    ],
    ['was never there', ':', "sed -i '1i new' a/b/x.txt", 'a/b/x.txt:2:needle own'],
  ])(`that %s leads no search by ripgrep elsewhere ${notice}`, async (_, before, after, shown) => {
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'x.txt'), 'needle own\nneedle OUTSIDE\n')
    const { root } = workspaceWith({ 'a/b/x.txt': 'needle own\nother\n' })
    const tool = searchBetween(root, before.replace('OUTSIDE', outside), after)
    const outcome = await tool.run({ pattern: 'needle', path: 'a/b' }, toolRun())
    expect(seen(outcome)).toBe(shown)
  })

  it.skipIf(!available)(`keeps lines that ripgrep decoded ${notice}`, async () => {
    const wide = Buffer.from('\ufeffone\nneedle wide\n', 'utf16le')
    const { root } = workspaceWith({
      'bom.txt': '\ufeffneedle bom\r\n',
      'latin.txt': Buffer.from('needle \xe9\nlast needle', 'latin1'),
      'wide.txt': wide,
      'swapped.txt': Buffer.from(wide).swap16(),
    })
    const outcome = await searchBetween(root, ':', ':').run({ pattern: 'needle' }, toolRun())
    expect(seen(outcome).split('\n')).toEqual([
      expect.stringMatching(/^bom\.txt:1:.?needle bom$/),
      'latin.txt:1:needle \ufffd',
      'latin.txt:2:last needle',
      'swapped.txt:2:needle wide',
      'wide.txt:2:needle wide',
    ])
  })
})

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
