// Runs the commands of the README and of the pages for each audience, in a copy of the checkout
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { within } from '../wait.ts'
import { fencesWith, ROOT, readPage } from './page.ts'

const PAGES = ['README.md', 'docs/use-with-agents.md', 'docs/build-an-agent.md', 'docs/team.md']

const linesIn = (page: string) =>
  fencesWith(readPage(page), 'sh').flatMap(({ text }) => linesOf(text))
const commandsIn = (page: string) => linesIn(page).filter((line) => /\bnpx precis /.test(line))

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

/** What the pages write into the copy. */
const WRITTEN = ['talk.html', 'rollout.jsonl', 'smaller.jsonl', 'small.jsonl', 'small.json']

/**
 * npx takes seconds to look through the installed packages, so only the first command of a page runs
 * under it. For the others the shell starts the same file on the same Node.
 */
const NPX = `npx() { shift; "${process.execPath}" bin/precis.js "$@"; }`

/** These commands run until they are stopped. */
const SERVING = /dev-model|\bserve\b|\bchat\b/

const runnableIn = (page: string) => commandsIn(page).filter((line) => !SERVING.test(line))

describe('the README', () => {
  it('begins with npm start, which needs nothing', () => {
    expect(linesIn('README.md')[0]).toBe('npm ci && npm start')
    const { status, stdout } = shell('npm start --silent')
    expect(stdout).toContain('This is the sample session')
    expect(status).toBe(0)
  })

  it('has a picture, one command and the pages for each audience in its first screen', () => {
    const [screen = ''] = readPage('README.md').split(/^## /m)
    expect(screen.split('\n').length).toBeLessThan(30)
    expect(screen.match(/^!\[/gm)).toHaveLength(1)
    expect(fencesWith(screen, 'sh').flatMap(({ text }) => linesOf(text))).toHaveLength(1)
    for (const page of PAGES.slice(1)) expect(screen).toContain(`](${page})`)
  })

  it('serves the stand-in until it is stopped', async () => {
    const line = commandsIn('README.md').find((each) => each.includes('dev-model')) ?? ''
    const args = line
      .replace(/^npx precis /, '')
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

describe.each(PAGES)('the commands of %s', (page) => {
  beforeAll(() => {
    rmSync(join(folder, 'home'), { recursive: true, force: true })
    for (const name of WRITTEN) rmSync(join(folder, 'project', name), { force: true })
  })

  it.each(runnableIn(page).map((line, at) => [line, at] as const))('run: %s', (line, at) => {
    const { status, stderr } = shell(at === 0 ? line : `${NPX}\n${line}`)
    expect(stderr).not.toMatch(/^precis: /m)
    expect(status).toBe(0)
  })
})
