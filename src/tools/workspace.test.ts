// Paths that a model may give: what is inside is found, and nothing leads outside.

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { temporaryFolder, workspaceWith, writeFiles } from '../../test/tools/temporary-workspace.ts'
import { within } from '../../test/wait.ts'
import { openInWorkspace, requireHeldInside } from './files/open-file.ts'
import { replaceFile } from './files/write-file.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

const SECRET = 'SECRET'

/** A workspace beside a folder with a secret, and links between them. */
function beside(): { workspace: Workspace; outside: string } {
  const folder = temporaryFolder()
  writeFiles(folder, {
    'in/a.txt': 'a',
    'in/sub/b.txt': 'b',
    'out/secret.txt': SECRET,
    'in-other/c.txt': 'c',
  })
  const [inside, outside] = [join(folder, 'in'), join(folder, 'out')]
  symlinkSync(outside, join(inside, 'link-out'))
  symlinkSync(join(outside, 'secret.txt'), join(inside, 'link-secret'))
  symlinkSync('../out/new.txt', join(inside, 'link-to-nothing'))
  symlinkSync('sub', join(inside, 'link-sub'))
  symlinkSync('loop', join(inside, 'loop'))
  return { workspace: openWorkspace({ root: inside }), outside }
}

/** A write may make the folder again in the moment that it is gone. */
function insist(path: string, put: () => void): void {
  for (;;) {
    try {
      put()
      return
    } catch {
      rmSync(path, { recursive: true, force: true })
    }
  }
}

async function readAt(workspace: Workspace, path: string): Promise<string> {
  const { file } = await openInWorkspace(workspace, path)
  try {
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

describe('a path inside', () => {
  it.each([
    ['a.txt', 'a.txt'],
    ['./sub/../a.txt', 'a.txt'],
    ['sub//b.txt', 'sub/b.txt'],
    ['link-sub/b.txt', 'sub/b.txt'],
    ['.', '.'],
    ['', '.'],
    ['new/folder/file.txt', 'new/folder/file.txt'],
    ['link-sub/new.txt', 'sub/new.txt'],
    ['..a', '..a'],
  ])('%j is found as %j', async (path, name) => {
    const { workspace } = beside()
    expect(await workspace.locate(path)).toEqual({ path: join(workspace.root, name), name })
  })

  it('may be absolute, also where the root was given through a link', async () => {
    const { workspace } = beside()
    const absolute = join(workspace.root, 'a.txt')
    expect((await workspace.locate(absolute)).name).toBe('a.txt')
    const alias = join(temporaryFolder(), 'alias')
    symlinkSync(workspace.root, alias)
    const linked = openWorkspace({ root: alias })
    expect(linked.root).toBe(workspace.root)
    expect((await linked.locate(join(alias, 'a.txt'))).name).toBe('a.txt')
    expect(linked.nameOf(join(alias, 'a.txt'))).toBe('a.txt')
  })

  it('has a name for people before it is looked up', () => {
    const { workspace } = beside()
    expect(workspace.nameOf('./sub/../link-out/x')).toBe('link-out/x')
    expect(workspace.nameOf('sub/../../x')).toBe('../x')
    expect(workspace.nameOf('')).toBe('.')
  })
})

describe('a path outside is refused', () => {
  it.each([
    ['..'],
    ['../out/secret.txt'],
    ['sub/../../out/secret.txt'],
    ['/etc/passwd'],
    ['../in-other/c.txt'],
    ['link-out/secret.txt'],
    ['link-out/new.txt'],
    ['link-out/new/deeper.txt'],
    ['link-secret'],
    ['link-sub/../../out/secret.txt'],
  ])('%s', async (path) => {
    const { workspace, outside } = beside()
    const refusal = { code: 'invalid-input', message: expect.stringContaining('outside') }
    await expect(workspace.locate(path)).rejects.toMatchObject(refusal)
    await expect(readAt(workspace, path)).rejects.toMatchObject(refusal)
    await expect(replaceFile(workspace, path, 'x')).rejects.toMatchObject(refusal)
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET)
    expect(existsSync(join(outside, 'new.txt')) || existsSync(join(outside, 'new'))).toBe(false)
  })

  it('through a link to what is not there yet', async () => {
    const { workspace, outside } = beside()
    await expect(replaceFile(workspace, 'link-to-nothing', 'x')).rejects.toMatchObject({
      message: 'link-to-nothing is a link that leads to nothing.',
    })
    expect(existsSync(join(outside, 'new.txt'))).toBe(false)
  })

  it.each([
    ['a\0.txt', 'The path holds a NUL byte.'],
    ['~/x', '`~` is not expanded here.'],
    ['loop', 'loop is a link, or its links lead in a circle.'],
    ['a.txt/x', 'A part of a.txt/x is a file, not a directory.'],
    ['missing.txt', 'missing.txt does not exist.'],
    ['sub', 'sub is a directory.'],
  ])('and so is %j', async (path, message) => {
    const { workspace } = beside()
    await expect(readAt(workspace, path)).rejects.toMatchObject({
      message,
      hint: expect.stringMatching(/\w/),
    })
  })

  it('and so is one that is too long', async () => {
    const { workspace } = beside()
    const long = 'x'.repeat(5_000)
    await expect(readAt(workspace, long)).rejects.toThrow('The path is too long.')
  })

  it('and so are pipes, sockets and devices, without waiting for them', async () => {
    const workspace = workspaceWith()
    expect(spawnSync('sh', ['-c', 'mkfifo pipe'], { cwd: workspace.root }).status).toBe(0)
    const server = createServer()
    server.listen(join(workspace.root, 'socket'))
    await within('the socket to listen', once(server, 'listening'))
    for (const path of ['pipe', 'socket']) {
      const message = `${path} is not a regular file (a pipe, socket or device).`
      await expect(readAt(workspace, path)).rejects.toMatchObject({ message })
      await expect(replaceFile(workspace, path, 'x')).rejects.toMatchObject({ message })
    }
    await within('the end of the socket', once(server.close(), 'close'))
    const devices = openWorkspace({ root: '/dev' })
    await expect(readAt(devices, 'zero')).rejects.toMatchObject({
      message: expect.stringContaining('not a regular file'),
    })
  })
})

describe('a race', () => {
  it('with somebody who swaps a folder for a link never leads outside', async () => {
    const { workspace, outside } = beside()
    const [folder, aside] = [join(workspace.root, 'sub'), join(workspace.root, 'aside')]
    writeFiles(folder, { 'secret.txt': 'harmless' })
    let isOver = false
    const swapping = (async () => {
      while (!isOver) {
        renameSync(folder, aside)
        insist(folder, () => symlinkSync(outside, folder))
        await nextTurn()
        rmSync(folder)
        insist(folder, () => renameSync(aside, folder))
        await nextTurn()
      }
    })()
    const outcomes = new Map<string, number>()
    for (let round = 0; round < 400; round += 1) {
      const read = await readAt(workspace, 'sub/secret.txt').catch(() => 'refused')
      for (const path of [`sub/new-${round}.txt`, `sub/deep-${round}/new.txt`])
        await replaceFile(workspace, path, 'x').catch(() => 'refused')
      outcomes.set(read, (outcomes.get(read) ?? 0) + 1)
      for (let turns = round % 3; turns > 0; turns -= 1) await nextTurn() // to begin at any moment
    }
    isOver = true
    await swapping
    expect(outcomes.get(SECRET)).toBeUndefined()
    expect([...outcomes.keys()].sort()).toEqual(['harmless', 'refused'])
    const { stdout } = spawnSync('ls', ['-A', outside], { encoding: 'utf8' })
    expect(stdout).toBe('secret.txt\n')
  })

  it('is noticed where the system does not tell the path of an open file, too', async () => {
    const { workspace, outside } = beside()
    const nowhere = join(temporaryFolder(), 'none')
    const inside = await workspace.locate('sub/b.txt')
    const [own, foreign] = [await open(inside.path), await open(join(outside, 'secret.txt'))]
    await requireHeldInside(workspace.root, own, inside, nowhere)
    const held = requireHeldInside(workspace.root, foreign, inside, nowhere)
    await expect(held).rejects.toMatchObject({ message: expect.stringContaining('led outside') })
    await own.close()
    await foreign.close()
  })
})

describe('a workspace', () => {
  it('must be a folder', () => {
    const root = temporaryFolder()
    writeFiles(root, { file: '' })
    expect(() => openWorkspace({ root: join(root, 'file') })).toThrow('is not a directory')
    expect(() => openWorkspace({ root: join(root, 'none') })).toThrow('does not exist')
  })

  it('may be the root of the machine', async () => {
    const workspace = openWorkspace({ root: '/' })
    expect(await workspace.locate('dev/null')).toEqual({ path: '/dev/null', name: 'dev/null' })
  })

  it('keeps its content where it is read-only, and git its own folder', async () => {
    const workspace = workspaceWith({ 'a.txt': 'a' }, { readOnly: true })
    await expect(replaceFile(workspace, 'a.txt', 'x')).rejects.toMatchObject({
      message: 'The workspace is read-only: nothing was written.',
    })
    expect(readFileSync(join(workspace.root, 'a.txt'), 'utf8')).toBe('a')
    const repository = workspaceWith({ '.git/config': 'c' })
    await expect(replaceFile(repository, '.git/hooks/pre-commit', 'x')).rejects.toMatchObject({
      message: '.git/hooks/pre-commit belongs to git itself.',
    })
  })
})
