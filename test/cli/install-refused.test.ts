// `precis install` where it cannot or need not do something: places that cannot be written, agents that are not there.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOBODY, requirement } from '../require.ts'
import { eachPlace, PRECIS, sample } from './place.ts'

const place = eachPlace()

function put(name: string, text: string): void {
  const path = join(place().folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Every file and folder but those of the program itself. */
function everything(): Record<string, string> {
  const { folder } = place()
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    found
      .map((entry) => [join(entry.parentPath, entry.name), entry] as const)
      .filter(([path]) => !path.includes('/.bin'))
      .map(([path, entry]) => [path, entry.isFile() ? readFileSync(path, 'utf8') : 'a folder']),
  )
}

describe('a configuration in another shape', () => {
  it('with a mark and line ends of Windows keeps both, and every byte of it comes back', async () => {
    put(
      '.claude.json',
      '\uFEFF{\r\n  "mcpServers": {\r\n    "other": { "command": "x" }\r\n  }\r\n}\r\n',
    )
    put('.claude/settings.json', '{ "model": "opus" }')
    const before = everything()
    expect(await place().precis(['install', 'claude-code'])).toMatchObject({ status: 0 })
    const text = readFileSync(join(place().folder, '.claude.json'), 'utf8')
    expect(text).toMatch(/^\uFEFF\{\r\n/)
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    expect(Object.keys(JSON.parse(text.slice(1)).mcpServers)).toEqual(['other', 'precis'])
    expect(await place().precis(['uninstall', 'claude-code'])).toMatchObject({ status: 0 })
    for (const [path, was] of Object.entries(before)) expect(everything()[path]).toBe(was)
  })

  it('with comments stays as it is, and OpenCode gets the entry in its other file', async () => {
    const commented = '{\n  // mine\n  "model": "a/b",\n}\n'
    put('.config/opencode/opencode.json', commented)
    const file = (name: string) => join(place().folder, '.config/opencode', name)
    expect(await place().precis(['install', 'opencode'])).toMatchObject({ status: 0 })
    expect(JSON.parse(readFileSync(file('opencode.jsonc'), 'utf8')).mcp).toHaveProperty('precis')
    expect((await place().precis(['install', '--status'])).stdout).toMatch(/opencode +installed/)
    writeFileSync(file('opencode.json'), '{ "model": "a/b" }')
    expect(await place().precis(['uninstall', 'opencode'])).toMatchObject({ status: 0 })
    expect(existsSync(file('opencode.jsonc'))).toBe(false)
    expect(readFileSync(file('opencode.json'), 'utf8')).toBe('{ "model": "a/b" }')
  })

  it('with a comment since the install keeps the entry until the comment can be kept, and says so', async () => {
    const path = join(place().folder, '.config/opencode/opencode.json')
    put('.config/opencode/opencode.json', '{ "model": "a/b" }')
    await place().precis(['install', 'opencode'])
    const installed = readFileSync(path, 'utf8')
    writeFileSync(path, installed.replace('{', '{\n  // mine, see https://opencode.ai'))
    const status = await place().precis(['install', '--status', 'opencode'])
    expect(status.stdout).toMatch(/opencode +unreadable +\S+opencode\.json\n/)
    for (const work of ['install', 'uninstall']) {
      const { status, stderr } = await place().precis([work, 'opencode'])
      expect(status).toBe(1)
      expect(stderr).toContain('opencode.json is not a JSON object')
      expect(stderr).toContain('comments or trailing commas')
    }
    expect(existsSync(`${path}c`)).toBe(false)
    writeFileSync(path, installed)
    expect(await place().precis(['uninstall', 'opencode'])).toMatchObject({ status: 0 })
    expect(readFileSync(path, 'utf8')).toBe('{ "model": "a/b" }')
  })

  it.each(['{ "model": "a/b", ', '[]', '{ "model": "a // b }'])(
    'that is broken is named, and OpenCode gets no other file: %j',
    async (text) => {
      put('.config/opencode/opencode.json', text)
      const before = everything()
      const { status, stderr } = await place().precis(['install', 'opencode'])
      expect(status).toBe(1)
      expect(stderr).toContain('opencode.json is not a JSON object')
      expect(everything()).toEqual(before)
    },
  )

  it('that is empty gets the entry', async () => {
    put('.config/opencode/opencode.json', '')
    expect(await place().precis(['install', 'opencode'])).toMatchObject({ status: 0 })
    const path = join(place().folder, '.config/opencode/opencode.json')
    expect(JSON.parse(readFileSync(path, 'utf8')).mcp).toHaveProperty('precis')
    expect(existsSync(`${path}c`)).toBe(false)
    expect(await place().precis(['uninstall', 'opencode'])).toMatchObject({ status: 0 })
    expect(readFileSync(path, 'utf8')).toBe('')
  })

  it('with servers of Codex in one line is refused by its cause', async () => {
    put('.codex/config.toml', 'mcp_servers = { other = { command = "y" } }\n')
    const { status, stderr } = await place().precis(['install', 'codex'])
    expect(status).toBe(1)
    expect(stderr).toContain('to which no server can be added')
    expect(stderr).not.toContain('did not write')
  })
})

describe('a place that cannot be written', () => {
  it('is named before anything is changed', async () => {
    for (const name of ['.claude/settings.json', '.codex/hooks.json']) put(name, '{}')
    put('.config/opencode/opencode.json', '{}')
    put('.pi', 'a file where a directory should be')
    const before = everything()
    const { status, stderr } = await place().precis(['install', '--all'])
    expect(status).toBe(1)
    expect(stderr).toContain('.pi/agent/extensions/precis.js cannot be written: ')
    expect(stderr).toContain('hint: Nothing was changed. Check that you may write there.')
    expect(stderr).not.toContain('bug')
    expect(everything()).toEqual(before)
  })

  it.each([
    ['install', 'claude-code'],
    ['handoff', sample('sessions/codex.jsonl'), '--to', 'codex'],
    ['handoff', sample('sessions/codex.jsonl'), '--to', 'claude-code'],
    ['handoff', sample('sessions/codex.jsonl'), '--to', 'pi'],
    ['export', sample('sessions/codex.jsonl'), sample('sessions/pi.jsonl'), '--out', 'file/x'],
    ['compact', sample('sessions/codex.jsonl'), '--out', 'file/x.jsonl'],
    ['store', 'copy', 'home', 'file/x.db'],
    ['exam', sample('sessions/codex.jsonl'), '--files', 'file/x'],
  ])('is no bug: %s %s %s', async (...args) => {
    put('file', 'not a directory')
    const env = { HOME: join(place().folder, 'file'), XDG_CONFIG_HOME: place().folder }
    const { status, stderr } = await place().precis(args, { env })
    expect(stderr).toMatch(/^ {2}hint: /m)
    expect(stderr).not.toContain('bug')
    expect(status).not.toBe(0)
    expect(readFileSync(join(place().folder, 'file'), 'utf8')).toBe('not a directory')
  })

  const needed = [requirement('other-user'), requirement('readable-checkout')]
  const notice = needed.map((each) => each.notice).join(' ')
  it('is named where it is a link that leads nowhere, and the link stays', async () => {
    const link = join(place().folder, '.codex/config.toml')
    mkdirSync(dirname(link))
    symlinkSync('/nowhere/config.toml', link)
    const { status, stderr } = await place().precis(['install', 'codex'])
    expect(stderr).toContain('.codex/config.toml is a link that leads nowhere')
    expect(stderr).toContain('hint: Nothing was changed.')
    expect(status).toBe(1)
    expect(readdirSync(dirname(link))).toEqual(['config.toml'])
    expect(readlinkSync(link)).toBe('/nowhere/config.toml')
  })

  it.skipIf(needed.some(({ available }) => !available))(
    `is a file that its owner made read-only ${notice}`,
    () => {
      const { folder } = place()
      put('.claude.json', '{}')
      mkdirSync(join(folder, '.claude'))
      for (const name of ['', '.claude', '.claude.json'])
        chownSync(join(folder, name), NOBODY, NOBODY)
      chmodSync(join(folder, '.claude.json'), 0o444)
      const { status, stderr } = spawnSync(process.execPath, [PRECIS, 'install', 'claude-code'], {
        ...{ cwd: folder, encoding: 'utf8', env: place().environment() },
        ...{ uid: NOBODY, gid: NOBODY },
      })
      expect(stderr).toContain('.claude.json cannot be written: ')
      expect(status).toBe(1)
      expect(readFileSync(join(folder, '.claude.json'), 'utf8')).toBe('{}')
      expect(readdirSync(join(folder, '.claude'))).toEqual([])
    },
  )

  it.skipIf(needed.some(({ available }) => !available))(
    `is named to another user than root, too ${notice}`,
    () => {
      const { folder } = place()
      for (const name of ['.claude', '.pi']) mkdirSync(join(folder, name))
      for (const name of ['', '.claude']) chownSync(join(folder, name), NOBODY, NOBODY)
      chmodSync(join(folder, '.pi'), 0o555)
      const { status, stderr } = spawnSync(process.execPath, [PRECIS, 'install', '--all'], {
        ...{ cwd: folder, encoding: 'utf8', env: place().environment() },
        ...{ uid: NOBODY, gid: NOBODY },
      })
      expect(stderr).toContain('.pi/agent/extensions/precis.js cannot be written: ')
      expect(status).toBe(1)
      expect(readdirSync(join(folder, '.claude'))).toEqual([])
      expect(existsSync(join(folder, '.claude.json'))).toBe(false)
    },
  )
})

describe('an agent that is not on the machine', () => {
  it('is skipped by --all, and installed when it is named', async () => {
    put('.codex/config.toml', '')
    put('programs/opencode', '#!/bin/sh\n')
    const env = { PATH: join(place().folder, 'programs') }
    const { status, stdout } = await place().precis(['install', '--all'], { env })
    expect(status).toBe(0)
    for (const host of ['claude-code', 'pi'])
      expect(stdout).toContain(
        `not found on this machine; \`precis install ${host}\` installs it anyway`,
      )
    expect(stdout).toMatch(/^✓ codex +installed/m)
    expect(stdout).toMatch(/^✓ opencode +installed/m)
    expect(existsSync(join(place().folder, '.pi'))).toBe(false)
    expect(existsSync(join(place().folder, '.claude.json'))).toBe(false)
    await place().json(['install', 'pi'], { env })
    expect(existsSync(join(place().folder, '.pi/agent/extensions/precis.js'))).toBe(true)
  })
})

describe('what was not done', () => {
  it('is said of a dry run', async () => {
    put('.codex/config.toml', 'model = "a"\n')
    const before = everything()
    const { stdout } = await place().precis(['install', 'codex', '--dry-run'])
    expect(stdout).toMatch(/^· codex +would install +\S+config\.toml$/m)
    expect(stdout).toMatch(/\nNothing was changed\.\n$/)
    expect(stdout).not.toContain('✓')
    expect(everything()).toEqual(before)
    await place().json(['install', 'codex'])
    const again = await place().precis(['install', 'codex', '--dry-run'])
    expect(again.stdout).toMatch(/^· codex +installed: nothing would change/m)
    const out = await place().precis(['uninstall', 'codex', '--dry-run'])
    expect(out.stdout).toMatch(/^· codex +would uninstall/m)
  })

  it.each([
    ['.claude/settings.json', '{"hooks": {}}'],
    ['.claude/settings.json', '{ "model":"opus",\n\t"hooks": { } }'],
    ['.claude/settings.json', '{"hooks": {"Stop": []}}'],
    ['.claude.json', '{"mcpServers":{}}'],
    ['.codex/config.toml', '[mcp_servers]\n'],
    ['.config/opencode/opencode.json', '{"mcp": {},"a":[1,2]}'],
  ])('is said of an uninstall, and a file of the user stays: %s %s', async (name, text) => {
    put(name, text)
    const before = everything()
    const { status, stdout } = await place().precis(['uninstall', '--all'])
    expect(status).toBe(0)
    expect(stdout).not.toContain('✓')
    expect(stdout).toContain('was not installed')
    expect(everything()).toEqual(before)
  })

  it('keeps an empty list of the user that a later change left beside ours', async () => {
    put('.claude/settings.json', '{"hooks": {}}')
    put('.claude.json', '{"mcpServers": {}}')
    await place().json(['install', 'claude-code'])
    for (const name of ['.claude/settings.json', '.claude.json'])
      put(name, JSON.stringify({ ...JSON.parse(place().read(name)), theme: 'dark' }))
    await place().json(['uninstall', 'claude-code'])
    expect(JSON.parse(place().read('.claude/settings.json'))).toEqual({ hooks: {}, theme: 'dark' })
    expect(JSON.parse(place().read('.claude.json'))).toEqual({ mcpServers: {}, theme: 'dark' })
  })
})
