// Copies between stores of different kinds, interrupted ones, and what must not be copied over.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresPlace, postgresPlace } from '../../test/postgres/place.ts'
import { type PostgresServer, startPostgres } from '../../test/postgres/server.ts'
import { requirement } from '../../test/require.ts'
import { PrecisError } from '../core/errors.ts'
import type { Store } from '../core/ports.ts'
import { checkStore } from './check-store.ts'
import { brief, expectError, inFolder, message, messages } from './contract/place.ts'
import { talk } from './contract/search.ts'
import { copyStore } from './copy-store.ts'
import { memoryStore } from './memory/memory.ts'
import { openSqliteStore } from './sqlite/store.ts'

const { available, notice } = requirement('postgres')

/** Threads, forks of forks, a fork whose parent is gone, and one that lost its parent to another. */
async function fill(store: Store): Promise<void> {
  const ids = Array.from({ length: 450 }, (_, index) => `e${index}`)
  await store.append('long', messages('long', ...ids), { expectedVersion: 0 })
  await store.append('talk', talk('talk'), { expectedVersion: 0 })
  await store.fork('long', 300, 'fork', messages('fork', 'x', 'y'))
  await store.fork('fork', 301, 'fork2', messages('fork2', 'z'))
  await store.append('p', messages('p', 'a', 'b'), { expectedVersion: 0 })
  await store.fork('p', 1, 'orphan', messages('orphan', 'o'))
  await store.delete('p')
  await store.append('p', messages('p', 'other'), { expectedVersion: 0 })
}

async function filledMemory(): Promise<Store> {
  const store = memoryStore()
  await fill(store)
  return store
}

/** A store that fails for good after so many appends. */
function dying(store: Store, appends: number): Store {
  let left = appends
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (name === 'append' && left-- <= 0) return Promise.reject(new Error('killed'))
        return Reflect.apply(value, target, args)
      }
    },
  })
}

/** A store that is busy at the first call of this method. */
function busyOnce(store: Store, method: 'append' | 'info'): Store {
  let isBusy = true
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (name !== method || !isBusy) return Reflect.apply(value, target, args)
        isBusy = false
        return Promise.reject(new PrecisError('store-busy', 'Not now.'))
      }
    },
  })
}

/** The pages that hold the rest of a long text lead nowhere behind the fifth of them. */
function cutOverflow(path: string, text: string): void {
  const file = readFileSync(path)
  const size = file.readUInt16BE(16)
  const pages = Array.from({ length: file.length / size }, (_, index) => index * size)
  const long = pages.filter((at) => file.toString('latin1', at + 4, at + 4 + text.length) === text)
  file.writeUInt32BE(0x7f_ff_ff_f0, long[4])
  writeFileSync(path, file)
}

describe('a copy of a store', () => {
  it('ends where a store is busy: no thread is left out for that, and none is copied piece by piece', async () => {
    const from = memoryStore()
    for (const id of ['t', 'u'])
      await from.append(id, messages(id, 'a', 'b', 'c'), { expectedVersion: 0 })
    const to = memoryStore()
    for (const [one, other] of [
      [busyOnce(from, 'info'), to],
      [from, busyOnce(to, 'append')],
    ] as const)
      await expect(copyStore(one, other)).rejects.toMatchObject({ code: 'store-busy' })
    for (const id of ['t', 'u']) expect(await to.info(id)).toBeUndefined()
    expect(await copyStore(from, to)).toMatchObject({ threads: 2, copied: 6 })
  })

  it('has every event, its forks share their past, and it is equal by its hash [NEED-06]', () =>
    inFolder(async (folder) => {
      const from = await filledMemory()
      const to = await openSqliteStore(join(folder, 'copy.db'))
      const report = await copyStore(from, to)
      expect(report).toMatchObject({ threads: 6, detached: ['orphan'] })
      for (const threadId of ['long', 'talk', 'fork', 'fork2', 'orphan', 'p'])
        expect(await to.read(threadId)).toEqual(await from.read(threadId))
      expect((await to.info('fork2'))?.parent).toEqual({ threadId: 'fork', seq: 301 })
      const [one, other] = [await checkStore(from), await checkStore(to)]
      expect(other).toEqual(one)
      expect(one.problems).toEqual([])
      await to.close()
    }))

  it('goes on where it was interrupted, and copies nothing twice', async () => {
    const from = await filledMemory()
    const to = memoryStore()
    let interruptions = 0
    for (;;) {
      const done = await copyStore(from, dying(to, 1)).catch(() => undefined)
      if (done) break
      interruptions += 1
    }
    expect(interruptions).toBeGreaterThan(3)
    expect((await checkStore(to)).hash).toBe((await checkStore(from)).hash)
    expect(await copyStore(from, to)).toMatchObject({ copied: 0 })
  })

  it('takes in what was appended since, and what is appended meanwhile does no harm', async () => {
    const from = await filledMemory()
    const to = memoryStore()
    let version = 450
    await copyStore(from, to, {
      onThread: () => {
        version += 1
        void from.append('long', messages('long', `late${version}`), {
          expectedVersion: version - 1,
        })
      },
    })
    await copyStore(from, to)
    expect(await to.read('long')).toEqual(await from.read('long'))
  })

  it('does not go over another thread of the same id', async () => {
    const from = await filledMemory()
    for (const ids of [
      ['e0', 'other'],
      ['e0', 'e1', 'other'],
      Array(451)
        .fill(0)
        .map((_, i) => `n${i}`),
    ]) {
      const to = memoryStore()
      await to.append('long', messages('long', ...ids), { expectedVersion: 0 })
      await expectError(copyStore(from, to), 'id-conflict')
      expect((await to.read('long')).map(({ id }) => id)).toEqual(ids) // nothing was put behind it
    }
  })

  it('leaves such a thread out, copies all others, and says so at the end', async () => {
    const from = await filledMemory()
    const to = memoryStore()
    await to.append('long', messages('long', 'e0', 'other'), { expectedVersion: 0 })
    await to.append('talk', messages('talk', 'another'), { expectedVersion: 0 })
    await to.append('own', messages('own', 'a'), { expectedVersion: 0 })
    const failure = await copyStore(from, to).catch((thrown: unknown) => thrown)
    expect(failure).toMatchObject({
      code: 'id-conflict',
      message: expect.stringContaining(' Not copied: talk, long. Copied: 4.'),
      details: { leftOut: ['talk', 'long'], copied: 4 },
    })
    expect(brief(await to.read('long'))).toBe('1e0 2other')
    // A fork of what is another thread there holds its past itself.
    for (const threadId of ['fork', 'fork2', 'orphan', 'p'])
      expect(await to.read(threadId)).toEqual(await from.read(threadId))
    expect((await to.info('fork'))?.parent).toBeUndefined()
    expect(brief(await to.read('own'))).toBe('1a')
  })

  it('leaves out what cannot be read, and has all others', async () => {
    const from = await filledMemory()
    const to = memoryStore()
    const damaged = new PrecisError('store-corrupt', 'It is damaged.', { hint: 'None.' })
    const source = new Proxy(from, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (threadId: string, range?: object) =>
          name === 'read' && threadId === 'long'
            ? Promise.reject(damaged)
            : Reflect.apply(value, target, [threadId, range])
      },
    })
    await expectError(copyStore(source, to), 'store-corrupt')
    expect(await to.info('long')).toBeUndefined()
    for (const threadId of ['talk', 'orphan', 'p'])
      expect(await to.read(threadId)).toEqual(await from.read(threadId))
  })

  it('lists an altered event also where others of its thread cannot be read', () =>
    inFolder(async (folder) => {
      const [path, target] = [join(folder, 'from.db'), join(folder, 'to.db')]
      const filled = await openSqliteStore(path)
      const events = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) =>
        message('t', id, id === 'c' ? 'Q'.repeat(200_000) : id),
      )
      await filled.append('t', events, { expectedVersion: 0 })
      await filled.close()
      const db = new Sqlite(path)
      db.exec('DROP TRIGGER events_never_change')
      db.exec(`UPDATE events SET data = '"altered"' WHERE id IN ('b', 'e')`)
      db.close()
      cutOverflow(path, 'Q'.repeat(40))
      const [from, to] = [await openSqliteStore(path), await openSqliteStore(target)]
      const failure = await copyStore(from, to).catch((thrown: unknown) => thrown)
      expect(failure).toMatchObject({
        code: 'store-corrupt',
        details: {
          problems: [
            { threadId: 't', seq: 3 },
            { seq: 2, problem: 'it is not what was written: its hash does not fit' },
            { seq: 4, problem: expect.stringContaining('the one before it cannot be read') },
            { seq: 5, problem: 'it is not what was written: its hash does not fit' },
          ],
        },
      })
      expect((await checkStore(to)).problems.map(({ seq }) => seq)).toEqual([3, 2, 4, 5])
      await from.close()
      await to.close()
    }))

  it('says so where the other events of a damaged thread could not be verified', async () => {
    const from = await filledMemory()
    const damaged = new PrecisError('store-corrupt', 'It is damaged.', { hint: 'None.' })
    const verify = (threadId: string) =>
      threadId === 'talk' ? Promise.reject(damaged) : Promise.resolve(undefined)
    const source = new Proxy(from, {
      get: (target, name) =>
        name === 'verify' ? verify : Reflect.get(target, name, target)?.bind(target),
    })
    expect(await copyStore(source, memoryStore()).catch((thrown: unknown) => thrown)).toMatchObject(
      {
        code: 'store-corrupt',
        details: {
          problems: [{ threadId: 'talk', problem: 'its other events could not be verified' }],
        },
      },
    )
  })

  it('counts what it has copied itself, where another copies at the same time', async () => {
    const from = await filledMemory()
    const to = memoryStore()
    const reports = await Promise.all([copyStore(from, to), copyStore(from, to)])
    const alone = await copyStore(from, memoryStore())
    expect(reports[0].copied + reports[1].copied).toBe(alone.copied)
  })

  it('is made also where a fork was forked again under the name of its parent', async () => {
    const from = memoryStore()
    await from.append('a', messages('a', 'x', 'y'), { expectedVersion: 0 })
    await from.fork('a', 2, 'b', messages('b', 'z'))
    await from.delete('a')
    await from.fork('b', 2, 'a', messages('a', 'w'))
    const to = memoryStore()
    expect(await copyStore(from, to)).toMatchObject({ threads: 2, events: 6 })
    expect(brief(await to.read('a'))).toBe('1x 2y 3w')
    expect(brief(await to.read('b'))).toBe('1x 2y 3z')
  })

  describe.skipIf(!available)(`with PostgreSQL ${notice}`, () => {
    let server: PostgresServer
    let place: PostgresPlace
    beforeAll(async () => {
      server = await startPostgres()
      place = await postgresPlace(server)
    })
    afterAll(async () => {
      await place.remove()
      await server.remove()
    })

    it('is the same there and back again [NEED-06]', () =>
      inFolder(async (folder) => {
        const from = await openSqliteStore(join(folder, 'from.db'))
        await fill(from)
        const back = await openSqliteStore(join(folder, 'back.db'))
        await copyStore(from, place.store)
        await copyStore(place.store, back)
        const expected = (await checkStore(from)).hash
        expect((await checkStore(place.store)).hash).toBe(expected)
        expect((await checkStore(back)).hash).toBe(expected)
        expect(brief(await back.read('fork2', { from: 299 }))).toBe('299e298 300e299 301x 302z')
        const finds = await back.index?.search({ text: 'parseConfig' })
        expect(finds?.finds.map(({ seq }) => seq).toSorted()).toEqual([1, 4])
        await from.close()
        await back.close()
      }))
  })
})
