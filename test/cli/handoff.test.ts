// `precis handoff`: a new session for the other agent, in its own place, and nothing else on the disk is touched.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refuseExisting } from '../../src/cli/hosts/handoff.ts'
import { eachPlace, sample } from './place.ts'

const place = eachPlace()
const AGENTS = ['claude-code', 'codex', 'pi', 'opencode'] as const

interface Told {
  readonly path: string
  readonly command: string
  readonly directory: string
  readonly missingDirectory?: string
  readonly messages: number
}

const handOff = (session: readonly string[], to: string, env: Record<string, string> = {}) =>
  place().json<Told>(['handoff', ...session, '--to', to], { env })

/** A session of Claude Code in the place where it keeps those of this directory. */
function putSession(sessionId: string, name: string): string {
  const { folder } = place()
  const path = join(folder, '.claude/projects', folder.replaceAll(/[^A-Za-z0-9]/g, '-'), name)
  const message = { role: 'user', content: 'Never touch the migrations folder.' }
  const record = { type: 'user', uuid: 'z', parentUuid: null, sessionId, cwd: folder, message }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(record)}\n`)
  return path
}

describe('precis handoff', () => {
  it('leaves the newest session as it is where it is one of the same agent', async () => {
    const path = putSession('3f2a91c0-aaaa', '3f2a91c0-aaaa.jsonl')
    const before = readFileSync(path, 'utf8')
    const told = await handOff([], 'claude-code')
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(told.path).not.toBe(path)
    expect(told.messages).toBe(1)
    const written = readFileSync(told.path, 'utf8')
    expect(written).toContain('Never touch the migrations folder.')
    expect(written).not.toContain('3f2a91c0-aaaa')
    expect(JSON.parse(written.split('\n')[0] ?? '').cwd).toBe(place().folder)
    expect(readdirSync(dirname(path))).toHaveLength(2)
  })

  it('takes no copy that a handoff wrote for the newest session, unless somebody went on with it', async () => {
    const own = putSession('3f2a91c0-aaaa', '3f2a91c0-aaaa.jsonl')
    utimesSync(own, 1, 1)
    const from = async () =>
      (await place().json<Told & { from: string }>(['handoff', '--to', 'codex'])).from
    expect([await from(), await from()]).toEqual([own, own])
    const { path } = await handOff([own], 'pi')
    expect(await from()).toBe(own)
    const more = {
      type: 'message',
      id: 'q',
      parentId: null,
      message: { role: 'user', content: 'on' },
    }
    appendFileSync(path, `${JSON.stringify(more)}\n`)
    expect(await from()).toBe(path)
  })

  it.each(AGENTS)('gives a session of %s a new id there, each time', async (agent) => {
    const file = sample(`sessions/${agent}.json${agent === 'opencode' ? '' : 'l'}`)
    const old = /"(?:sessionId|id)": "([^"]{5,})"/.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
    const [one, two] = [await handOff([file], agent), await handOff([file], agent)]
    expect(one.path).not.toBe(two.path)
    for (const { path, command } of [one, two]) {
      expect(`${path} ${command}`).not.toContain(old)
      const written = readFileSync(path, 'utf8')
      expect(written).not.toContain(`"${old}"`)
      expect(written).toMatch(/heat\.ts|overshoot/)
    }
  })

  it.each(AGENTS)('goes to %s in the directory of the session, and says so', async (agent) => {
    const path = putSession('3f2a91c0-aaaa', '3f2a91c0-aaaa.jsonl')
    const elsewhere = join(place().folder, 'elsewhere')
    mkdirSync(elsewhere)
    const folder = realpathSync(place().folder)
    const args = ['handoff', path, '--to', agent]
    const told = await place().json<Told>(args, { cwd: elsewhere })
    expect(told.directory).toBe(folder)
    expect(told.command.startsWith(`cd ${folder} && `)).toBe(true)
    expect(told.path).not.toMatch(/elsewhere/)
    expect(readFileSync(told.path, 'utf8')).toContain(JSON.stringify(folder))
    const { stdout } = await place().precis(args)
    expect(stdout).toMatch(/^File: {7}\/.+\nDirectory: {2}(.+)\nContinue it in this directory: \w/m)
    expect(stdout).not.toContain('cd ')
  })

  it.each(AGENTS)(
    'goes to %s in the working directory where its own is not here',
    async (agent) => {
      const folder = realpathSync(place().folder)
      const told = await handOff([sample('sessions/claude-code.jsonl')], agent)
      expect(told.directory).toBe(folder)
      const written = readFileSync(told.path, 'utf8')
      expect(written).toContain(JSON.stringify(folder))
      expect(written).not.toMatch(/"(?:cwd|directory)": ?"\/kettle"/)
      expect(told.missingDirectory).toBe('/kettle')
      const args = ['handoff', sample('sessions/claude-code.jsonl'), '--to', agent]
      expect((await place().precis(args)).stdout).toContain(
        'The session was in /kettle, which is not a directory on this machine.',
      )
    },
  )

  it('takes neither a path nor a command from the id of a session', async () => {
    const id = '../../../../escaped; touch pwned'
    const path = putSession(id, 'odd.jsonl')
    for (const agent of AGENTS) {
      const told = await handOff([path], agent)
      expect(told.path).not.toContain('escaped')
      expect(told.command).not.toContain('pwned')
      expect(told.command).toMatch(/^[\w./@:+%=& -]+$/)
    }
    expect(existsSync(join(place().folder, 'escaped; touch pwned.jsonl'))).toBe(false)
    expect(place().left()).toEqual([])
  })

  it('writes over nothing', async () => {
    const [file, link] = [join(place().folder, 'a.jsonl'), join(place().folder, 'b.jsonl')]
    writeFileSync(file, '')
    symlinkSync(join(place().folder, 'nowhere'), link)
    for (const path of [file, link])
      await expect(refuseExisting(path)).rejects.toThrow(`${path} already exists`)
    await refuseExisting(join(place().folder, 'c.jsonl'))
  })

  it('makes its folders for their owner only', async () => {
    const PRECIS_HOME = join(place().folder, 'state')
    const file = sample('sessions/codex.jsonl')
    const told = await handOff([file], 'opencode', { PRECIS_HOME })
    for (const path of [PRECIS_HOME, dirname(told.path)])
      expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(told.path).mode & 0o777).toBe(0o600)
  })
})
