// Hostile callers: no surface that shows settings or addresses depends on the password in them.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { asPrecisError } from '../../src/core/errors.ts'
import { resolveSettings } from '../../src/core/settings/settings.ts'
import { shownAddress } from '../../src/core/text/address.ts'
import { openStore } from '../../src/stores/open-store.ts'
import { readAddress } from '../../src/stores/postgres/connection.ts'
import { storeFailure } from '../../src/stores/postgres/failures.ts'
import { Random } from '../generate/random.ts'
import { shuffled } from '../generate/ranges.ts'
import { SEED, scaled } from '../scale.ts'
import { temporaryFolder } from '../server/folder.ts'
import { environmentOf } from '../server/serve-child.ts'
import { setUpApp } from '../server/setup.ts'

const TRIES = scaled(2_000, 200)
const PRECIS = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))

/** Those that once came through, then random ones. */
const LISTED = [
  ...['a', 'x1', 'word', 'password', 'postgres', 'host', 'true', 'null'],
  ...['p@ss', 'a@b@c', "it's", 'say"so', 'a<b', '$ecret', '%41', '{x}', '(x)', '[x]', '<x>'],
  ...['5432/x', '5432?x', '5432#x', 'a:b', 'a b', 'a&b=c', 'a=b', 'ä€😀', '\\', '\t', '%', '%zz'],
  ...['x@host/db', 'x@evil:1/db?schema=a', '//', '@', ':', 'a,b', '***', '…', '[redacted]'],
]

/** Where a password stands in an address, and how it is written there. */
const FORMS: Readonly<Record<string, (written: string) => string>> = {
  userinfo: (written) => `postgres://me:${written}@db.example:5433/app`,
  'without a user': (written) => `postgresql://:${written}@db.example/app?sslmode=require`,
  parameter: (written) => `postgres://me@db.example/app?password=${written}&schema=team`,
  'behind an encoded colon': (written) => `postgres://me%3A${written}@db.example:5433/app`,
  'several hosts': (written) => `postgres://me:${written}@one:1,two:2/app`,
  keywords: (written) => `host=db.example user=me password=${written} dbname=app`,
  quoted: (written) => `host=db.example password = '${written}' dbname=app`,
  'without a scheme': (written) => `me:${written}@db.example/app`,
  'another scheme': (written) => `mysql://me:${written}@db.example/app`,
}

function passwordOf(rng: Random): string {
  const length = rng.int(1, rng.int(1, 24))
  return Array.from({ length }, () => {
    const kind = rng.int(0, 9)
    if (kind === 0) return String.fromCodePoint(rng.int(0xa1, 0x24ff))
    if (kind < 5) return String.fromCharCode(rng.int(97, 122))
    return String.fromCharCode(rng.int(33, 126))
  }).join('')
}

/** What may be shown with any password at all: the parsed address, or only its scheme, or nothing. */
function allowed(form: (written: string) => string): ReadonlySet<string> {
  const text = form('0')
  const scheme = /^[a-z]+:\/\//.exec(text)?.[0] ?? ''
  // A backslash at its end takes the next pair of libpq into the password.
  const shorter = shownAddress(text).replace(/ dbname=app$/, '')
  const bare = `${scheme.replace('//', '')}…`
  return new Set([shownAddress(text), shorter, `${scheme}…`, bare, 'me:…', 'me://…', '…'])
}

/** As it is, and as it should be written. */
function writtenForms(password: string): string[] {
  return [password, encodeURIComponent(password.toWellFormed())]
}

function passwords(): string[] {
  const rng = new Random(SEED)
  return [...LISTED, ...Array.from({ length: TRIES }, () => passwordOf(rng))]
}

describe(`passwords in addresses (seed ${SEED})`, () => {
  it.each(Object.entries(FORMS))('%s: what is shown is the same for all', (_, form) => {
    const shown = allowed(form)
    expect([...shown].join(' ')).not.toContain(':0@')
    for (const password of passwords())
      for (const written of writtenForms(password))
        expect(shown, `seed ${SEED}: ${JSON.stringify(written)}`).toContain(
          shownAddress(form(written)),
        )
  })

  it('a password written as it should be leaves the address readable', () => {
    const shown = 'postgres://me@db.example:5433/app'
    for (const password of passwords()) {
      const written = encodeURIComponent(password.toWellFormed())
      expect(shownAddress(`postgres://me:${written}@db.example:5433/app`)).toBe(shown)
    }
  })

  it('errors of a store that cannot be opened or reached say the same for all', async () => {
    for (const form of Object.values(FORMS)) {
      const told = new Set<string>()
      for (const password of passwords().slice(0, LISTED.length + 200))
        for (const written of writtenForms(password)) {
          const address = form(written)
          try {
            const lost = storeFailure(
              new Error(`no ${password} at ${address}`),
              readAddress(address),
            )
            told.add(`${lost.message} ${lost.where} ${lost.hint} ${JSON.stringify(lost.details)}`)
          } catch (thrown) {
            told.add(asPrecisError(thrown).message)
          }
          if (/^(?:postgres|[a-z]+:\/\/)/.test(address)) continue
          const refused = asPrecisError(await openStore(address).catch((thrown) => thrown))
          told.add(`${refused.message} ${refused.hint} ${refused.where}`)
        }
      // Parsed, or shown by its scheme alone; with details or without; or not read at all.
      expect(told.size, `seed ${SEED}: ${[...told].join('\n')}`).toBeLessThanOrEqual(6)
    }
  })

  it('GET /api/settings shows the same for all', async () => {
    for (const [name, form] of Object.entries(FORMS)) {
      const rng = new Random(SEED)
      const picked = [...LISTED, passwordOf(rng), passwordOf(rng)]
      const written = rng.pick(picked.flatMap(writtenForms))
      const values = {
        store: form(written),
        providers: {
          openai: { baseUrl: `https://me:${encodeURIComponent(written)}@api.example/v1` },
        },
      }
      const { client } = await setUpApp({ values: { ...values } })
      const items = await client.settings()
      const shownOf = (key: string) => items.find((item) => item.key === key)?.value
      expect(allowed(form), `seed ${SEED}, ${name}: ${written}`).toContain(shownOf('store'))
      expect(JSON.stringify(shownOf('providers'))).toBe(
        '{"openai":{"baseUrl":"https://api.example/v1"}}',
      )
    }
  })

  it('a wrong value that may hold a password is not repeated', () => {
    for (const values of [
      { store: { password: 's3cret' } },
      { store: ['s3cret'] },
      { providers: { openai: { apiKey: 's3cret' } } },
      { providers: 's3cret' },
    ]) {
      const layer = { origin: 'user', where: 'file', values } as const
      expect(() => resolveSettings([layer])).toThrow(/expected/)
      expect(() => resolveSettings([layer])).not.toThrow(/s3cret/)
    }
  })
})

describe(`commands that show addresses (seed ${SEED})`, () => {
  const COMMANDS: readonly (readonly string[])[] = [
    ['config'],
    ['config', '--json'],
    ['doctor'],
    ['doctor', '--json'],
    ['threads'],
    ['token', 'list', '--store', 'ADDRESS'],
    ['store', 'check', 'ADDRESS'],
    ['store', 'copy', 'ADDRESS', 'ADDRESS', 'ADDRESS'],
    ['serve', '--host', '0.0.0.0', '--store', 'ADDRESS'],
  ]

  it('print the same for every password', { timeout: 120_000 }, async () => {
    const rng = new Random(SEED)
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'config', 'precis'), { recursive: true })
    const forms = [
      (written: string) => `postgres://me:${written}@127.0.0.1:1/app`,
      FORMS.keywords,
      FORMS['without a scheme'],
    ].filter((form) => form !== undefined)
    const all = COMMANDS.flatMap((command) => forms.map((form) => ({ command, form })))
    for (const { command, form } of shuffled(all, rng).slice(0, scaled(20, 2))) {
      const written = encodeURIComponent(rng.pick([...LISTED, passwordOf(rng)]).toWellFormed())
      const outputs = []
      for (const each of ['0', written]) {
        const address = form(each)
        writeFileSync(
          join(folder, 'config', 'precis', 'settings.json'),
          JSON.stringify({ store: address }),
        )
        outputs.push(
          await outputOf(
            folder,
            command.map((word) => word.replace('ADDRESS', address)),
          ),
        )
      }
      expect(outputs[1], `seed ${SEED}: ${command.join(' ')} with ${form(written)}`).toBe(
        outputs[0],
      )
    }
  })

  it('show none of a project that is not trusted', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, '.precis'))
    const store = 'postgres://me:s3cret@127.0.0.1:1/app'
    const providers = { openai: { baseUrl: 'https://me:s3cret@api.example/v1' } }
    writeFileSync(
      join(folder, '.precis', 'settings.json'),
      JSON.stringify({ store, providers, pins: ['x'] }),
    )
    for (const command of [['config'], ['config', '--json'], ['doctor', '--json']]) {
      const output = await outputOf(folder, command)
      expect(output).toContain('not trusted')
      expect(output).not.toContain('s3cret')
    }
  })

  async function outputOf(folder: string, args: readonly string[]): Promise<string> {
    const options = { cwd: folder, env: environmentOf(folder), timeout: 60_000 }
    const ran = await promisify(execFile)(process.execPath, [PRECIS, ...args], options).catch(
      (thrown: { stdout: string; stderr: string }) => thrown,
    )
    return `${ran.stdout}\n${ran.stderr}`
  }
})
