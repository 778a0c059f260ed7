// What is said to be typed next works on the store that was named: `precis serve`, `precis token`.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quietHost, runPrecis } from '../../../test/cli/run.ts'
import { hostName, pageOrigin } from '../terminal/arguments.ts'
import { storeOption } from './serve-tokens.ts'

/** On which store, if any; and what is said then. */
const SAID: readonly (readonly [args: readonly string[], words: RegExp])[] = [
  [['serve', '--host', '0.0.0.0', '--port', '0'], /Create one first: .* token add NAME(.*)\. Or/],
  [['token', 'list'], /^There are no tokens\. `.* token add NAME(.*)` creates one\.$/m],
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
  it.each([
    ['--origin', 'notaurl', 'is not an origin'],
    ['--origin', '', 'is not an origin'],
    ['--origin', '*', 'is not an origin'],
    ['--origin', 'https://pages.example/path', 'is not an origin'],
    ['--origin', 'https://me@pages.example', 'is not an origin'],
    ['--origin', 'https://', 'is not an origin'],
    ['--name', 'a b', 'is not a host name'],
    ['--name', '', 'is not a host name'],
    ['--name', 'https://precis.example', 'is not a host name'],
    ['--name', 'precis.example/x', 'is not a host name'],
    ['--name', 'precis.example:99999', 'is not a host name'],
  ])('refuses %s %j before it starts', async (option, value, problem) => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-serve-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const host = quietHost()
    const onOutput = () => void host.emit('SIGTERM') // where it starts all the same
    const environment = { HOME: folder, XDG_CONFIG_HOME: folder, PRECIS_HOME: folder }
    const args = ['serve', '--port', '0', '--model', 'dev', option, value]
    const { status, stderr } = await runPrecis(args, { cwd: folder, environment, host, onOutput })
    expect(stderr).toContain(`precis: ${JSON.stringify(value)} ${problem}\n  where: ${option}\n`)
    expect(status).toBe(2)
    expect(readdirSync(folder)).toEqual([])
  })

  it('takes origins and names as browsers send them', () => {
    const origins = ['https://Pages.example/', 'http://localhost:5173', 'https://a.example:443']
    expect(origins.map(pageOrigin)).toEqual([
      'https://pages.example',
      'http://localhost:5173',
      'https://a.example',
    ])
    expect(pageOrigin('chrome-extension://abc')).toBe('chrome-extension://abc')
    const names = ['precis.example', 'precis.example:8080', '10.0.0.1', '[::1]:80', 'team_one']
    expect(names.map(hostName)).toEqual(names)
  })
})
