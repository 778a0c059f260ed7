// A file of another user that is not locked, in a folder that everybody may write to.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOBODY, requirement } from '../require.ts'
import { temporaryFolder } from './temporary-workspace.ts'

const needed = [requirement('other-user'), requirement('readable-checkout')]
const notice = needed.map((each) => each.notice).join('')
const of = (path: string) => new URL(`../../src/${path}`, import.meta.url).href

function attempts(folder: string): readonly Record<string, string>[] {
  const script = `
    import { writeText } from '${of('cli/terminal/io.ts')}'
    import { replaceFile } from '${of('tools/files/write-file.ts')}'
    import { openWorkspace } from '${of('tools/workspace.ts')}'
    const told = ({ code, message, hint }) => ({ code, message, hint })
    const cwd = ${JSON.stringify(folder)}
    const done = [
      await writeText('theirs.txt', 'x', { cwd }).catch(told),
      await replaceFile(openWorkspace({ root: cwd }), 'theirs.txt', 'x').catch(told),
    ]
    console.log(JSON.stringify(done.map((each) => each ?? {})))
  `
  const args = ['--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, args, { uid: NOBODY, gid: NOBODY }).toString())
}

describe.skipIf(needed.some(({ available }) => !available))(`write ${notice}`, () => {
  it('names missing permission apart from a lock, and changes nothing', () => {
    const folder = temporaryFolder()
    const file = join(folder, 'theirs.txt')
    writeFileSync(file, 'theirs')
    chmodSync(folder, 0o777)
    chmodSync(file, 0o644)
    for (const { code, message, hint } of attempts(folder)) {
      expect({ code, message }).toEqual({
        code: 'file-unwritable',
        message: 'You have no permission to write theirs.txt',
      })
      expect(hint).toMatch(/ask/i)
      expect(hint).not.toContain('chmod')
    }
    chownSync(file, NOBODY, NOBODY)
    chmodSync(file, 0o444)
    for (const { message } of attempts(folder))
      expect(message).toBe('theirs.txt cannot be written: it is read-only')
    expect(readFileSync(file, 'utf8')).toBe('theirs')
    expect(readdirSync(folder)).toEqual(['theirs.txt'])
  })
})
