// What a store keeps when it is closed, and what two open on one place see of each other.
// A closed store says so.
// Snapshots: stored with an append or not at all; the newest of a fold version is given.
import { describe, expect, it } from 'vitest'
import { brief, cancel, expectError, message, messages, on, type StoreFactory } from './place.ts'

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

export function snapshotContract(factory: StoreFactory): void {
  const snapshot = (seq: number, foldVersion = 1) => ({
    ...{ seq, foldVersion },
    state: { at: seq, text: 'é\ud800' },
  })
  describe('snapshot', () => {
    it(
      'is stored with its append, and the newest is given',
      on(factory, async (store) => {
        const put = (id: string, version: number, seq: number, fold?: number) =>
          store.append('t', messages('t', id), {
            expectedVersion: version,
            snapshot: snapshot(seq, fold),
          })
        await put('a', 0, 1)
        expect(await store.snapshot('t', 1)).toEqual(snapshot(1))
        expect(await store.snapshot('t', 2)).toBeUndefined()
        await put('b', 1, 2)
        await put('c', 2, 1) // older than what is there: no step back
        expect(await store.snapshot('t', 1)).toEqual(snapshot(2))
        await put('d', 3, 4, 2)
        expect(await store.snapshot('t', 1)).toEqual(snapshot(2))
        expect(await store.snapshot('t', 2)).toEqual(snapshot(4, 2))
      }),
    )
    it(
      'can be stored without events',
      on(factory, async (store) => {
        await store.append('t', messages('t', 'a', 'b'), { expectedVersion: 0 })
        await store.append('t', [], { expectedVersion: 2, snapshot: snapshot(2) })
        expect(await store.snapshot('t', 1)).toEqual(snapshot(2))
        expect(await store.read('t')).toHaveLength(2)
      }),
    )
    it(
      'is not stored where the append is not',
      on(factory, async (store) => {
        await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
        const options = { expectedVersion: 0, snapshot: snapshot(1) }
        await expectError(store.append('t', messages('t', 'b'), options), 'version-conflict')
        const other = [message('t', 'a', 'other')]
        const next = { expectedVersion: 1, snapshot: snapshot(1) }
        await expectError(store.append('t', other, next), 'id-conflict')
        const repeated = await store.append('t', messages('t', 'a'), options)
        expect(repeated.repeated).toBe(true)
        expect(await store.snapshot('t', 1)).toBeUndefined()
      }),
    )
    it(
      'must be one of this thread',
      on(factory, async (store) => {
        const bad = [snapshot(0), snapshot(2), snapshot(1, -1), snapshot(1.5)]
        for (const one of bad) {
          const options = { expectedVersion: 0, snapshot: one }
          await expectError(store.append('t', messages('t', 'a'), options), 'usage')
        }
        const options = { expectedVersion: 0, snapshot: snapshot(1) }
        await expectError(store.append('t', [], options), 'usage')
        expect(await store.info('t')).toBeUndefined()
        await expectError(store.snapshot('t', 0.5), 'usage')
      }),
    )
    it(
      'goes with its thread',
      on(factory, async (store) => {
        await store.append('t', messages('t', 'a'), { expectedVersion: 0, snapshot: snapshot(1) })
        await store.delete('t')
        expect(await store.snapshot('t', 1)).toBeUndefined()
        await store.append('t', messages('t', 'b'), { expectedVersion: 0 })
        expect(await store.snapshot('t', 1)).toBeUndefined()
      }),
    )
  })
}
