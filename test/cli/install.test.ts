// précis inside other agents: what `install` writes, that `uninstall` leaves no trace, and what the hooks say.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { listHostFiles } from '../../src/cli/hosts/host-files.ts'
import { eachPlace, sample } from './place.ts'

const place = eachPlace()

function put(name: string, text: string): void {
  const path = join(place().folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Every file of the agents, with its bytes. */
function configuration(): Record<string, string> {
  const { folder } = place()
  const files: Record<string, string> = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (/\.(?:home|bin)\b/.test(path.slice(folder.length)) || path.includes('.config/precis'))
      continue
    files[path] = entry.isFile() ? readFileSync(path, 'utf8') : 'a folder'
  }
  return files
}

const SETTINGS = `{
    "model": "opus",
    "hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "echo mine"}]}]}
}`

function putConfigurations(): void {
  put('.claude/settings.json', SETTINGS)
  put('.codex/config.toml', 'model = "gpt-5.6"') // no newline at its end
  put('.config/opencode/opencode.json', '{"model": "dev/dev-1"}\n')
  put('.pi/agent/settings.json', '{}')
}

const state = (args: string[]) =>
  place().json<{ host: string; path: string; state: string; isChanged: boolean }[]>(args)

describe('precis install', () => {
  it('is idempotent, and uninstall puts back every byte', async () => {
    putConfigurations()
    const before = configuration()
    expect(
      (await state(['install', '--all', '--dry-run'])).every(({ isChanged }) => !isChanged),
    ).toBe(true)
    expect(configuration()).toEqual(before)
    const first = await state(['install', '--all'])
    expect(first.every((file) => file.isChanged && file.state === 'installed')).toBe(true)
    const claude = JSON.parse(place().read('.claude/settings.json'))
    expect(claude.model).toBe('opus')
    expect(claude.hooks.PreCompact).toHaveLength(2)
    expect(claude.hooks.SessionStart[0]).toMatchObject({ matcher: 'compact' })
    // OpenCode adds it to a file without it, and the file would not be as it was written.
    expect(JSON.parse(place().read('.config/opencode/opencode.json'))).toMatchObject({
      $schema: 'https://opencode.ai/config.json',
      model: 'dev/dev-1',
    })
    expect(place().read('.codex/config.toml')).toMatch(
      /^model = "gpt-5\.6"\n# >>> precis\n\[mcp_servers\.precis\]/,
    )
    const installed = configuration()
    expect((await state(['install', '--all'])).some(({ isChanged }) => isChanged)).toBe(false)
    expect(configuration()).toEqual(installed)
    await state(['uninstall', '--all'])
    expect(configuration()).toEqual(before)
    expect(
      (await state(['install', '--status'])).every((file) => file.state === 'not installed'),
    ).toBe(true)
  })

  it('takes out only its own part of a file that was changed since', async () => {
    putConfigurations()
    await state(['install', 'claude-code', 'codex'])
    const settings = JSON.parse(place().read('.claude/settings.json'))
    put('.claude/settings.json', JSON.stringify({ ...settings, theme: 'dark' }))
    put('.codex/config.toml', `${place().read('.codex/config.toml')}[tui]\nnotifications = true\n`)
    await state(['uninstall', 'claude-code', 'codex'])
    expect(JSON.parse(place().read('.claude/settings.json'))).toEqual({
      ...JSON.parse(SETTINGS),
      theme: 'dark',
    })
    expect(place().read('.codex/config.toml')).toBe(
      'model = "gpt-5.6"\n[tui]\nnotifications = true\n',
    )
  })

  it('changes nothing where a file cannot be read as what it should be', async () => {
    put('.claude/settings.json', '{ "model": // a comment\n "opus" }')
    const { status, stderr } = await place().precis(['install', 'claude-code'])
    expect(status).toBe(1)
    expect(stderr).toContain('is not a JSON object')
    expect(place().read('.claude/settings.json')).toContain('a comment')
    expect((await place().precis(['install', 'claude-cod'])).stderr).toContain(
      'Did you mean claude-code?',
    )
  })

  it('writes no file where another one of the same agents cannot be changed', async () => {
    putConfigurations()
    put('.claude.json', 'not JSON')
    put('.pi/agent/extensions/precis.js', '// my own\n')
    const before = configuration()
    for (const agents of [['claude-code'], ['codex', 'pi']]) {
      const { status, stderr } = await place().precis(['install', ...agents])
      expect(status).toBe(1)
      expect(stderr).toContain('Nothing was changed.')
    }
    await place().precis(['uninstall', 'pi'])
    expect(configuration()).toEqual(before)
    expect(place().read('.pi/agent/extensions/precis.js')).toBe('// my own\n')
  })

  it('writes a hook that a shell runs from a folder of any name', () => {
    const command = [process.execPath, join(place().folder, 'a b"$(touch c)`d`\\e', 'precis.js')]
    const [file] = listHostFiles('claude-code', { command, home: place().folder, environment: {} })
    const { hooks } = JSON.parse(file?.add(undefined) ?? '')
    const [{ command: line }] = hooks.SessionEnd[0].hooks
    mkdirSync(dirname(command[1] ?? ''))
    writeFileSync(command[1] ?? '', 'console.log(process.argv.slice(2).join())')
    expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe('hook,claude-code\n')
    expect(file?.remove(file.add('{}'), '{}')).toBe('{}')
  })

  it('names the plug-in by its path, also in a folder with a space', () => {
    const root = join(place().folder, 'a b')
    symlinkSync(fileURLToPath(new URL('../..', import.meta.url)), root)
    const from = pathToFileURL(join(root, 'src/cli/hosts/host-files.ts')).href
    const where = { command: ['node', 'precis'], home: root, environment: {} }
    const script = `const { listHostFiles } = await import(${JSON.stringify(from)})
      console.log(listHostFiles('pi', ${JSON.stringify(where)})[0].add(undefined))`
    const args = ['--preserve-symlinks', '--input-type=module', '--eval', script]
    const written = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 })
    expect(written).toContain(`from ${JSON.stringify(join(root, 'src/hosts/pi.ts'))}`)
  })

  it.each([
    ['model = "gpt-5.6\n[tui]\n', 1, 'a text is not closed'],
    ['[tui\nnotifications = true\n', 1, 'a table is not closed'],
    ['model = "a"\nargs = [1, 2\n[tui]\n', 3, 'a comma is missing in a list'],
    ['model = "a"\nargs = ["x",\n', 2, 'a list is not closed'],
    ['# a comment\n\nmodel\n', 3, 'a line is neither'],
    ['model = \n', 1, 'a value is missing'],
    ['model = "a" "b"\n', 1, 'something stands behind'],
    ['notes = """\nnever closed\n', 1, 'a text is not closed'],
  ])('leaves a config.toml of Codex that is broken: %j', async (text, line, why) => {
    put('.codex/config.toml', text)
    const { status, stderr } = await place().precis(['install', 'codex'])
    expect(status).not.toBe(0)
    expect(stderr).toContain(`config.toml is broken at line ${line}: ${why}`)
    expect(stderr).toContain('Nothing was changed.')
    expect(place().read('.codex/config.toml')).toBe(text)
    expect(existsSync(join(place().folder, '.codex/hooks.json'))).toBe(false)
  })

  it.each([
    'a."b c".d = 1\n[[x.y]] # z\nt = { a = 1, b = [ { c = "}" } ] }\n',
    'when = 1979-05-27 07:32:00Z\nn = [\n  1, # one\n  0xff, -1.5e3, inf,\n]\n',
    "text = '''\nit's\n''''\nother = \"\"\"a \\\"\"\" b\"\"\"\nempty = ''\r\n",
  ])('takes every form of TOML: %j', async (text) => {
    put('.codex/config.toml', text)
    await state(['install', 'codex'])
    expect(place().read('.codex/config.toml').startsWith(text)).toBe(true)
    await state(['uninstall', 'codex'])
    expect(place().read('.codex/config.toml')).toBe(text)
  })

  it('shows by --dry-run what it would write', async () => {
    put('.codex/config.toml', 'model = "gpt-5.6"\n')
    const { stdout } = await place().precis(['install', 'codex', '--dry-run'])
    expect(stdout).toContain('    + [mcp_servers.precis]\n')
    expect(stdout).not.toContain('model')
    expect(place().read('.codex/config.toml')).toBe('model = "gpt-5.6"\n')
  })

  it('installs for one project', async () => {
    mkdirSync(join(place().folder, 'project'))
    const cwd = join(place().folder, 'project')
    await place().json(['install', 'claude-code', '--project'], { cwd })
    expect(existsSync(join(cwd, '.claude/settings.local.json'))).toBe(true)
    expect(existsSync(join(place().folder, '.claude'))).toBe(false)
    await place().json(['uninstall', 'claude-code', '--project'], { cwd })
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('precis install beside the work of others', () => {
  const config = () => place().read('.codex/config.toml')
  const stateOf = async (args: string[], name: string) =>
    (await state(args)).find(({ path }) => path.endsWith(name))?.state

  it('leaves tables that Codex wrote before the closing comment', async () => {
    put('.codex/config.toml', 'model = "gpt-5.6"\n')
    await state(['install', 'codex'])
    const features = '\n# of the user\n[features]\nx = true\n'
    put('.codex/config.toml', config().replace('# <<< precis', `${features}# <<< precis`))
    await state(['uninstall', 'codex'])
    expect(config()).toBe(`model = "gpt-5.6"\n${features}`)
  })

  it('knows its table without the comments, and its sub-tables', async () => {
    put('.codex/config.toml', 'model = "gpt-5.6"\n')
    await state(['install', 'codex'])
    const other = '[mcp_servers.other]\ncommand = "x"\nargs = ["/y/precis.js"]\n'
    const moved = `${config().replace('# >>> precis\n', '')}[mcp_servers.precis.env]\nA = "b"\n${other}`
    put('.codex/config.toml', moved)
    await state(['install', 'codex'])
    expect(config().match(/^\[mcp_servers\.precis\]$/gm)).toHaveLength(1)
    expect(config().match(/precis\.env|# <<< precis/g)).toHaveLength(1)
    put('.codex/config.toml', moved)
    expect(await stateOf(['uninstall', 'codex'], 'config.toml')).toBe('not installed')
    expect(config()).toBe(`model = "gpt-5.6"\n${other}`)
  })

  /** As Codex itself writes it once the user trusts the hooks. */
  const trusted = (...places: string[]) =>
    `\n[hooks.state]\n${places
      .map(
        (at) => `\n[hooks.state."${place().folder}/.codex/hooks.json:${at}"]\ntrusted_hash = "x"\n`,
      )
      .join('')}`
  const OWN_HOOKS = ['pre_compact:0:0', 'session_start:0:0', 'session_end:0:0']

  it.each([
    ['a file', 'model = "gpt-5.6"\n\n# mine\n[tui]\n\nnotifications = true'],
    ['no file', undefined],
  ])('leaves no trace of the trust in its hooks, where there was %s', async (_, text) => {
    if (text !== undefined) put('.codex/config.toml', text)
    const before = configuration()
    await state(['install', 'codex'])
    put(
      '.codex/config.toml',
      config().replace('# <<< precis', `${trusted(...OWN_HOOKS)}# <<< precis`),
    )
    expect(await stateOf(['install', '--status'], 'config.toml')).toBe('installed')
    expect((await state(['install', 'codex'])).some(({ isChanged }) => isChanged)).toBe(false)
    expect(config()).toContain('hooks.state')
    await state(['uninstall', 'codex'])
    expect(configuration()).toEqual(before)
  })

  it('leaves the trust in hooks of the user', async () => {
    const mine = { hooks: [{ type: 'command', command: 'echo mine' }] }
    put('.codex/hooks.json', JSON.stringify({ hooks: { PreCompact: [mine], Stop: [mine] } }))
    const own = trusted('pre_compact:0:0', 'stop:0:0')
    put('.codex/config.toml', own)
    await state(['install', 'codex'])
    const [, ...others] = OWN_HOOKS
    const ours = trusted('pre_compact:1:0', ...others).replace('\n[hooks.state]\n', '')
    put('.codex/config.toml', `${config()}${ours}`)
    await state(['uninstall', 'codex'])
    expect(config()).toBe(own)
  })

  it('shows every agent where one file cannot be read, and doctor names each', async () => {
    await state(['install', 'pi', 'codex'])
    put('.claude/settings.json', 'not JSON')
    put('.codex/hooks.json', '{}')
    const files = await state(['install', '--status'])
    expect(files.map((file) => `${file.host} ${file.state}`)).toEqual([
      'claude-code unreadable',
      'claude-code not installed',
      'codex not installed',
      'codex installed',
      'opencode not installed',
      'opencode not installed',
      'pi installed',
    ])
    expect((await place().precis(['install', '--status'])).stdout).toContain('is not a JSON object')
    const { status, stdout } = await place().precis(['doctor'])
    expect(status).toBe(1)
    expect(stdout).toMatch(/✗ agents +claude-code: .*settings\.json is not a JSON object/)
    expect(stdout).toMatch(/· agents +codex: only a part is installed/)
    expect(stdout).toMatch(/· agents +opencode: not installed/)
    expect(stdout).toMatch(/✓ agents +pi: installed/)
    expect(stdout).toMatch(/✓ hooks +no failures/)
    expect(stdout).toMatch(/^1 problem, \d+ notes\. /m)
    put('.claude/settings.json', '{}')
    expect((await place().precis(['doctor'])).stdout).toMatch(/^No problems, \d+ notes\. /m)
  })

  it('reads the table as other programs write it', async () => {
    const own = `[ mcp_servers . "precis" ] # mine\r\nargs = [\r\n  '/a/precis',\r\n  "mcp",\r\n]\r\n`
    put('.codex/config.toml', `a = 1\r\n${own}[tui]\r\n`)
    await state(['uninstall', 'codex'])
    expect(config()).toBe('a = 1\r\n[tui]\r\n')
  })

  it.each([
    ['a table', '[mcp_servers.precis]\ncommand = "npx"\nargs = ["precis", "mcp"]\n'],
    ['a key', '[mcp_servers]\nprecis = { command = "precis", args = ["mcp"] }\n'],
    ['a dotted key', 'mcp_servers.precis.command = "precis"\n'],
    ['an inline table', 'mcp_servers = { precis = { command = "precis" } }\n'],
  ])('refuses where Codex has an entry of the user, as %s', async (_, text) => {
    put('.codex/config.toml', text)
    const before = configuration()
    const { status, stderr } = await place().precis(['install', 'codex'])
    expect(status).toBe(1)
    expect(stderr).toContain('has an MCP server precis that précis did not write')
    await state(['uninstall', 'codex'])
    expect(configuration()).toEqual(before)
  })

  it.each([
    [
      'claude-code',
      '.claude.json',
      { mcpServers: { precis: { command: 'npx', args: ['precis', 'mcp'] } } },
    ],
    [
      'opencode',
      '.config/opencode/opencode.json',
      { mcp: { precis: { command: ['precis', 'mcp'] } } },
    ],
  ])('refuses where %s has an entry of the user', async (host, file, value) => {
    put(file, JSON.stringify(value))
    const before = configuration()
    const { status, stderr } = await place().precis(['install', host])
    expect(status).toBe(1)
    expect(stderr).toContain('has an MCP server precis that précis did not write')
    await state(['uninstall', host])
    expect(configuration()).toEqual(before)
  })

  it('puts back an entry by hand that looks like its own', async () => {
    const entry = { command: 'node', args: ['/my/precis.js', 'mcp'], env: { A: 'b' } }
    put('.claude.json', JSON.stringify({ mcpServers: { precis: entry } }))
    put('.codex/config.toml', '[mcp_servers.precis]\nargs = ["/my/precis.js", "mcp"]\n')
    const before = configuration()
    await state(['install', 'claude-code', 'codex'])
    expect(place().read('.claude.json')).not.toContain('/my/precis.js')
    expect(config().match(/\[mcp_servers\.precis\]/g)).toHaveLength(1)
    const again = await state(['install', 'claude-code', 'codex'])
    expect(again.every((file) => !file.isChanged && file.state === 'installed')).toBe(true)
    await state(['uninstall', 'claude-code', 'codex'])
    expect(configuration()).toEqual(before)
  })

  it("leaves a hook of the user that stands in the same group as précis's", async () => {
    await state(['install', 'claude-code'])
    const settings = JSON.parse(place().read('.claude/settings.json'))
    const mine = { type: 'command', command: 'echo mine' }
    settings.hooks.SessionStart[0].hooks.push(mine)
    put('.claude/settings.json', JSON.stringify(settings))
    await state(['uninstall', 'claude-code'])
    expect(JSON.parse(place().read('.claude/settings.json'))).toEqual({
      hooks: { SessionStart: [{ matcher: 'compact', hooks: [mine] }] },
    })
  })

  it('leaves no folder that it made for several files', async () => {
    const before = configuration()
    await state(['install', '--all'])
    await state(['uninstall', '--all'])
    expect(configuration()).toEqual(before)
  })
})

describe('a hook', () => {
  const session = () => {
    const rule = { role: 'user', content: 'Never touch the migrations folder.' }
    const record = {
      type: 'user',
      uuid: 'z',
      parentUuid: null,
      sessionId: 's',
      cwd: place().folder,
      message: rule,
    }
    put('talk.jsonl', `${JSON.stringify(record)}\n`)
    return join(place().folder, 'talk.jsonl')
  }
  const run = (host: string, input: object) =>
    place().precis(['hook', host], { input: JSON.stringify({ cwd: place().folder, ...input }) })

  it('hands the constraints of the user to the compaction, and to the model behind it', async () => {
    const transcript_path = session()
    const before = await run('claude-code', { hook_event_name: 'PreCompact', transcript_path })
    expect(before).toMatchObject({ status: 0, stderr: '' })
    expect(before.stdout).toContain('- Never touch the migrations folder.')
    for (const host of ['claude-code', 'codex']) {
      const after = await run(host, {
        hook_event_name: 'SessionStart',
        source: 'compact',
        transcript_path,
      })
      const { hookSpecificOutput } = JSON.parse(after.stdout)
      expect(hookSpecificOutput.hookEventName).toBe('SessionStart')
      expect(hookSpecificOutput.additionalContext).toContain('Never touch the migrations folder.')
    }
  })

  it.each(['PreCompact', 'SessionEnd'])(
    'of Codex brings the store up to date: %s',
    async (event) => {
      const text = readFileSync(sample('sessions/codex.jsonl'), 'utf8')
      put('.codex/sessions/rollout-x.jsonl', text.replaceAll('/kettle', place().folder))
      const transcript_path = join(place().folder, '.codex/sessions/rollout-x.jsonl')
      const ran = await run('codex', { hook_event_name: event, transcript_path })
      expect(ran).toEqual({ status: 0, stdout: '', stderr: '' })
      expect(await place().json(['sync'])).toMatchObject({ sessions: 1, unchanged: 1 })
    },
  )

  it('hands over the pins of the thread of its session', async () => {
    put('.codex/sessions/rollout-x.jsonl', readFileSync(sample('sessions/codex.jsonl'), 'utf8'))
    const { threads } = await place().json<{ threads: { threadId: string }[] }>(['sync'])
    await place().json(['pins', threads[0]?.threadId ?? '', '--add', 'The port is 4321.'])
    const transcript_path = join(place().folder, '.codex/sessions/rollout-x.jsonl')
    const { stdout } = await run('claude-code', { hook_event_name: 'PreCompact', transcript_path })
    expect(stdout).toContain('The port is 4321.')
  })

  it.each([
    ['no JSON', 'nonsense'],
    [
      'a missing file',
      JSON.stringify({ hook_event_name: 'PreCompact', transcript_path: '/nowhere/x' }),
    ],
  ])('never fails, and doctor shows why: %s', async (_, input) => {
    expect(await place().precis(['hook', 'claude-code'], { input })).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
    const { stdout } = await place().precis(['doctor'])
    expect(stdout).toMatch(/hooks .*hook claude-code/)
  })
})

describe('precis mcp', () => {
  it.each(['4748', 'x'])('refuses --port %s without --http', async (port) => {
    const { status, stdout, stderr } = await place().precis(['mcp', '--port', port])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('--port needs --http')
  })
})
