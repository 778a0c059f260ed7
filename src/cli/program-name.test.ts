// The name under which précis tells people to type its commands.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMAND_TABLE } from './main.ts'
import { asTyped, programName, type Start } from './program-name.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-name-'))
  writeFileSync(join(folder, 'precis'), '')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CHECKOUT = '/srv/precis'
const FILE = `${CHECKOUT}/bin/precis.js`
const LINK = '/srv/app/node_modules/.bin/precis'

const STARTS: readonly (readonly [string, Partial<Start>, string])[] = [
  ['a link on the PATH', { script: '/usr/bin/precis' }, 'precis'],
  [
    'npm start in the checkout',
    {
      script: FILE,
      environment: { npm_lifecycle_event: 'start', npm_package_name: 'precis' },
    },
    'npx precis',
  ],
  [
    'a script of another project',
    { script: LINK, environment: { npm_lifecycle_event: 'tidy', npm_package_name: 'app' } },
    'npx precis',
  ],
  ['npx', { script: LINK, environment: { npm_lifecycle_event: 'npx' } }, 'npx precis'],
  [
    'npx with a Node of its own',
    { script: FILE, environment: { npm_lifecycle_event: 'npx' } },
    'npx node bin/precis.js',
  ],
  ['its file', { script: FILE }, 'node bin/precis.js'],
  ['its file, from elsewhere', { script: FILE, cwd: '/tmp' }, `node ${FILE}`],
  [
    'its file, by another Node than that on the PATH',
    { script: FILE, node: process.execPath },
    `${process.execPath} bin/precis.js`,
  ],
  [
    'its file, by the Node on the PATH',
    { script: FILE, node: process.execPath, environment: { PATH: dirname(process.execPath) } },
    'node bin/precis.js',
  ],
  ['a program that uses it', { script: '/srv/app/main.js' }, 'precis'],
]

describe('programName', () => {
  it.each(STARTS)('started by %s', (_how, start, name) => {
    const nowhere = { PATH: join(folder, 'none'), ...start.environment }
    expect(programName({ script: '', cwd: CHECKOUT, ...start, environment: nowhere })).toBe(name)
  })

  it('is the plain name where that can be typed', () => {
    const environment = { PATH: `/bin:${folder}` }
    expect(programName({ script: FILE, cwd: CHECKOUT, environment })).toBe('precis')
  })
})

describe('asTyped', () => {
  it.each(COMMAND_TABLE.map(([name]) => name))('knows %s', (name) => {
    expect(asTyped(`precis ${name}`, 'npx p')).toBe(`npx p ${name}`)
  })

  it('changes commands, and nothing else', () => {
    expect(asTyped('precis threads lists them. See precis --help; precis is small.', 'npx p')).toBe(
      'npx p threads lists them. See npx p --help; precis is small.',
    )
    for (const name of ['npx precis', 'node bin/precis.js'])
      expect(asTyped(`${name} threads`, name)).toBe(`${name} threads`)
  })
})
