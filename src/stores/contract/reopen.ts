// What a store keeps when it is closed, that it says so, and what two open on one place see of each other.
import { describe, expect, it } from 'vitest'
import { brief, cancel, expectError, messages, on, type StoreFactory } from './place.ts'

export function reopenContract(factory: StoreFactory): void {
  describe('several stores on one place', () => {
    it(
      'everything is there after closing and opening again',
      on(factory, async (store, place) => {
        const snapshot = { seq: 2, foldVersion: 3, state: ['state'] }
        await store.append('t', messages('t', 'a', 'b'), { expectedVersion: 0, snapshot })
        await store.fork('t', 1, 'f', messages('f', 'x'))
        const before = [await store.read('t'), await store.read('f'), await store.list()]
        await store.close()
        const again = await place.again()
        expect([await again.read('t'), await again.read('f'), await again.list()]).toEqual(before)
        expect(await again.snapshot('t', 3)).toEqual(snapshot)
        const repeated = await again.append('t', messages('t', 'a', 'b'), { expectedVersion: 0 })
        expect(repeated.repeated).toBe(true)
      }),
    )
    it(
      'one sees at once what the other was told is stored',
      on(factory, async (store, place) => {
        const other = await place.again()
        await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
        expect(brief(await other.read('t'))).toBe('1a')
        await other.append('t', messages('t', 'b'), { expectedVersion: 1 })
        const late = store.append('t', messages('t', 'c'), { expectedVersion: 1 })
        await expectError(late, 'version-conflict')
        await other.delete('t')
        expect(await store.info('t')).toBeUndefined()
      }),
    )
    it(
      'a follower of one sees what the other appends, and that it deletes',
      on(factory, async (store, place) => {
        const other = await place.again()
        const seen: string[] = []
        const following = (async () => {
          for await (const row of store.follow('t', 0, cancel().signal)) {
            seen.push(row.id)
            if (row.id === 'b') await other.append('t', messages('t', 'c'), { expectedVersion: 2 })
            if (row.id === 'c') await other.delete('t')
          }
        })()
        await other.append('t', messages('t', 'a'), { expectedVersion: 0 })
        await other.append('t', messages('t', 'b'), { expectedVersion: 1 })
        await following
        expect(seen).toEqual(['a', 'b', 'c'])
      }),
    )
  })
}

export function closeContract(factory: StoreFactory): void {
  describe('close', () => {
    it(
      'answers what waits, then refuses every call; twice is once',
      on(factory, async (store) => {
        const waiting = Promise.all([
          store.append('t', messages('t', 'a'), { expectedVersion: 0 }),
          store.append('u', messages('u', 'a'), { expectedVersion: 0 }),
        ])
        await Promise.all([store.close(), store.close()])
        expect((await waiting).map((appended) => appended.version)).toEqual([1, 1])
        await store.close()
        const calls = [
          store.append('t', messages('t', 'b'), { expectedVersion: 1 }),
          store.fork('t', 1, 'f', []),
          store.read('t'),
          store.readMany('t', [[1, 1]]),
          store.info('t'),
          store.snapshot('t', 1),
          store.list(),
          store.delete('t'),
          store.takeLease('l', 'me', 1000),
          store.releaseLease('l', 'me'),
          store.follow('t', 0, cancel().signal)[Symbol.asyncIterator]().next(),
        ]
        for (const call of calls) await expectError(call, 'store-closed')
      }),
    )
    it(
      'ends followers with the reason',
      on(factory, async (store) => {
        await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
        const rows = store.follow('t', 0, cancel().signal)[Symbol.asyncIterator]()
        expect((await rows.next()).value?.id).toBe('a')
        const next = expectError(rows.next(), 'store-closed')
        await store.close()
        await next
        expect(await rows.next()).toEqual({ done: true, value: undefined })
      }),
    )
  })
}
