// Random concurrent work: no event is lost or duplicated, forks keep their past.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Row, Store } from '../../core/ports.ts'
import { cancel, messages, on, type StoreFactory } from './place.ts'

type Step =
  | { readonly do: 'append'; readonly thread: number; readonly size: number }
  | { readonly do: 'repeat' | 'delete'; readonly thread: number }
  | { readonly do: 'fork'; readonly thread: number; readonly to: number; readonly at: number }

const thread = fc.nat(4)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('append'),
      thread,
      size: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('fork'), thread, to: thread, at: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('repeat', 'delete'), thread }) },
) as fc.Arbitrary<Step>

export function randomContract(factory: StoreFactory): void {
  describe('random work', () => {
    it(
      'several writers with conflicts and repeats lose nothing, and followers see all once',
      on(factory, async (store) => {
        let run = 0
        await fc.assert(
          fc.asyncProperty(
            fc.array(
              fc.array(fc.record({ size: fc.integer({ min: 1, max: 5 }), repeats: fc.nat(2) }), {
                minLength: 1,
                maxLength: 6,
              }),
              { minLength: 2, maxLength: 4 },
            ),
            async (writers) => {
              run += 1
              await raceWriters(store, `race${run}`, writers)
            },
          ),
          runs(15),
        )
      }),
    )
    it(
      'threads, forks of forks and deletions hold what a plain model holds',
      on(factory, async (store) => {
        let run = 0
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
            run += 1
            await compareWithModel(store, `run${run}`, steps)
          }),
          runs(25),
        )
      }),
    )
  })
}

type Batch = { readonly size: number; readonly repeats: number }

async function raceWriters(store: Store, threadId: string, writers: readonly Batch[][]) {
  const ids = (writer: number, batch: number, size: number) =>
    Array.from({ length: size }, (_, index) => `w${writer}.b${batch}.${index}`)
  const total = writers.flat().reduce((sum, { size }) => sum + size, 0)
  const followers = [0, 1, Math.floor(total / 2)].map((after) =>
    collectUntil(store, threadId, after, total),
  )
  await Promise.all(
    writers.map(async (batches, writer) => {
      for (const [batch, { size, repeats }] of batches.entries()) {
        const names = ids(writer, batch, size)
        const version = await appendWithRetries(store, threadId, names)
        for (let repeat = 0; repeat < repeats; repeat += 1) {
          const again = await store.append(threadId, messages(threadId, ...names), {
            expectedVersion: repeat === 0 ? version - size : version + 7,
          })
          expect(again).toMatchObject({ version, repeated: true })
        }
      }
    }),
  )
  const rows = await store.read(threadId)
  expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: total }, (_, index) => index + 1))
  expect((await store.verify?.(threadId))?.misfits).toEqual([])
  const log = `,${rows.map((row) => row.id).join(',')},`
  for (const [writer, batches] of writers.entries()) {
    for (const [batch, { size }] of batches.entries()) {
      expect(log).toContain(`,${ids(writer, batch, size).join(',')},`)
    }
  }
  for (const [index, seen] of (await Promise.all(followers)).entries()) {
    expect(seen).toEqual(rows.slice([0, 1, Math.floor(total / 2)][index]))
  }
}

/** What a careful client does: read, append, and read again after a conflict. */
async function appendWithRetries(store: Store, threadId: string, names: readonly string[]) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const expectedVersion = (await store.info(threadId))?.version ?? 0
    try {
      const appended = await store.append(threadId, messages(threadId, ...names), {
        expectedVersion,
      })
      return appended.version
    } catch (thrown) {
      if (!PrecisError.is(thrown) || thrown.code !== 'version-conflict') throw thrown
    }
  }
  throw new Error('no append got through')
}

async function collectUntil(store: Store, threadId: string, after: number, last: number) {
  const { signal, abort } = cancel()
  const rows: Row[] = []
  if (after >= last) return rows
  for await (const row of store.follow(threadId, after, signal)) {
    rows.push(row)
    if (row.seq >= last) abort()
  }
  return rows
}

/** The model: each thread is a list of ids, and a fork copies. */
async function compareWithModel(store: Store, prefix: string, steps: readonly Step[]) {
  const model = new Map<string, string[]>()
  const name = (index: number) => `${prefix}.${index}`
  for (const [count, one] of steps.entries()) {
    const threadId = name(one.thread)
    const log = model.get(threadId)
    if (one.do === 'append') {
      const ids = Array.from({ length: one.size }, (_, index) => `s${count}.${index}`)
      await store.append(threadId, messages(threadId, ...ids), {
        expectedVersion: log?.length ?? 0,
      })
      model.set(threadId, [...(log ?? []), ...ids])
    } else if (one.do === 'repeat' && log) {
      const last = log.slice(-2)
      const events = messages(threadId, ...last)
      const { repeated } = await store.append(threadId, events, { expectedVersion: log.length })
      expect(repeated).toBe(true)
    } else if (one.do === 'delete') {
      expect(await store.delete(threadId)).toBe(model.delete(threadId))
    } else if (one.do === 'fork' && log && !model.has(name(one.to))) {
      const at = 1 + (one.at % log.length)
      await store.fork(threadId, at, name(one.to), messages(name(one.to), `s${count}`))
      model.set(name(one.to), [...log.slice(0, at), `s${count}`])
    }
  }
  for (let index = 0; index < 5; index += 1) {
    const rows = await store.read(name(index))
    expect(rows.map((row) => row.id)).toEqual(model.get(name(index)) ?? [])
    expect(rows.every((row, place) => row.seq === place + 1)).toBe(true)
    expect(rows.every((row) => row.threadId === name(index))).toBe(true)
    expect((await store.verify?.(name(index)))?.misfits ?? []).toEqual([])
  }
}
