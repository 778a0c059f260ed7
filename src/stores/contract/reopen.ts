// What a store keeps when it is closed, and what two open on one place see of each other.
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
