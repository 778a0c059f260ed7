// Where settings are read from: files of the user and the project, the environment, flags.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_STRATEGY } from '../../core/settings/settings-schema.ts'
import { projectFile, stateFolder, userFile } from './places.ts'
import { loadSettings } from './settings.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-settings-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function write(path: string, text: string): string {
  const file = join(folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

function load(more: { flags?: unknown; environment?: Record<string, string> } = {}) {
  const cwd = join(folder, 'project', 'deep', 'down')
  mkdirSync(cwd, { recursive: true })
  const environment = { XDG_CONFIG_HOME: join(folder, 'config'), ...more.environment }
  return loadSettings({ cwd, environment, ...('flags' in more && { flags: more.flags }) })
}

describe('the layers', () => {
  it('are none where there is nothing', () => {
    expect(load().origins.strategy).toEqual({ value: DEFAULT_STRATEGY, origin: 'default' })
  })

  it('are read in order: user, project, environment, flag', () => {
    const values = JSON.stringify({ strategy: 'a', counter: 'chars4', gate: { minTokens: 1 } })
    const user = write('config/precis/settings.json', values)
    const project = write('project/.precis/settings.json', '{"strategy": "b", "counter": "o200k"}')
    const { settings, origins } = load({
      environment: { PRECIS_STRATEGY: 'c' },
      flags: { strategy: 'd' },
    })
    expect(settings).toMatchObject({ strategy: 'd', counter: 'o200k', gate: { minTokens: 1 } })
    expect(origins.strategy).toEqual({ value: 'd', origin: 'flag', where: '--strategy' })
    expect(origins.counter).toEqual({ value: 'o200k', origin: 'project', where: project })
    expect(origins['gate.minTokens']).toEqual({ value: 1, origin: 'user', where: user })
    expect(load({ environment: { PRECIS_STRATEGY: 'c' } }).origins.strategy?.value).toBe('c')
    expect(load().origins.strategy?.value).toBe('b')
  })

  it('take the nearest project file', () => {
    write('project/.precis/settings.json', '{"strategy": "far"}')
    const near = write('project/deep/.precis/settings.json', '{"strategy": "near"}')
    expect(load().origins.strategy).toMatchObject({ value: 'near', where: near })
    expect(projectFile(folder)).toBeUndefined()
  })

  it('treat a blank file as no settings', () => {
    write('project/.precis/settings.json', ' \n')
    expect(load().origins.strategy?.origin).toBe('default')
  })

  it('follow XDG_CONFIG_HOME', () => {
    const file = userFile({ XDG_CONFIG_HOME: join(folder, 'x') })
    expect(file).toBe(join(folder, 'x', 'precis', 'settings.json'))
    expect(userFile({})).toContain('precis')
  })
})

describe('what is wrong in a file', () => {
  const cases: readonly (readonly [string, string, object])[] = [
    ['not JSON', '{\n  "strategy": }', { message: expect.stringContaining('not JSON') }],
    [
      'cut off',
      '{\n"gate": {',
      { where: expect.stringMatching(/settings\.json, line 2, column 10$/) },
    ],
    ['an unknown key', '{"strategi": 1}', { hint: 'Did you mean strategy?' }],
    [
      'a wrong type',
      '{"gate": {"minTokens": "x"}}',
      { message: expect.stringMatching(/^gate.min/) },
    ],
    ['an array', '[]', { message: 'the settings: expected an object, got []' }],
  ]
  for (const [name, text, expected] of cases)
    it(`is located where the file is the user's: ${name}`, () => {
      write('project/.precis/settings.json', '{"strategi": 1}')
      const file = write('config/precis/settings.json', text)
      expect(() => load()).toThrow(
        expect.objectContaining({
          code: 'invalid-settings',
          where: expect.stringContaining(file),
          ...expected,
        }),
      )
    })

  it('says that a folder is no file', () => {
    mkdirSync(join(folder, 'config', 'precis', 'settings.json'), { recursive: true })
    expect(() => load()).toThrow(expect.objectContaining({ code: 'file-unreadable' }))
  })
})

describe('the folder for state', () => {
  const stateAt = (PRECIS_HOME: string) =>
    stateFolder({ cwd: folder, environment: { PRECIS_HOME } })

  it('begins in the working directory where its path is relative', async () => {
    expect(await stateAt('state')).toBe(join(folder, 'state'))
  })

  it('is made for its owner alone', async () => {
    const home = await stateAt(join(folder, 'a', 'b'))
    expect(home).toBe(join(folder, 'a', 'b'))
    expect(statSync(home).mode & 0o777).toBe(0o700)
    expect(await stateAt(home)).toBe(home)
  })

  it('says so where it cannot be made', async () => {
    const file = write('file', '')
    await expect(stateAt(join(file, 'x'))).rejects.toMatchObject({
      code: 'file-unwritable',
      hint: expect.stringContaining('PRECIS_HOME'),
    })
  })
})
