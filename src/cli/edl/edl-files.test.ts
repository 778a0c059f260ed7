// The files of a folder as a script reaches them: nothing outside, nothing twice, all of it or nothing.
import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runScript } from '../../edl/run.ts'
import { openWorkspace } from '../../tools/workspace.ts'
import { FolderFiles } from './edl-files.ts'

let folder: string
let files: FolderFiles
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-edl-files-'))
  mkdirSync(join(folder, 'root/sub'), { recursive: true })
  write('secret.md', 'secret\n')
  write('root/notes.md', 'red\n')
  write('root/sub/other.md', 'x\n')
  write('root/binary.md', Buffer.from([0x66, 0xff, 0x00]))
  symlinkSync('../secret.md', join(folder, 'root/link.md'))
  symlinkSync('..', join(folder, 'root/linked'))
  symlinkSync('nowhere', join(folder, 'root/dangling.md'))
  symlinkSync('sub/other.md', join(folder, 'root/inside.md'))
  linkSync(join(folder, 'root/notes.md'), join(folder, 'root/hard.md'))
  execFileSync('mkfifo', [join(folder, 'root/pipe')])
  files = new FolderFiles(openWorkspace({ root: join(folder, 'root') }))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function write(path: string, text: string | Buffer): void {
  writeFileSync(join(folder, path), text)
}

function read(path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}

/** Every file with its bytes, and every link with where it leads. */
function snapshot(): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const name = join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink()) return [name, `-> ${readlinkSync(name)}`]
    return [name, entry.isFile() ? readFileSync(name, 'latin1') : 'no file']
  })
  return Object.fromEntries(entries)
}

async function findErrors(script: string): Promise<string[]> {
  const result = await runScript(script, files)
  return result.status === 'ok' ? result.errors.map(({ message }) => message) : [result.error]
}

/** Script, and what is said about it. Nothing may be changed by any of them. */
const REFUSED: readonly [string, string][] = [
  ['file gone.md\ndelete', 'gone.md does not exist'],
  ['file sub\ndelete', 'sub is a directory'],
  ['file /\ndelete', 'is a directory'],
  ['newfile notes.md\ninsert_after "x"', 'notes.md exists already'],
  ['newfile sub\ninsert_after "x"', 'sub exists already'],
  ['newfile notes.md/x\n', 'A part of notes.md/x is a file'],
  ['file ../secret.md\ndelete', '../secret.md is outside the workspace'],
  ['file sub/../../secret.md\ndelete', 'is outside the workspace'],
  ['newfile ../new.md', 'is outside the workspace'],
  ['file /../secret.md\ndelete', 'is outside the workspace'],
  ['file link.md\ndelete', 'link.md is outside the workspace'],
  ['file linked/secret.md\ndelete', 'is outside the workspace'],
  ['newfile linked/new.md\n', 'is outside the workspace'],
  ['newfile dangling.md\n', 'dangling.md is a link that leads to nothing'],
  ['file binary.md\ndelete', 'binary.md is not text in UTF-8'],
  ['file pipe\ndelete', 'pipe is not a regular file'],
  ['file `a\u0000b`\ndelete', 'NUL'],
  ['file ./notes.md\ndelete\nfile notes.md\ndelete', 'notes.md is the same file as ./notes.md'],
  ['file notes.md\ndelete\nfile hard.md\ndelete', 'hard.md is the same file as notes.md'],
  ['file inside.md\ndelete\nfile sub/other.md\ndelete', 'is the same file as inside.md'],
  ['newfile n.md\nnewfile ./n.md', './n.md is the same file as n.md'],
]

describe('the files of a folder', () => {
  it.each(REFUSED)('are kept from %j: %s', async (script, says) => {
    const before = snapshot()
    expect((await findErrors(script)).join()).toContain(says)
    expect(snapshot()).toEqual(before)
  })

  it('are not touched before all is known', async () => {
    const before = snapshot()
    expect(await findErrors('file notes.md\nreplace "y"\nnewfile a/b\n')).toEqual([])
    expect(snapshot()).toEqual(before)
    expect(files.planned).toEqual([
      { path: 'notes.md', before: 'red\n', after: 'y' },
      { path: 'a/b', before: undefined, after: '' },
    ])
    await files.commit()
    expect([read('root/notes.md'), read('root/a/b')]).toEqual(['y', ''])
  })

  it('are reached through a link that stays inside, and the link stays', async () => {
    await findErrors('file inside.md\nreplace "y"')
    await files.commit()
    expect(read('root/sub/other.md')).toBe('y')
    expect(readlinkSync(join(folder, 'root/inside.md'))).toBe('sub/other.md')
  })

  it('become what they were where a later one cannot be written', async () => {
    await findErrors('file sub/other.md\nreplace "y"\nnewfile new.md\nnewfile .git/x\n')
    const before = snapshot()
    await expect(files.commit()).rejects.toThrow('.git/x belongs to git itself')
    expect(snapshot()).toEqual(before)
  })

  it.each([
    ['changed', 'file sub/other.md\nreplace "y"', 'sub/other.md', 'has changed since it was read'],
    ['made', 'newfile new.md\ninsert_after "y"', 'new.md', 'was created in the meantime'],
  ])('that somebody else %s meanwhile are left alone', async (_, script, path, says) => {
    await findErrors(script)
    write(`root/${path}`, 'the work of somebody else')
    await expect(files.commit()).rejects.toThrow(says)
    expect(read(`root/${path}`)).toBe('the work of somebody else')
  })
})
