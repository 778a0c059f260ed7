// A closed store says so.
import { describe, expect, it } from 'vitest'
import { cancel, expectError, messages, on, type StoreFactory } from './place.ts'

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
