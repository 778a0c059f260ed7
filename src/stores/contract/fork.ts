// Forks share their past with their parent and keep it when the parent is deleted.
import { describe, expect, it } from 'vitest'
import type { Store } from '../../core/ports.ts'
import { brief, expectError, message, messages, NOON, on, type StoreFactory } from './place.ts'

export function forkContract(factory: StoreFactory): void {
  describe('fork', () => {
    it(
      'shares the past and goes its own way under its own id',
      on(factory, async (store) => {
        await parent(store)
        const made = await store.fork('p', 2, 'f', messages('f', 'x'))
        expect(made).toMatchObject({ version: 3, repeated: false })
        expect(brief(made.rows)).toBe('3x')
        await store.append('f', messages('f', 'y'), { expectedVersion: 3 })
        await store.append('p', messages('p', 'd'), { expectedVersion: 3 })
        expect(await log(store, 'f')).toBe('1a 2b 3x 4y')
        expect(await log(store, 'p')).toBe('1a 2b 3c 4d')
        const rows = await store.read('f')
        expect(rows.map((row) => row.threadId)).toEqual(['f', 'f', 'f', 'f'])
        expect(await store.info('f')).toMatchObject({
          version: 4,
          parent: { threadId: 'p', seq: 2 },
        })
        expect(await store.info('p')).not.toHaveProperty('parent')
        expect(brief(await store.read('f', { from: 2, limit: 2 }))).toBe('2b 3x')
        const stretches = await store.readMany('f', [
          [3, 4],
          [1, 3],
        ])
        expect(brief(stretches)).toBe('3x 4y 1a 2b 3x')
      }),
    )
    it(
      'can be made without events of its own, and with a snapshot',
      on(factory, async (store) => {
        await parent(store)
        const snapshot = { seq: 2, foldVersion: 1, state: 'folded' }
        const made = await store.fork('p', 2, 'f', [], { snapshot })
        expect(made).toEqual({ version: 2, rows: [], repeated: false })
        expect(await store.snapshot('f', 1)).toEqual(snapshot)
        expect(await store.snapshot('p', 1)).toBeUndefined()
        expect(await log(store, 'f')).toBe('1a 2b')
        const info = await store.info('f')
        expect(info?.createdAt).toEqual(new Date(NOON + 1))
        expect(info?.updatedAt).toEqual(new Date(NOON + 1))
      }),
    )
    it(
      'is a success without effect when it is repeated',
      on(factory, async (store) => {
        await parent(store)
        const first = await store.fork('p', 2, 'f', messages('f', 'x', 'y'))
        await store.append('f', messages('f', 'z'), { expectedVersion: 4 })
        const again = await store.fork('p', 2, 'f', messages('f', 'x', 'y'))
        expect(again).toEqual({ ...first, repeated: true })
        await store.delete('p')
        expect(await store.fork('p', 2, 'f', messages('f', 'x', 'y'))).toEqual(again)
        expect(await log(store, 'f')).toBe('1a 2b 3x 4y 5z')
      }),
    )
    refusals(factory)
    deletion(factory)
  })
}

function refusals(factory: StoreFactory): void {
  it(
    'refuses what is no fork, and writes nothing',
    on(factory, async (store) => {
      await parent(store)
      await store.append('other', messages('other', 'a'), { expectedVersion: 0 })
      await store.fork('p', 2, 'f', messages('f', 'x'))
      await expectError(store.fork('nobody', 1, 'n', []), 'unknown-thread')
      await expectError(store.fork('p', 0, 'n', []), 'usage')
      await expectError(store.fork('p', 4, 'n', []), 'usage')
      await expectError(store.fork('p', 2, 'n', messages('p', 'x')), 'usage')
      await expectError(store.fork('p', 2, 'n', messages('n', 'b')), 'id-conflict')
      await expectError(store.fork('p', 2, 'other', []), 'id-conflict')
      await expectError(store.fork('p', 2, 'p', []), 'id-conflict')
      await expectError(store.fork('p', 1, 'f', messages('f', 'x')), 'id-conflict')
      await expectError(store.fork('p', 2, 'f', messages('f', 'y')), 'id-conflict')
      await expectError(store.fork('p', 2, 'f', [message('f', 'x', 'other')]), 'id-conflict')
      const snapshot = { seq: 3, foldVersion: 1, state: null }
      await expectError(store.fork('p', 2, 'n', [], { snapshot }), 'usage')
      expect(await store.info('n')).toBeUndefined()
      expect(await log(store, 'f')).toBe('1a 2b 3x')
    }),
  )
  it(
    'an id of the past cannot be used again, one of the parent after the fork can',
    on(factory, async (store) => {
      await parent(store)
      await store.fork('p', 2, 'f', messages('f', 'c'))
      await store.fork('f', 3, 'g', [])
      const cases = [messages('g', 'x', 'b'), [message('g', 'b', 'other')], messages('g', 'c', 'x')]
      for (const events of cases) {
        await expectError(store.append('g', events, { expectedVersion: 3 }), 'id-conflict')
      }
      const known = await store.append('g', messages('g', 'b', 'c'), { expectedVersion: 3 })
      expect(known.repeated).toBe(true)
      expect(brief(known.rows)).toBe('2b 3c')
      await store.append('g', messages('g', 'd'), { expectedVersion: 3 })
      expect(await log(store, 'g')).toBe('1a 2b 3c 4d')
    }),
  )
}

function deletion(factory: StoreFactory): void {
  it(
    'deleting removes a thread once',
    on(factory, async (store) => {
      await parent(store)
      expect(await store.delete('p')).toBe(true)
      expect(await store.delete('p')).toBe(false)
      expect(await store.read('p')).toEqual([])
      expect(await store.info('p')).toBeUndefined()
      await store.append('p', messages('p', 'a'), { expectedVersion: 0 })
      expect(await log(store, 'p')).toBe('1a')
    }),
  )
  it.each([
    ['f', 'p', 'i', 'h', 'j', 'g'],
    ['h', 'f', 'p', 'g', 'i', 'j'],
    ['p', 'f', 'h', 'i', 'j', 'g'],
    ['i', 'j', 'h', 'g', 'f', 'p'],
  ])(
    'forks of forks keep their past when threads are deleted in the order %s %s %s %s %s %s',
    (...order) =>
      on(factory, async (store) => {
        const logs = await family(store)
        for (const gone of order) {
          expect(await store.delete(gone)).toBe(true)
          // A new thread with the same id is unrelated to the old one.
          await store.append(gone, messages(gone, 'new'), { expectedVersion: 0 })
          logs[gone] = '1new'
          for (const [threadId, expected] of Object.entries(logs)) {
            expect(await log(store, threadId), `${threadId} after ${gone}`).toBe(expected)
            const rows = await store.read(threadId)
            expect(rows.every((row) => row.threadId === threadId)).toBe(true)
          }
        }
      })(),
  )
  it(
    'a fork still says where it came from',
    on(factory, async (store) => {
      await parent(store)
      await store.fork('p', 2, 'f', messages('f', 'x'))
      await store.delete('p')
      expect((await store.info('f'))?.parent).toEqual({ threadId: 'p', seq: 2 })
    }),
  )
}

async function parent(store: Store): Promise<void> {
  await store.append('p', messages('p', 'a', 'b', 'c'), { expectedVersion: 0 })
}

/** Forks at own rows and at shared ones, and what each must contain. */
async function family(store: Store): Promise<Record<string, string>> {
  await parent(store)
  await store.fork('p', 2, 'f', messages('f', 'f1', 'f2'))
  await store.fork('f', 1, 'g', messages('g', 'g1'))
  await store.fork('f', 3, 'h', messages('h', 'h1'))
  await store.fork('f', 4, 'i', messages('i', 'i1'))
  await store.fork('h', 2, 'j', messages('j', 'j1'))
  return {
    p: '1a 2b 3c',
    f: '1a 2b 3f1 4f2',
    g: '1a 2g1',
    h: '1a 2b 3f1 4h1',
    i: '1a 2b 3f1 4f2 5i1',
    j: '1a 2b 3j1',
  }
}

async function log(store: Store, threadId: string): Promise<string> {
  return brief(await store.read(threadId))
}
