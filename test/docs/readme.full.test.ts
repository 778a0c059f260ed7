// The commands of the README are run as they stand there, in a copy of the folder they are meant for.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { within } from '../wait.ts'
import { fencesWith, ROOT, readPage } from './page.ts'

const [setup, commands] = fencesWith(readPage('README.md'), 'sh').map(({ text }) => linesOf(text))

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter(Boolean)
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-readme-'))
  mkdirSync(join(folder, 'project'))
  for (const name of ['bin', 'samples', 'package.json'])
    cpSync(join(ROOT, name), join(folder, 'project', name), { recursive: true })
  for (const name of ['src', 'node_modules'])
    symlinkSync(join(ROOT, name), join(folder, 'project', name))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function environment(): NodeJS.ProcessEnv {
  const { PATH } = process.env
  return {
    PATH: `${dirname(process.execPath)}:${PATH}`,
    HOME: folder,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    XDG_CONFIG_HOME: join(folder, 'config'),
    PRECIS_HOME: join(folder, 'home'),
  }
}

const shell = (command: string) =>
  spawnSync('bash', ['-c', command], {
    cwd: join(folder, 'project'),
    encoding: 'utf8',
    env: environment(),
    maxBuffer: 64_000_000,
  })

/** They run until they are stopped. */
const SERVING = /dev-model|\bserve\b|\bchat\b/

describe('the README', () => {
  it('begins with npm start, which needs nothing', () => {
    expect(setup?.[0]).toBe('npm ci && npm start')
    const { status, stdout } = shell('npm start --silent')
    expect(stdout).toContain('This is the sample session')
    expect(status).toBe(0)
  })

  it.each((commands ?? []).filter((line) => !SERVING.test(line)))('runs: %s', (line) => {
    const { status, stderr } = shell(line)
    expect(stderr).not.toMatch(/^precis: /m)
    expect(status).toBe(0)
  })

  it('serves the stand-in until it is stopped', async () => {
    const line = commands?.find((each) => each.includes('dev-model')) ?? ''
    const args = line
      .replace(/^.*-- /, '')
      .replace(/--port \d+/, '--port 0')
      .split(' ')
    const child = spawn(process.execPath, [join(ROOT, 'bin/precis.js'), ...args], {
      env: environment(),
    })
    const said = await within('its address', once(child.stdout, 'data').then(String))
    expect(said).toContain('listens at http://127.0.0.1:')
    child.kill('SIGINT')
    expect((await within('its end', once(child, 'close')))[0]).toBe(0)
  })
})
