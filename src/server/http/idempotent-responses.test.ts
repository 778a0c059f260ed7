// The answers that all processes remember together: how many, and how long.
import { expect, it, vi } from 'vitest'
import { Random } from '../../../test/generate/random.ts'
import { testIds } from '../../../test/generate/test-log.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { memoryStore } from '../../stores/memory/memory.ts'
import { systemClock } from '../../system.ts'
import { AnswerBook } from './idempotency.ts'

let nowMs = Date.UTC(2026, 0, 1, 12, 30)
const clock: Clock = {
  now: () => new Date(nowMs),
  sleep: (ms, signal) => systemClock.sleep(ms, signal),
}

let processes = 0

function bookOn(store: Store): AnswerBook {
  processes += 1
  return new AnswerBook({ store, clock, ids: testIds(`p${processes}_`) })
}

async function answer(book: AnswerBook, key: string, body = key): Promise<void> {
  const claim = await book.claim(key)
  if (claim.done) throw new Error(`${key} was answered already`)
  await claim.settle({ fingerprint: 'f', answer: { status: 200, headers: [], body } })
}

/** What another process, asked under the key, remembers. */
async function remembered(store: Store, key: string): Promise<string | undefined> {
  const claim = await bookOn(store).claim(key)
  if (!claim.done) await claim.settle()
  return claim.done?.answer.body
}

/** Each call takes another time: so they overtake each other. */
function slowed(store: Store): Store {
  const random = new Random(7)
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        for (let turns = random.int(0, 9); turns > 0; turns -= 1) await new Promise(setImmediate)
        return Reflect.apply(value, target, args)
      }
    },
  })
}

it('remembers 5,000 answers of an hour, and answers further ones all the same', async () => {
  const store = memoryStore()
  const books = [bookOn(store), bookOn(store)]
  for (let count = 0; count < 5_002; count += 1)
    await answer(books[count % 2] as AnswerBook, `key ${count}`)
  expect(await remembered(store, 'key 0')).toBe('key 0')
  expect(await remembered(store, 'key 4999')).toBe('key 4999')
  expect(await remembered(store, 'key 5000')).toBeUndefined()
  expect(await remembered(store, 'key 5001')).toBeUndefined()
  expect((await store.list()).items).toMatchObject([{ version: 5_001 }]) // with its title
}, 60_000)

it('remembers so many characters of them, and no answer that is long by itself', async () => {
  const store = memoryStore()
  const book = bookOn(store)
  await answer(book, 'longest', 'x'.repeat(64_000))
  await answer(book, 'too long', 'x'.repeat(64_001))
  for (let count = 0; count < 255; count += 1)
    await answer(book, `key ${count}`, 'x'.repeat(64_000))
  expect(await remembered(store, 'longest')).toHaveLength(64_000)
  expect(await remembered(store, 'too long')).toBeUndefined()
  // 250 of them are 16 million characters.
  expect(await remembered(store, 'key 248')).toHaveLength(64_000)
  expect(await remembered(store, 'key 249')).toBeUndefined()
  await answer(book, 'small', '')
  expect(await remembered(store, 'small')).toBe('')
})

it('has every one of the first answers of an hour, where several processes give them at once', async () => {
  const store = memoryStore()
  await answer(bookOn(store), 'old')
  nowMs += 3 * 3_600_000 // the log of then has its turn again
  const slow = slowed(store)
  const books = [bookOn(slow), bookOn(slow)]
  const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`)
  await Promise.all(keys.map((key, index) => answer(books[index % 2] as AnswerBook, key)))
  for (const key of keys) expect(await remembered(store, key)).toBe(key)
  expect(await remembered(store, 'old')).toBeUndefined()
})

it('does not read all answers of an hour that is over to see that it is', async () => {
  const store = memoryStore()
  const before = bookOn(store)
  for (let count = 0; count < 40; count += 1) await answer(before, `old ${count}`)
  nowMs += 4 * 3_600_000 // its log is that of the hour before now, in which nobody asked for anything
  const { read } = store
  let rows = 0
  vi.spyOn(store, 'read').mockImplementation(async (...asked) => {
    const found = await read.apply(store, asked)
    rows += found.length
    return found
  })
  expect(await remembered(store, 'old 0')).toBeUndefined()
  expect(rows).toBeLessThan(5)
})
