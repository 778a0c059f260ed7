// Snapshots: stored with an append or not at all; the newest of a fold version is given.
import { describe, expect, it } from 'vitest'
import { expectError, message, messages, on, type StoreFactory } from './place.ts'

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
        await put('c', 2, 1) // older than the stored one: ignored
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
