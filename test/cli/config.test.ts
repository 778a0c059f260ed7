// `precis config`, `precis doctor`, `precis completion` and `precis start`, as people run them.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildProgram } from '../../src/cli/main.ts'
import { processIo } from '../../src/cli/process-io.ts'
import { SETTING_KEYS } from '../../src/core/settings/settings.ts'
import { within } from '../wait.ts'
import { eachPlace, messages, ROOT } from './place.ts'

const place = eachPlace()

function projectSettings(settings: unknown): void {
  mkdirSync(join(place().folder, '.precis'), { recursive: true })
  writeFileSync(join(place().folder, '.precis', 'settings.json'), JSON.stringify(settings))
}

function userSettings(settings: unknown): void {
  mkdirSync(join(place().folder, '.config', 'precis'), { recursive: true })
  const file = join(place().folder, '.config', 'precis', 'settings.json')
  writeFileSync(file, JSON.stringify(settings))
}

describe('precis config', () => {
  it('shows every setting, its value and where it is from [NEED-17]', async () => {
    projectSettings({ strategy: 'summarize', auto: { absoluteTokens: 90_000 } })
    const env = { PRECIS_COUNTER: 'o200k', PRECIS_AUTO_RESERVE_TOKENS: '20000' }
    const told = await place().json<{ settings: { key: string }[] }>(['config'], { env })
    expect(told.settings.map(({ key }) => key)).toEqual(SETTING_KEYS)
    for (const expected of [
      { key: 'strategy', value: 'summarize', origin: 'project' },
      { key: 'auto.absoluteTokens', value: 90_000, origin: 'project' },
      { key: 'auto.reserveTokens', value: 20_000, origin: 'environment' },
      { key: 'counter', value: 'o200k', origin: 'environment', where: 'PRECIS_COUNTER' },
      { key: 'auto.threshold', value: 0.8, origin: 'default', where: 'preset precis' },
      { key: 'models.default', value: null, origin: 'default' },
    ])
      expect(told.settings).toContainEqual(expect.objectContaining(expected))
    const { stdout } = await place().precis(['config'], { env })
    expect(stdout).toMatch(/^strategy +summarize {2}project: .*settings\.json$/m)
    expect(stdout).toContain(join(place().folder, '.home'))
    expect(existsSync(place().home)).toBe(false)
  })

  it('prints a JSON schema, and a file that names it is read', async () => {
    const schema = JSON.parse((await place().precis(['config', '--schema'])).stdout)
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(schema.properties.protect.properties.paths.type).toBe('array')
    projectSettings({ $schema: './precis.schema.json', counter: 'chars4' })
    expect((await place().precis(['config'])).stdout).toMatch(/^counter +chars4/m)
  })

  it('refuses an unknown key with the nearest one', async () => {
    userSettings({ protct: {} })
    const { status, stderr } = await place().precis(['config'])
    expect(status).toBe(2)
    expect(stderr).toMatch(/protct is not a setting\n {2}where: .*\n {2}hint: Known settings: /)
    userSettings({ auto: { treshold: 0.5 } })
    expect((await place().precis(['config'])).stderr).toContain('Did you mean auto.threshold?')
  })

  it('refuses a strategy and a model that there is none of, and says where it is set', async () => {
    userSettings({ strategy: 'cascad' })
    const { status, stderr } = await place().precis(['config'])
    expect(status).toBe(2)
    expect(stderr).toMatch(
      /: cascad\n {2}where: .*settings\.json\n {2}hint: Did you mean cascade\?/,
    )
    userSettings({})
    projectSettings({ models: { fast: 'nonsense' } })
    const wrong = await place().precis(['config', '--trust-folder'])
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toMatch(/models\.fast: "nonsense" names no model.*\n {2}where: .*\.json/)
  })
})

describe('precis doctor', () => {
  it('finds nothing wrong where nothing is, shows no key, and points to the page [LOG-89]', async () => {
    const env = { ANTHROPIC_API_KEY: 'sk-ant-secret-1234567890', LANG: 'C.UTF-8' }
    const { status, stdout, stderr } = await place().precis(['doctor'], { env })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    for (const check of ['node', 'settings', 'state', 'store', 'keys', 'terminal'])
      expect(stdout).toMatch(new RegExp(`^✓ ${check}`, 'm'))
    expect(stdout).toContain('anthropic (ANTHROPIC_API_KEY)')
    expect(stdout).not.toContain('secret')
    expect(stdout).toContain('More help: docs/troubleshooting.md')
    const page = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8')
    for (const topic of ['strategy', 'counts', 'summary'])
      expect(page).toMatch(new RegExp(`^## .*${topic}`, 'im'))
  })

  const faults: readonly (readonly [string, () => Record<string, string>, string, RegExp])[] = [
    ['a wrong setting', () => ({ PRECIS_COUNTER: 'abacus' }), 'settings', /Set it to estimate/],
    ['no such strategy', () => ({ PRECIS_STRATEGY: 'cascad' }), 'settings', /mean cascade\?/],
    ['no such provider', () => ({ PRECIS_MODELS_DEFAULT: 'no/x' }), 'settings', /^Providers: /],
    [
      'a folder that cannot be made',
      () => ({ PRECIS_HOME: join(place().folder, place().write('file', ''), 'x') }),
      'state',
      /PRECIS_HOME/,
    ],
    [
      'a model whose key is missing',
      () => ({ PRECIS_MODELS_DEFAULT: 'openai/gpt-5' }),
      'keys',
      /OPENAI_API_KEY/,
    ],
    [
      'a local model that does not answer',
      () => ({ PRECIS_MODELS_DEFAULT: 'ollama/x', OLLAMA_BASE_URL: 'http://127.0.0.1:9' }),
      'ollama',
      /ollama serve/,
    ],
    ['a locale without UTF-8', () => ({ LANG: 'C' }), 'terminal', /UTF-8/],
  ]
  it.each(faults)('says the fix: %s', async (_, env, check, fix) => {
    const { status, stdout } = await place().precis(['doctor', '--json'], { env: env() })
    expect(status).toBe(1)
    const { findings } = JSON.parse(stdout)
    const found = findings.filter(({ state }: { state: string }) => state === 'fault')
    expect(found).toMatchObject([{ check, fix: expect.stringMatching(fix) }])
  })

  it('says so where others can look into the folder', async () => {
    mkdirSync(place().home)
    chmodSync(place().home, 0o755)
    const { status, stdout } = await place().precis(['doctor'])
    expect(status).toBe(1)
    expect(stdout).toContain('→ Run chmod 700')
  })

  it('finds models on this machine, and asks nobody else', async () => {
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ models: [{ name: 'qwen3:8b' }], data: [{ id: 'gemma' }] })),
    ).listen(0, '127.0.0.1')
    await within('the server to listen', once(server, 'listening'))
    const { port } = server.address() as AddressInfo
    const env = {
      OLLAMA_BASE_URL: `http://127.0.0.1:${port}`,
      LMSTUDIO_BASE_URL: 'http://models.example:1234/v1',
    }
    const { stdout } = await place().precis(['doctor'], { env })
    server.close()
    expect(stdout).toMatch(/✓ ollama +Ollama answers at 127\.0\.0\.1:\d+: qwen3:8b/)
    expect(stdout).not.toContain('lmstudio')
  })
})

describe('precis start', () => {
  it('compacts the sample, shows the report and what to try next, and changes nothing', async () => {
    const { status, stdout, stderr } = await place().precis(['start'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('This is the sample session')
    expect(stdout).toMatch(/total +[\d,]+ +[\d,]+ {3}−\d+ %/)
    expect(stdout).toMatch(/Next:\n {2}precis compact .*samples\/session\.jsonl (?:\\\n {4})?--out/)
    expect(place().left()).toEqual([])
  })

  it('takes a file or a thread in its place, and leaves both as they are', async () => {
    place().write('in.json', messages())
    expect((await place().precis(['start', 'in.json'])).stdout).toContain(
      'précis · in.json (anthropic)',
    )
    const [{ threadId = '' } = {}] = await place().json<{ threadId?: string }[]>([
      'import',
      'in.json',
    ])
    const told = await place().json<{ result: { proposal: string } }>(['start', threadId])
    expect(told.result.proposal).toMatch(/^prp_/)
    expect((await place().precis(['undo', threadId])).stderr).toContain(
      'There is no compaction to undo',
    )
  })
})

const SHELLS = ['bash', 'zsh', 'fish'].filter(
  (shell) => spawnSync('sh', ['-c', `command -v ${shell}`]).status === 0,
)

describe('precis completion', () => {
  it.each(SHELLS)('prints a script that %s can read', async (shell) => {
    const { stdout } = await place().precis(['completion', shell])
    place().write('script', stdout)
    const { status, stderr } = spawnSync(shell, ['-n', 'script'], {
      cwd: place().folder,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it.each(['bash', 'zsh', 'fish'])('knows every command and every option in %s', async (shell) => {
    const { commands } = await buildProgram(processIo(), () => true)
    expect(commands.length).toBeGreaterThan(20)
    const { script } = await place().json<{ script: string }>(['completion', shell])
    const words = new Set(script.match(/[\w-]+/g)?.map((word) => word.replace(/^--/, '')))
    for (const command of commands) {
      const options = command.options.filter(({ hidden }) => !hidden)
      for (const word of [command.name(), ...options.map((option) => option.long ?? '')])
        expect(words, `${command.name()} ${word}`).toContain(word.replace(/^--/, ''))
    }
  })
})
