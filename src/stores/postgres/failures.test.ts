// A server that cannot be reached, lets nobody in, is full, or goes away in the middle: each has its sentence.
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CuttingProxy } from '../../../test/postgres/cutting-proxy.ts'
import { type PostgresPlace, postgresPlace } from '../../../test/postgres/place.ts'
import { type PostgresServer, startPostgres } from '../../../test/postgres/server.ts'
import { requirement } from '../../../test/require.ts'
import { pretendWork, until } from '../../../test/wait.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Store } from '../../core/ports.ts'
import { brief, cancel, expectError, message, messages } from '../contract/place.ts'
import { readAddress } from './connection.ts'
import { isLost, storeFailure } from './failures.ts'
import { openPostgresStore } from './open-postgres.ts'

const { available, notice } = requirement('postgres')
const tmpfs = requirement('tmpfs')

describe('a refused connection', () => {
  const refused = (ip: string) =>
    Object.assign(new Error(`connect ECONNREFUSED ${ip}:1`), { code: 'ECONNREFUSED' })
  const both = [refused('::1'), refused('127.0.0.1')]
  const FORMS: Readonly<Record<string, Error>> = {
    'of one IP address': refused('127.0.0.1'),
    'of several': Object.assign(new AggregateError(both), { code: 'ECONNREFUSED' }),
    'of several, without a code of their own': new AggregateError(both, 'all failed'),
  }

  it.each(Object.entries(FORMS))('%s has the same words, for any password', (_, thrown) => {
    for (const password of ['s3cret', '1', 'E', 'connect', '127.0.0.1', 'REFUSED']) {
      const address = readAddress(`postgres://me:${password}@db.example:1/app`)
      expect(storeFailure(thrown, address)).toMatchObject({
        code: 'unreachable',
        message: 'The store postgres://me@db.example:1/app cannot be reached (ECONNREFUSED).',
        details: { reason: 'ECONNREFUSED', cause: 'ECONNREFUSED' },
        retryable: true,
      })
      expect(isLost(thrown)).toBe(true)
    }
  })
})

describe.skipIf(!available)(`PostgreSQL that fails ${notice}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
    const rules = join(server.folder, 'data', 'pg_hba.conf')
    const locked = 'host all locked 127.0.0.1/32 scram-sha-256\n'
    writeFileSync(rules, `${locked}${readFileSync(rules, 'utf8')}`)
    await server.query(
      'SELECT pg_reload_conf()',
      `CREATE ROLE locked LOGIN PASSWORD 'the right one'`,
      'CREATE ROLE guest LOGIN',
      'CREATE ROLE reader LOGIN',
      'CREATE SCHEMA closed',
    )
  })
  afterAll(() => server.remove())

  const WRONG: Readonly<Record<string, readonly [ErrorCode, (address: string) => string]>> = {
    'a port where nobody listens': ['unreachable', (a) => a.replace(/:\d+\//, ':1/')],
    'a host that nobody knows': ['unreachable', (a) => a.replace('127.0.0.1', 'nowhere.invalid')],
    'a database that is not there': ['not-found', (a) => a.replace('/postgres?', '/none?')],
    'a wrong password': ['auth-failed', (a) => a.replace('postgres@', 'locked:s3cret@')],
    'a user without rights': ['store-readonly', (a) => a.replace('postgres@', 'guest:s3cret@')],
    'a schema of others': [
      'store-readonly',
      (a) => a.replace('postgres@', 'guest@').replace(/schema=.*/, 'schema=closed'),
    ],
    'a certificate that is not there': ['usage', (a) => `${a}&sslrootcert=/nowhere/s3cret.pem`],
    'encryption that the server does not speak': ['tls-failed', (a) => `${a}&sslmode=verify-full`],
  }

  it.each(Object.entries(WRONG))('%s is told at once, without the password', async (_, entry) => {
    const [code, change] = entry
    const address = change(server.address('wrong'))
    const failure = await openPostgresStore(address).then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    expect(failure).toMatchObject({ code, hint: expect.any(String) })
    const told = `${failure?.stack}${JSON.stringify(failure)}${String(failure?.cause)}`
    expect(told.replace('/nowhere/s3cret.pem', '')).not.toContain('s3cret')
  })

  it('a user that may only read is told so, and nothing is written', async () => {
    const place = await postgresPlace(server)
    await place.store.append('t', messages('t', 'a'), { expectedVersion: 0 })
    await server.query(
      `GRANT USAGE ON SCHEMA ${place.schema} TO reader`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${place.schema} TO reader`,
    )
    const reader = await openPostgresStore(server.address(place.schema, 'reader'))
    expect(brief(await reader.read('t'))).toBe('1a')
    const append = reader.append('t', messages('t', 'b'), { expectedVersion: 1 })
    await expectError(append, 'store-readonly')
    await expectError(reader.takeLease('l', 'me', 1000), 'store-readonly')
    expect(brief(await place.store.read('t'))).toBe('1a')
    await reader.close()
    await place.remove()
  })

  it('a server that is away is waited for, and then told; it is used again when it is back', async () => {
    const place = await postgresPlace(server, { retryForMs: 300 })
    await place.store.append('t', messages('t', 'a'), { expectedVersion: 0 })
    await server.stop('immediate')
    const late = place.store.append('t', messages('t', 'b'), { expectedVersion: 1 })
    await expect(late).rejects.toMatchObject({ code: 'unreachable', retryable: true })
    await expectError(place.store.read('t'), 'unreachable')
    await server.start()
    await place.store.append('t', messages('t', 'b'), { expectedVersion: 1 })
    expect(brief(await place.store.read('t'))).toBe('1a 2b')
    await place.remove()
  })

  it('connections that are cut again and again lose nothing and write nothing twice [NEED-13]', async () => {
    const place = await postgresPlace(server)
    const { signal, abort } = cancel()
    const total = 120
    const following = follow(place.store, total, signal)
    const cut = () =>
      server.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'precis'`,
      )
    for (let version = 0; version < total; version += 3) {
      const ids = [0, 1, 2].map((index) => `e${version + index}`)
      const appending = place.store.append('t', messages('t', ...ids), { expectedVersion: version })
      await pretendWork(version % 8) // before, while or after it is written
      await cut()
      expect((await appending).version).toBe(version + 3)
    }
    const ids = Array.from({ length: total }, (_, index) => `e${index}`)
    expect((await place.store.read('t')).map((row) => row.id)).toEqual(ids)
    expect(await following).toEqual(ids)
    abort()
    await place.remove()
  })

  it('a server that crashes in the middle of an append has it as a whole or not at all [NEED-13]', async () => {
    const place = await postgresPlace(server)
    const following = follow(place.store, 400, cancel().signal)
    const rounds = 4
    for (let round = 0; round < rounds; round += 1) {
      const ids = Array.from({ length: 100 }, (_, index) => `${round}.${index}`)
      const append = place.store.append('t', messages('t', ...ids), {
        expectedVersion: round * 100,
      })
      await pretendWork(round) // before, while or after it is written
      await server.stop('immediate')
      await server.start()
      expect(await append).toMatchObject({ version: (round + 1) * 100 })
    }
    const rows = await place.store.read('t')
    expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1))
    expect(new Set(rows.map((row) => row.id)).size).toBe(rounds * 100)
    expect(await following).toEqual(rows.map((row) => row.id))
    await place.remove()
  })

  describe('an answer that does not arrive', () => {
    let proxy: CuttingProxy
    let place: PostgresPlace
    let store: Store
    beforeEach(async () => {
      proxy = new CuttingProxy(server.port)
      const port = await proxy.listen()
      place = await postgresPlace(server)
      store = await openPostgresStore(place.address.replace(`:${server.port}/`, `:${port}/`))
      await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
    })
    afterEach(async () => {
      await store.close()
      await place.remove()
      await proxy.close()
    })

    it('to an append makes it be asked for again, and it is there once [NEED-13]', async () => {
      for (const [version, id] of ['b', 'c', 'd'].entries()) {
        proxy.cutAfter('precis-append-plain')
        const options = { expectedVersion: version + 1 }
        expect(await store.append('t', messages('t', id), options)).toMatchObject({
          version: version + 2,
          repeated: true,
        })
        expect(proxy.hasCut).toBe(true)
      }
      expect(brief(await store.read('t'))).toBe('1a 2b 3c 4d')
    })

    it('to a fork or a lease makes no difference', async () => {
      proxy.cutAfter('COMMIT')
      await store.fork('t', 1, 'f', messages('f', 'x'))
      expect(proxy.hasCut).toBe(true)
      expect(brief(await store.read('f'))).toBe('1a 2x')
      proxy.cutAfter('precis-take-lease')
      expect(await store.takeLease('l', 'me', 60_000)).toBe(true)
      expect(proxy.hasCut).toBe(true)
      expect(await place.store.takeLease('l', 'other', 60_000)).toBe(false)
    })

    it('to a deletion does not delete a later thread of the id', async () => {
      proxy.cutAfter('COMMIT', async () => {
        await place.store.append('t', messages('t', 'new'), { expectedVersion: 0 })
      })
      expect(await store.delete('t')).toBe(true)
      expect(proxy.hasCut).toBe(true)
      expect(brief(await store.read('t'))).toBe('1new')
    })
  })

  it('a follower that no notification reaches catches up by the numbers', async () => {
    const place = await postgresPlace(server, { pollMs: 20 })
    const seen: string[] = []
    const following = follow(place.store, 3, cancel().signal, seen)
    await place.store.append('t', messages('t', 'a'), { expectedVersion: 0 })
    await server.query(
      `INSERT INTO ${place.schema}.events SELECT thread_key, seq + 1, id || 'b', v, type, "timestamp",
       data, origin, source FROM ${place.schema}.events`,
      `UPDATE ${place.schema}.threads SET version = 2`,
    )
    await until('the row that no notification told of', () => seen.length === 2)
    await place.store.append('t', messages('t', 'c'), { expectedVersion: 2 })
    expect(await following).toEqual(['a', 'ab', 'c'])
    await place.remove()
  })

  describe.skipIf(!tmpfs.available)(`with a full disk ${tmpfs.notice}`, () => {
    it('refuses what does not fit, keeps all else, and takes more when there is space', async () => {
      const folder = join(server.folder, 'small')
      mkdirSync(folder)
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder])
      const owner = statSync(join(server.folder, 'data'))
      chownSync(folder, owner.uid, owner.gid)
      const filler = join(folder, 'filler')
      try {
        await server.query(
          `CREATE TABLESPACE small LOCATION '${folder}'`,
          `CREATE ROLE cramped SUPERUSER LOGIN`,
          `ALTER ROLE cramped SET default_tablespace = small`,
        )
        writeFileSync(filler, 'x'.repeat(1_000_000))
        const store = await openPostgresStore(server.address('cramped', 'cramped'))
        await fillUp(store)
        rmSync(filler)
        await store.append('t', [message('t', 'more')], { expectedVersion: 1 })
        expect(await store.read('t')).toHaveLength(2)
        await store.close()
        await server.query(
          'DROP SCHEMA cramped CASCADE',
          'DROP ROLE cramped',
          'CHECKPOINT',
          'DROP TABLESPACE small',
        )
      } finally {
        spawnSync('umount', ['--lazy', folder])
      }
    })
  })
})

/** The ids of so many rows, as a follower sees them. */
async function follow(
  store: Store,
  count: number,
  signal: AbortSignal,
  seen: string[] = [],
): Promise<string[]> {
  for await (const row of store.follow('t', 0, signal)) {
    seen.push(row.id)
    if (seen.length === count) break
  }
  return seen
}

/** Text that does not shrink when it is stored. */
function noise(length: number): string {
  let state = length
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647
    return String.fromCharCode(33 + (state % 90))
  }).join('')
}

async function fillUp(store: Store): Promise<void> {
  await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
  let version = 0
  const fill = async () => {
    while (version < 1000) {
      const events = ['a', 'b'].map((id) => message('filler', `${id}${version}`, noise(20_000)))
      ;({ version } = await store.append('filler', events, { expectedVersion: version }))
    }
  }
  await expectError(fill(), 'store-full')
  expect(version).toBeGreaterThan(0)
  expect(version).toBeLessThan(1000)
  expect(await store.read('filler')).toHaveLength(version)
  expect((await store.info('filler'))?.version).toBe(version)
}
