// Reading: ranges, limits, many stretches at once, and rows that nobody can spoil.
import { describe, expect, it } from 'vitest'
import type { ReadRange } from '../../core/ports.ts'
import { brief, expectError, messages, on, type StoreFactory } from './place.ts'

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
