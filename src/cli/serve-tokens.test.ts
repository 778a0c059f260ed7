// What is said to be typed next works on the store that was named: `precis serve`, `precis token`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { storeOption } from './serve-tokens.ts'

const PRECIS = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))

/** On which store, if any; and what is said then. */
const SAID: readonly (readonly [args: readonly string[], words: RegExp])[] = [
  [['serve', '--host', '0.0.0.0', '--port', '0'], /Make one first: .* token add NAME(.*)\. Or/],
  [['token', 'list'], /^There are no tokens\. `.* token add NAME(.*)` makes one\.$/m],
  [['token', 'revoke', 'ada'], / token list(.*) shows those in force\.$/m],
]

describe('a hint about tokens', () => {
  it.each(SAID)('names the store that was named: %j', (args, words) => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-hint-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const said = (...more: readonly string[]) => {
      const { stdout, stderr } = spawnSync(process.execPath, [PRECIS, ...args, ...more], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, PRECIS_HOME: folder },
      })
      return words.exec(stdout + stderr)?.[1]
    }
    expect(said()).toBe('')
    expect(said('--store', 'the $& team.db')).toBe(" --store 'the $& team.db'")
  })

  it('has no password in it', () => {
    const option = storeOption('postgres://me:correcthorse1@host/team')
    expect(option).toBe(' --store postgres://me@host/team')
    expect(option).not.toContain('correcthorse1')
  })
})
