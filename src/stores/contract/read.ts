// Reading: ranges, limits, many stretches at once, and rows that nobody can spoil.
// The list of threads: latest first, page by page.
import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../core/log/event.ts'
import type { ReadRange, Store } from '../../core/ports.ts'
import { brief, expectError, message, messages, NOON, on, type StoreFactory } from './place.ts'

const RANGES: readonly (readonly [ReadRange | undefined, string])[] = [
  [undefined, '1a 2b 3c 4d 5e'],
  [{}, '1a 2b 3c 4d 5e'],
  [{ from: 2 }, '2b 3c 4d 5e'],
  [{ to: 2 }, '1a 2b'],
  [{ from: 2, to: 4 }, '2b 3c 4d'],
  [{ from: 5, to: 99 }, '5e'],
  [{ from: 6 }, ''],
  [{ from: 4, to: 3 }, ''],
  [{ to: 0 }, ''],
  [{ limit: 2 }, '1a 2b'],
  [{ from: 3, limit: 2 }, '3c 4d'],
  [{ from: 4, to: 5, limit: 9 }, '4d 5e'],
  [{ limit: 0 }, ''],
]

const STRETCHES: readonly (readonly [(readonly [number, number])[], string])[] = [
  [[], ''],
  [[[1, 5]], '1a 2b 3c 4d 5e'],
  [
    [
      [4, 5],
      [1, 2],
    ],
    '4d 5e 1a 2b',
  ],
  [
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
    '1a 2b 3c',
  ],
  [
    [
      [1, 3],
      [2, 4],
    ],
    '1a 2b 3c 2b 3c 4d',
  ],
  [
    [
      [3, 2],
      [5, 99],
      [9, 12],
    ],
    '5e',
  ],
]

export function readContract(factory: StoreFactory): void {
  describe('read', () => {
    it(
      'gives an empty list for an unknown thread [LOG-20]',
      on(factory, async (store) => {
        expect(await store.read('nobody')).toEqual([])
        expect(await store.readMany('nobody', [[1, 9]])).toEqual([])
        expect(await store.info('nobody')).toBeUndefined()
        expect(await store.snapshot('nobody', 1)).toBeUndefined()
      }),
    )
    it(
      'gives ranges and stretches, in the order asked for',
      on(factory, async (store) => {
        await store.append('t', messages('t', 'a', 'b', 'c', 'd', 'e'), { expectedVersion: 0 })
        for (const [range, expected] of RANGES) {
          expect(brief(await store.read('t', range)), JSON.stringify(range)).toBe(expected)
        }
        for (const [stretches, expected] of STRETCHES) {
          const rows = await store.readMany('t', stretches)
          expect(brief(rows), JSON.stringify(stretches)).toBe(expected)
        }
      }),
    )
    it(
      'refuses numbers that are none',
      on(factory, async (store) => {
        for (const range of [{ from: 0 }, { from: 1.5 }, { to: -1 }, { limit: -1 }]) {
          await expectError(store.read('t', range), 'usage')
        }
        await expectError(store.readMany('t', [[1, Number.NaN]]), 'usage')
        await expectError(store.readMany('t', Array(100_001).fill([1, 1])), 'usage')
        await expectError(store.read(''), 'usage')
      }),
    )
    it(
      'gives long logs whole, and thousands of stretches',
      on(factory, async (store) => {
        const ids = Array.from({ length: 9000 }, (_, index) => `e${index + 1}`)
        await store.append('t', messages('t', ...ids), { expectedVersion: 0 })
        expect((await store.read('t')).map((row) => row.id)).toEqual(ids)
        const odd = Array.from({ length: 4500 }, (_, index) => [2 * index + 1, 2 * index + 1])
        const rows = await store.readMany('t', odd as [number, number][])
        expect(rows.map((row) => row.id)).toEqual(ids.filter((_, index) => index % 2 === 0))
        expect(await store.read('t', { limit: 5000 })).toHaveLength(5000)
      }),
    )
    it(
      'gives the rows of one thread, also when another takes its place meanwhile',
      on(factory, async (store) => {
        const ids = (name: string) => Array.from({ length: 9000 }, (_, index) => `${name}${index}`)
        await store.append('t', messages('t', ...ids('old')), { expectedVersion: 0 })
        const reading = store.read('t')
        await store.delete('t')
        await store.append('t', messages('t', ...ids('new')), { expectedVersion: 0 })
        const read = (await reading).map((row) => row.id)
        expect([[], ids('old'), ids('new')]).toContainEqual(read)
      }),
    )
    it(
      'keeps its events as they were, whatever callers do with theirs [LOG-13]',
      on(factory, async (store) => {
        const data = { content: 'said', calls: ['c1'] }
        const event = {
          ...{ v: 2, id: 'a', threadId: 't', type: 'AGENT_MESSAGE' as const, data },
          timestamp: new Date(5),
          source: { kept: [1] },
        }
        const { rows } = await store.append('t', [event], { expectedVersion: 0 })
        const before = structuredClone(rows)
        data.calls.push('forged')
        event.source.kept.push(2)
        event.timestamp.setTime(7)
        for (const row of [...rows, ...(await store.read('t'))]) {
          Object.assign(row, { type: 'FOREIGN', seq: 9 })
          Object.assign(row.data as object, { content: 'forged' })
        }
        expect(await store.read('t')).toEqual(before)
      }),
    )
  })
}

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
