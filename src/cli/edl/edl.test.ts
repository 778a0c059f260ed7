// `precis edl` as people run it: a process, its exit code, and what it leaves in the folder.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runPrecis } from '../../../test/cli/run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-edl-'))
  mkdirSync(join(folder, 'root/sub'), { recursive: true })
  write('root/notes.md', 'Status: red\nOwner: A\n')
  write('root/sub/other.md', 'x\n')
  write('secret.md', 'secret\n')
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

/** Runs a script, given on standard input, on the folder `root`. */
function edl(script: string, ...args: string[]) {
  return precis(['edl', '-', '--root', 'root', ...args], script)
}

function precis(args: readonly string[], input = '') {
  const environment = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') }
  return runPrecis(args, { cwd: folder, environment, input })
}

/** Every file below a folder with its bytes: nothing else may be there, and nothing else be different. */
function snapshot(): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(files.map((name) => [name, readFileSync(name, 'latin1')]))
}

const CHANGE = 'file notes.md\nselect /red/\nreplace "green"\n'

describe('precis edl', () => {
  it('changes the files of a folder, and says what it did', async () => {
    write('change.edl', `${CHANGE}newfile new/deep/a.md\ninsert_after <<E\nhello\nE\n`)
    chmodSync(join(folder, 'root/notes.md'), 0o640)
    const { status, stdout, stderr } = await precis(['edl', 'change.edl', '--root', 'root'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(read('root/notes.md')).toBe('Status: green\nOwner: A\n')
    expect(read('root/new/deep/a.md')).toBe('hello\n')
    expect(stdout).toMatch(/notes\.md +changed {2}1 replaced, \+1\/-1 lines/)
    expect(stdout).toMatch(/new\/deep\/a\.md +created/)
    expect(stdout).toContain('Written: 2 files.')
    expect(statSync(join(folder, 'root/notes.md')).mode & 0o777).toBe(0o640)
    expect(readdirSync(join(folder, 'root')).sort()).toEqual(['new', 'notes.md', 'sub'])
  })

  it('shows the difference and writes nothing with --dry-run', async () => {
    const before = snapshot()
    const { status, stdout } = await edl(`${CHANGE}newfile b.md\n`, '--dry-run')
    expect(status).toBe(0)
    expect(stdout).toContain(
      '--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n-Status: red\n+Status: green\n Owner: A\n',
    )
    expect(stdout).toContain('--- /dev/null\n+++ b/b.md\n')
    expect(stdout).toContain('Nothing was written: this was a dry run.')
    expect(snapshot()).toEqual(before)
  })

  it('shows the difference and writes with --diff', async () => {
    expect((await edl(CHANGE, '--diff')).stdout).toContain('+Status: green')
    expect(read('root/notes.md')).toContain('green')
  })

  it('reports as JSON', async () => {
    const { status, stdout } = await edl(CHANGE, '--json', '--dry-run')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      script: '-',
      root: 'root',
      dryRun: true,
      written: false,
      files: [
        {
          path: 'notes.md',
          status: 'changed',
          replacements: 1,
          insertions: 0,
          deletions: 0,
          linesAdded: 1,
          linesRemoved: 1,
          diff: '--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n-Status: red\n+Status: green\n Owner: A\n',
        },
      ],
      errors: [],
      warnings: [],
    })
  })

  it('says where nothing is to be done', async () => {
    expect(await edl('file notes.md\nselect 1\n')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/Warnings:\n {2}select 1: line numbers[\s\S]*Nothing changed/),
    })
  })

  it('takes a path from the root, with a slash or without, or whole', async () => {
    expect((await edl('file /notes.md\nselect /red/\nreplace "1"')).status).toBe(0)
    expect(
      (await edl(`file ${join(folder, 'root/notes.md')}\nselect /1/\nreplace "2"`)).status,
    ).toBe(0)
    expect((await edl('file sub/../notes.md\nselect /2/\nreplace "3"')).status).toBe(0)
    expect(read('root/notes.md')).toContain('Status: 3\n')
  })

  it('shows no control characters of a file', async () => {
    write('root/notes.md', 'red \u001b[31m\n')
    const { stdout } = await edl(CHANGE, '--diff')
    expect(stdout).toContain('green [U+001B][31m')
    expect(stdout).not.toContain('\u001b')
  })

  it('keeps a byte order mark and the ends of lines', async () => {
    write('root/notes.md', '\ufeffred\r\nx\r\n')
    expect((await edl(CHANGE)).status).toBe(0)
    expect(read('root/notes.md')).toBe('\ufeffgreen\r\nx\r\n')
  })
})

describe('precis edl', () => {
  it.each([
    [`${CHANGE}file sub/other.md\nselect /nope/`, 'a file failed: nothing was written'],
    [`${CHANGE}frobnicate`, 'Parse error: Unknown command: frobnicate (line 4, column 1)'],
    ['select /a/', "No file selected. Use 'file' command first."],
    [`${CHANGE}file ../secret.md\ndelete`, '../secret.md is outside the workspace'],
    [`${CHANGE}newfile .git/hooks/x`, '.git/hooks/x belongs to git itself'],
  ])('refuses %j with exit code 1 and changes nothing', async (script, says) => {
    const before = snapshot()
    const { status, stdout, stderr } = await edl(script)
    expect(status).toBe(1)
    expect(stdout + stderr).toContain(says)
    expect(snapshot()).toEqual(before)
  })

  it('writes what went well with --partial, and still fails', async () => {
    const script = `${CHANGE}file sub/other.md\nreplace "y"\nselect /nope/\n`
    const { status, stdout, stderr } = await edl(script, '--partial')
    expect(status).toBe(1)
    expect(read('root/notes.md')).toContain('green')
    expect(read('root/sub/other.md')).toBe('x\n')
    expect(stdout).toContain('Written: one file.')
    expect(stderr).toContain('a file failed: the others were written')
  })

  it('tells failures as JSON with --json', async () => {
    const { status, stdout, stderr } = await edl('file gone.md\ndelete', '--json')
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ written: false, errors: [{ path: 'gone.md' }] })
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'invalid-input', message: 'a file failed: nothing was written' },
    })
    expect(JSON.parse((await edl('x', '--json')).stderr)).toMatchObject({
      error: { code: 'invalid-input', where: 'standard input, line 1, column 1' },
    })
  })

  it.each<[string[], number, string]>([
    [['edl', '--root', 'root'], 2, "missing required argument 'script'"],
    [['edl', 'x.edl'], 2, "required option '--root <dir>' not specified"],
    [['edl', 'x.edl', '--root', 'root', '--frob'], 2, "unknown option '--frob'"],
    [['edl', '', '--root', 'root'], 2, 'no script is given'],
    [['edl', '-', '--root', ''], 2, '--root is empty'],
    [['edl', 'gone.edl', '--root', 'root'], 1, 'there is no file gone.edl'],
    [['edl', '-', '--root', 'gone'], 1, 'gone does not exist'],
    [['edl', '-', '--root', 'secret.md'], 1, 'is not a directory'],
  ])('%j ends with %i: %s', async (args, exit, says) => {
    const before = snapshot()
    const { status, stdout, stderr } = await precis(args)
    expect({ status, stdout }).toEqual({ status: exit, stdout: '' })
    expect(stderr).toContain(says)
    expect(snapshot()).toEqual(before)
  })
})
