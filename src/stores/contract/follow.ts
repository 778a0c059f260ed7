// Following: existing rows, then new ones, each once and in order.
import { describe, expect, it } from 'vitest'
import { pretendWork, until } from '../../../test/wait.ts'
import type { Row, Store } from '../../core/ports.ts'
import { cancel, expectError, messages, on, type StoreFactory } from './place.ts'

export function followContract(factory: StoreFactory): void {
  describe('follow', () => {
    it(
      'gives the rows that are there, then live ones, until the signal fires',
      on(factory, async (store) => {
        const { signal, abort } = cancel()
        await append(store, 0, 'a', 'b')
        const seen: string[] = []
        for await (const row of store.follow('t', 1, signal)) {
          seen.push(`${row.seq}${row.id}`)
          if (row.id === 'b') await append(store, 2, 'c', 'd')
          if (row.id === 'd') void pretendWork(5).then(() => append(store, 4, 'e'))
          if (row.id === 'e') abort()
        }
        expect(seen).toEqual(['2b', '3c', '4d', '5e'])
      }),
    )
    it(
      'drops what it holds when the signal fires, also before it begins',
      on(factory, async (store) => {
        await append(store, 0, 'a', 'b', 'c')
        const { signal, abort } = cancel()
        const rows = store.follow('t', 0, signal)[Symbol.asyncIterator]()
        expect((await rows.next()).value?.id).toBe('a')
        abort()
        expect(await rows.next()).toEqual({ done: true, value: undefined })
        expect(await collect(store.follow('t', 0, signal))).toEqual([])
      }),
    )
    it(
      'waits for a thread that is not there yet, and for a number that is not reached',
      on(factory, async (store) => {
        const { signal, abort } = cancel()
        const rows = store.follow('t', 2, signal)[Symbol.asyncIterator]()
        const next = rows.next()
        await append(store, 0, 'a')
        await append(store, 1, 'b', 'c')
        expect((await next).value).toMatchObject({ seq: 3, id: 'c' })
        abort()
        expect((await rows.next()).done).toBe(true)
      }),
    )
    it(
      'ends when the thread is deleted, also when another takes its id',
      on(factory, async (store) => {
        await append(store, 0, 'a')
        const following = collect(store.follow('t', 0, cancel().signal), async (row) => {
          if (row.id !== 'a') return
          await store.delete('t')
          await append(store, 0, 'new', 'newer')
        })
        expect((await following).map((row) => row.id)).toEqual(['a'])
      }),
    )
    endings(factory)
    it(
      'follows a fork through its past',
      on(factory, async (store) => {
        await append(store, 0, 'a', 'b')
        const { signal, abort } = cancel()
        const following = collect(store.follow('f', 0, signal), (row) => {
          if (row.id === 'y') abort()
        })
        await store.fork('t', 2, 'f', messages('f', 'x'))
        await store.append('f', messages('f', 'y'), { expectedVersion: 3 })
        expect((await following).map((row) => `${row.threadId}${row.seq}`)).toEqual([
          'f1',
          'f2',
          'f3',
          'f4',
        ])
      }),
    )
    it(
      'refuses numbers and names that are none',
      on(factory, async (store) => {
        const first = (threadId: string, after: number) =>
          store.follow(threadId, after, cancel().signal)[Symbol.asyncIterator]().next()
        await expectError(first('t', -1), 'usage')
        await expectError(first('t', 0.5), 'usage')
        await expectError(first('', 0), 'usage')
      }),
    )
  })
}

function endings(factory: StoreFactory): void {
  it(
    'ends at once when its reader returns, also while it waits, and listens to nothing then',
    on(factory, async (store) => {
      await append(store, 0, 'a')
      const signal = countingSignal()
      for await (const row of store.follow('t', 0, signal)) {
        expect(row.id).toBe('a')
        break
      }
      expect(signal.listeners).toBe(0)
      const rows = store.follow('t', 1, signal)[Symbol.asyncIterator]()
      const waiting = rows.next()
      const done = { done: true, value: undefined }
      await until('the follower to wait', () => signal.listeners > 0)
      expect(signal.listeners).toBe(1)
      expect(await rows.return?.()).toEqual(done)
      expect(await waiting).toEqual(done)
      expect(await rows.next()).toEqual(done)
      expect(signal.listeners).toBe(0)
    }),
  )
  it(
    'answers calls that do not wait for each other in order, and starts anew for each reader',
    on(factory, async (store) => {
      await append(store, 0, 'a', 'b')
      const { signal, abort } = cancel()
      const thread = store.follow('t', 0, signal)
      const rows = thread[Symbol.asyncIterator]()
      const nexts = [rows.next(), rows.next(), rows.next()]
      await append(store, 2, 'c')
      const ids = (await Promise.all(nexts)).map((next) => next.value?.id)
      expect(ids).toEqual(['a', 'b', 'c'])
      const other = thread[Symbol.asyncIterator]()
      expect((await other.next()).value?.id).toBe('a')
      abort()
    }),
  )
}

function append(store: Store, expectedVersion: number, ...ids: string[]) {
  return store.append('t', messages('t', ...ids), { expectedVersion })
}

async function collect(
  rows: AsyncIterable<Row>,
  each: (row: Row) => unknown = () => undefined,
): Promise<Row[]> {
  const seen: Row[] = []
  for await (const row of rows) {
    seen.push(row)
    await each(row)
  }
  return seen
}

function countingSignal() {
  return {
    aborted: false,
    listeners: 0,
    addEventListener() {
      this.listeners += 1
    },
    removeEventListener() {
      this.listeners = Math.max(0, this.listeners - 1)
    },
  }
}
