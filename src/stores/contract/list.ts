// The list of threads: latest first, page by page.
import { describe, expect, it } from 'vitest'
import type { Store } from '../../core/ports.ts'
import { expectError, message, NOON, on, type StoreFactory } from './place.ts'

export function listContract(factory: StoreFactory): void {
  describe('list', () => {
    it(
      'is empty at first',
      on(factory, async (store) => {
        expect(await store.list()).toEqual({ items: [] })
      }),
    )
    it(
      'gives threads in the order of their last events, each once, on pages of any size',
      on(factory, async (store) => {
        // Several threads share a time, so that the order must not hang on it alone.
        for (let index = 0; index < 23; index += 1) await add(store, `t${index}`, index % 7)
        const all = await store.list()
        const times = all.items.map((info) => info.updatedAt.getTime())
        expect(times).toEqual(times.toSorted((one, other) => other - one))
        expect(new Set(all.items.map((info) => info.threadId)).size).toBe(23)
        expect(all.next).toBeUndefined()
        for (const limit of [1, 2, 7, 22, 23, 24, 1000]) {
          expect(await pages(store, limit)).toEqual(all.items)
        }
      }),
    )
    it(
      'moves a thread to the front when it grows, and forgets a deleted one',
      on(factory, async (store) => {
        for (const [index, id] of ['a', 'b', 'c'].entries()) await add(store, id, index)
        const later = { ...message('a', 'more'), timestamp: new Date(NOON + 99) }
        await store.append('a', [later], { expectedVersion: 1 })
        await store.delete('b')
        const { items } = await store.list()
        expect(items).toEqual([
          { threadId: 'a', version: 2, createdAt: new Date(NOON), updatedAt: new Date(NOON + 99) },
          {
            threadId: 'c',
            version: 1,
            createdAt: new Date(NOON + 2),
            updatedAt: new Date(NOON + 2),
          },
        ])
        expect(await store.info('a')).toEqual(items[0])
      }),
    )
    it(
      'refuses a limit or a cursor that is none',
      on(factory, async (store) => {
        for (const limit of [0, -1, 1.5, 1001, Number.NaN]) {
          await expectError(store.list({ limit }), 'usage')
        }
        const forged = Buffer.from('["x",1]').toString('base64url')
        for (const after of ['', 'x', '%', forged, 'W10']) {
          await expectError(store.list({ after }), 'usage')
        }
      }),
    )
  })
}

async function add(store: Store, threadId: string, time: number): Promise<void> {
  const event = { ...message(threadId, 'a'), timestamp: new Date(NOON + time) }
  await store.append(threadId, [event], { expectedVersion: 0 })
}

async function pages(store: Store, limit: number) {
  const items = []
  let after: string | undefined
  do {
    const page = await store.list({ limit, ...(after !== undefined && { after }) })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    items.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return items
}
