// Threads found in the store again, and fresh sessions that lead back to where they came from, and forth.
import { describe, expect, it } from 'vitest'
import { testClock, testIds } from '../../test/generate/test-log.ts'
import { answer, user } from '../../test/say.ts'
import { memoryStore } from '../stores/index.ts'
import { listFreshThreads, listPastThreads } from './past-threads.ts'
import { createThreads } from './threads.ts'

function setUp() {
  const store = memoryStore()
  const [time, ids] = [testClock(), testIds()]
  const now = () => {
    time.advance(1_000)
    return time.now()
  }
  const clock = { ...time, now }
  const open = () => createThreads({ store, clock, ids })
  const threads = open()
  /** A thread that goes on from another one. */
  const follows = (
    threadId: string,
    from: string,
    reason: 'fresh-session' | 'fork' | 'task' = 'fresh-session',
  ) => threads.create({ threadId, reason, from: { threadId: from, seq: 2 } })
  return { store, threads, open, follows }
}

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const each of found) list.push(each)
  return list
}

async function idsOf(found: AsyncIterable<{ readonly threadId: string }>): Promise<string[]> {
  return (await all(found)).map(({ threadId }) => threadId)
}

it('reads a thread once where it is opened for a call, and looks for news at the next', async () => {
  const { store, threads: writer } = setUp()
  await writer.create({ threadId: 'thr' }, [user('hello')])
  let reads = 0
  const counting = new Proxy(store, {
    get(target, name) {
      if (name === 'read') reads += 1
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const threads = createThreads({ store: counting, clock: testClock(), ids: testIds() })
  expect((await threads.context('thr')).version).toBe(2)
  expect(reads).toBe(1)
  await writer.append('thr', [user('more')])
  expect((await threads.context('thr')).version).toBe(3)
  expect(reads).toBe(2)
})

describe('a thread that is not there', () => {
  it('is looked for again each time, since another process may begin it', async () => {
    const { threads, open } = setUp()
    expect(await threads.getEvents('late')).toEqual([])
    await expect(threads.context('late')).rejects.toMatchObject({ code: 'unknown-thread' })
    await open().create({ threadId: 'late' }, [user('hello')])
    expect(await threads.getEvents('late')).toHaveLength(2)
  })

  it('cannot be read while the store fails, and can afterwards', async () => {
    const { store } = setUp()
    let fails = true
    const failing = {
      ...store,
      info: async (id: string) => {
        if (fails) throw new Error('no disk')
        return store.info(id)
      },
      snapshot: store.snapshot.bind(store),
      read: store.read.bind(store),
      append: store.append.bind(store),
    }
    const threads = createThreads({ store: failing, clock: testClock(), ids: testIds() })
    await threads.create({ threadId: 't' })
    await expect(threads.context('t')).rejects.toThrow('no disk')
    fails = false
    expect((await threads.context('t')).version).toBe(1)
  })
})

describe('a fresh session', () => {
  it('has nothing to undo, and says where it came from', async () => {
    const { threads, follows } = setUp()
    await threads.create({ threadId: 'first' }, [user('hello'), ...answer('hi')])
    await follows('second', 'first')
    await expect(threads.undo('second')).rejects.toMatchObject({
      code: 'nothing-to-undo',
      where: 'first',
      message:
        'There is no compaction to undo: this thread began with a summary of first, which has not changed.',
      hint: 'Continue there: /resume first, or precis chat first.',
    })
    // Other failures stay what they are.
    await expect(threads.undo('first')).rejects.toMatchObject({
      code: 'nothing-to-undo',
      message: 'There is no compaction to undo: nothing was compacted here.',
    })
    await expect(threads.undo('none')).rejects.toMatchObject({ code: 'unknown-thread' })
  })

  it('is where the one before it leads to, as there is nothing to redo there', async () => {
    const { threads, follows } = setUp()
    await threads.create({ threadId: 'first' }, [user('hello'), ...answer('hi')])
    await expect(threads.redo('first')).rejects.toMatchObject({
      message: 'There is no undone compaction to redo.',
    })
    await follows('second', 'first')
    await expect(threads.redo('first')).rejects.toMatchObject({
      code: 'nothing-to-redo',
      where: 'second',
      message: 'There is no compaction to redo: thread second continues this one with a summary.',
      hint: 'Continue there: /resume second, or precis chat second.',
    })
    await expect(threads.redo('none')).rejects.toMatchObject({ code: 'unknown-thread' })
  })

  it('is found from the threads behind it, the latest first, and no fork or task is', async () => {
    const { store, threads, follows } = setUp()
    await threads.create({ threadId: 'first' })
    await follows('second', 'first')
    await follows('third', 'second')
    await follows('aside', 'first')
    await follows('fork', 'first', 'fork')
    await follows('task', 'first', 'task')
    expect(await all(listPastThreads(store, 'third'))).toEqual([
      { threadId: 'second', upTo: 2 },
      { threadId: 'first', upTo: 2 },
    ])
    expect(await idsOf(listPastThreads(store, 'fork'))).toEqual([])
    // Not the third one, which goes on from the second.
    expect(await idsOf(listFreshThreads(store, 'first'))).toEqual(['aside', 'second'])
    expect(await idsOf(listFreshThreads(store, 'third'))).toEqual([])
  })

  it('is looked for among those made since, also where an older one was used again', async () => {
    const { store, threads, follows } = setUp()
    await threads.create({ threadId: 'first' })
    await follows('old', 'first')
    await follows('new', 'first')
    const since = (await store.info('new'))?.createdAt.getTime()
    await threads.append('old', [user('again')])
    expect(await idsOf(listFreshThreads(store, 'first', since))).toEqual(['new'])
    expect(await idsOf(listFreshThreads(store, 'first'))).toEqual(['old', 'new'])
    const later = (await store.info('old'))?.updatedAt.getTime() ?? 0
    expect(await idsOf(listFreshThreads(store, 'first', later + 1))).toEqual([])
  })

  it('is found on any of the first ten pages of threads', async () => {
    const { store, threads, follows } = setUp()
    await threads.create({ threadId: 'first' })
    await follows('second', 'first')
    for (let count = 0; count < 12; count += 1) await threads.create()
    let pages = 0
    const small = {
      read: store.read.bind(store),
      list(options?: { readonly after?: string }) {
        pages += 1
        return store.list({ ...options, limit: 2 })
      },
    }
    expect(await idsOf(listFreshThreads(small, 'first'))).toEqual(['second'])
    expect(pages).toBe(7)
    for (let count = 0; count < 20; count += 1) await threads.create()
    pages = 0
    expect(await idsOf(listFreshThreads(small, 'first'))).toEqual([])
    expect(pages).toBe(10)
  })

  it('of a circle of logs leads back a bounded way', async () => {
    const { store, follows } = setUp()
    await follows('one', 'other')
    await follows('other', 'one')
    expect(await idsOf(listPastThreads(store, 'one'))).toHaveLength(16)
    expect(await idsOf(listFreshThreads(store, 'one'))).toEqual(['other'])
  })
})
