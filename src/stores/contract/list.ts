// The list of threads: latest first, page by page.
import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../core/log/event.ts'
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
        // Several threads share a time, so the order needs a second key.
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
    owned(factory)
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

function owned(factory: StoreFactory): void {
  it(
    'has the threads of the owners asked for, page by page, also those of now and their forks',
    on(factory, async (store) => {
      for (let index = 0; index < 30; index += 1) await begin(store, `b${index}`, 'ben', index)
      await begin(store, 'a1', 'anna', 40)
      await begin(store, 'n1', undefined, 41)
      await add(store, 'bare', 42)
      const ids = async (...owners: string[]) =>
        (await pages(store, 7, owners)).map(({ threadId }) => threadId)
      expect(await ids('anna')).toEqual(['a1'])
      expect(await ids('')).toEqual(['bare', 'n1'])
      expect(await ids('', 'anna')).toEqual(['bare', 'n1', 'a1'])
      expect(await ids('ben')).toHaveLength(30)
      expect(await ids('carol')).toEqual([])
      expect(await ids()).toEqual([])
      await begin(store, 'a2', 'anna', 50)
      const more = { ...message('a1f', 'more'), timestamp: new Date(NOON + 60) }
      await store.fork('a1', 1, 'a1f', [more])
      await store.fork('a1f', 2, 'a1g', [])
      await store.index?.search({ text: 'anything' })
      expect(await ids('anna')).toEqual(['a1g', 'a1f', 'a2', 'a1'])
      await store.delete('a1')
      expect(await ids('anna')).toEqual(['a1g', 'a1f', 'a2'])
      await begin(store, 'a1', 'ben', 70)
      expect(await ids('anna')).toEqual(['a1g', 'a1f', 'a2'])
      await store.index?.rebuild()
      expect(await ids('anna')).toEqual(['a1g', 'a1f', 'a2'])
    }),
  )
  it(
    'finds by what was said also in threads of which it knew the owner first',
    on(factory, async (store) => {
      await begin(store, 'a1', 'anna', 1)
      await store.append('a1', [message('a1', 'kettle')], { expectedVersion: 1 })
      expect((await store.list({ owners: ['anna'] })).items).toHaveLength(1)
      const found = await store.index?.search({ text: 'kettle', owners: ['anna'] })
      expect(found?.finds.map(({ seq }) => seq)).toEqual([2])
    }),
  )
  it(
    'refuses owners that are none',
    on(factory, async (store) => {
      for (const owners of ['anna', [1], ['a\u0000b'], Array(1001).fill('a')])
        await expectError(store.list({ owners } as never), 'usage')
    }),
  )
}

async function begin(store: Store, threadId: string, owner: string | undefined, time: number) {
  const event: NewEvent = {
    ...{ v: 2, id: 'first', threadId, timestamp: new Date(NOON + time) },
    ...{ type: 'THREAD_STARTED', data: owner === undefined ? {} : { owner } },
  }
  await store.append(threadId, [event], { expectedVersion: 0 })
}

async function add(store: Store, threadId: string, time: number): Promise<void> {
  const event = { ...message(threadId, 'a'), timestamp: new Date(NOON + time) }
  await store.append(threadId, [event], { expectedVersion: 0 })
}

async function pages(store: Store, limit: number, owners?: readonly string[]) {
  const items = []
  let after: string | undefined
  do {
    const page = await store.list({
      limit,
      ...(after !== undefined && { after }),
      ...(owners && { owners }),
    })
    expect(page.items.length).toBeLessThanOrEqual(limit)
    items.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return items
}
