// The files of deploy/: systemd takes the unit, and each command of the compose file runs as a process.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../postgres/server.ts'
import { requirement } from '../require.ts'
import { temporaryFolder } from './folder.ts'
import { environmentOf, startServe } from './serve-child.ts'

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const systemd = requirement('systemd')
const postgres = requirement('postgres')

/** The words of each `command` that runs précis, by the name of its service. */
function commandsOf(compose: string): Map<string, string[]> {
  const services = compose.slice(compose.indexOf('\nservices:'), compose.indexOf('\nsecrets:'))
  const found = [...services.matchAll(/^ {2}(\w+):\n((?: {4}.*\n|\n)*)/gm)]
  return new Map(
    found.flatMap(([, name = '', body = '']): [string, string[]][] => {
      const words = /^ {4}command: (\[.*\])$/m.exec(body)?.[1]
      return words === undefined ? [] : [[name, JSON.parse(words) as string[]]]
    }),
  )
}

describe.skipIf(!systemd.available)(`the unit ${systemd.notice}`, () => {
  it('passes systemd-analyze verify, and starts what is in the package', () => {
    const unit = fileOf('deploy/precis.service')
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', unit], {
      encoding: 'utf8',
    })
    expect([status, stdout, stderr]).toEqual([0, '', ''])
    const command = /^ExecStart=\S+ node \/opt\/precis\/(\S+) serve (.*)$/m.exec(
      readFileSync(unit, 'utf8'),
    )
    expect(command?.[1]).toBe('bin/precis.js')
  })
})

describe.skipIf(!postgres.available)(`the compose file ${postgres.notice}`, () => {
  it('has commands that run: a token is made, and both servers ask for it', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.remove())
    const folder = temporaryFolder()
    const environment = { PRECIS_STORE: server.address('team') }
    const commands = commandsOf(readFileSync(fileOf('deploy/compose.yaml'), 'utf8'))
    expect([...commands.keys()]).toEqual(['token', 'one', 'two'])
    const { token = [], ...servers } = Object.fromEntries(commands)
    const made = spawnSync(process.execPath, [fileOf(token[1] ?? ''), ...token.slice(2)], {
      cwd: folder,
      env: { ...environmentOf(folder), ...environment },
      encoding: 'utf8',
    })
    expect([made.status, made.stderr]).toEqual([0, expect.stringMatching(/^Save it: /)])
    for (const [program, path, word, ...options] of Object.values(servers)) {
      expect([program, path, word]).toEqual(['node', 'bin/precis.js', 'serve'])
      // Both have the same port in their containers.
      const child = await startServe(folder, [...options, '--port', '0'], environment)
      onTestFinished(async () => {
        if (child.process.exitCode === null) await child.end('SIGKILL')
      })
      const url = child.url.replace('0.0.0.0', '127.0.0.1')
      const status = async (path: string, headers = {}) =>
        (await fetch(`${url}/api${path}`, { headers })).status
      expect(await status('/ready')).toBe(200)
      expect(await status('/threads')).toBe(401)
      const authorization = `Bearer ${made.stdout.trim()}`
      expect(await status('/threads', { authorization })).toBe(200)
    }
  })
})
