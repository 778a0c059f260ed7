// What is said to be typed next works on the store that was named: `precis serve`, `precis token`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runPrecis } from '../../../test/cli/run.ts'
import { storeOption } from './serve-tokens.ts'

/** On which store, if any; and what is said then. */
const SAID: readonly (readonly [args: readonly string[], words: RegExp])[] = [
  [['serve', '--host', '0.0.0.0', '--port', '0'], /Make one first: .* token add NAME(.*)\. Or/],
  [['token', 'list'], /^There are no tokens\. `.* token add NAME(.*)` makes one\.$/m],
  [['token', 'revoke', 'ada'], / token list(.*) shows the valid tokens\.$/m],
]

describe('a hint about tokens', () => {
  it.each(SAID)('names the store that was named: %j', async (args, words) => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-hint-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const said = async (...more: readonly string[]) => {
      const environment = { HOME: folder, XDG_CONFIG_HOME: folder, PRECIS_HOME: folder }
      const { stdout, stderr } = await runPrecis([...args, ...more], { cwd: folder, environment })
      return words.exec(stdout + stderr)?.[1]
    }
    expect(await said()).toBe('')
    expect(await said('--store', 'the $& team.db')).toBe(" --store 'the $& team.db'")
  })

  it('has no password in it', () => {
    const option = storeOption('postgres://me:correcthorse1@host/team')
    expect(option).toBe(' --store postgres://me@host/team')
    expect(option).not.toContain('correcthorse1')
  })
})

describe('precis serve', () => {
  it('refuses a model of no known provider before it starts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-serve-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const environment = { HOME: folder, XDG_CONFIG_HOME: folder, PRECIS_HOME: folder }
    const args = ['serve', '--port', '0', '--model', 'nope/x']
    const { status, stderr } = await runPrecis(args, { cwd: folder, environment })
    expect(stderr).toContain('There is no provider "nope".')
    expect(status).toBe(2)
  })
})
