// What compactions keep of their unfinished work: with the thread, across processes, and never in its log.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testClock, testIds } from '../../test/generate/test-log.ts'
import { user } from '../../test/say.ts'
import type { Store } from '../core/ports.ts'
import { memoryStore } from '../stores/memory/memory.ts'
import { openStore } from '../stores/open-store.ts'
import { threadScratch } from './compaction-progress.ts'
import { createThreads } from './threads.ts'

async function withThread(store: Store) {
  const threads = createThreads({ store, clock: testClock(), ids: testIds() })
  const threadId = await threads.create()
  await threads.append(threadId, [user('hello')])
  return { threads, threadId, scratch: threadScratch(store, threadId) }
}

const STORES: readonly (readonly [string, () => Promise<Store>])[] = [
  ['in memory', async () => memoryStore()],
  [
    'in SQLite',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'precis-scratch-'))
      const store = await openStore(join(folder, 'log.db'))
      onTestFinished(async () => {
        await store.close()
        rmSync(folder, { recursive: true, force: true })
      })
      return store
    },
  ],
]

describe.each(STORES)('a scratch %s', (_, open) => {
  it('keeps values by key, the latest of each, while the thread grows', async () => {
    const { threads, threadId, scratch } = await withThread(await open())
    expect(await scratch.get('a')).toBeUndefined()
    await scratch.set('a', { text: 'one' })
    await threads.append(threadId, [user('more')])
    await scratch.set('b', 2)
    await scratch.set('a', { text: 'three' })
    expect([await scratch.get('a'), await scratch.get('b')]).toEqual([{ text: 'three' }, 2])
    expect((await threads.getAllEvents(threadId)).map(({ type }) => type)).toEqual([
      'THREAD_STARTED',
      'USER_MESSAGE',
      'USER_MESSAGE',
    ])
    await scratch.clear()
    expect(await scratch.get('a')).toBeUndefined()
  })

  it('forgets the oldest, and is none of another thread', async () => {
    const store = await open()
    const { threads, scratch } = await withThread(store)
    for (let at = 0; at < 20; at += 1) await scratch.set(`key ${at}`, at)
    expect(await scratch.get('key 11')).toBeUndefined()
    expect(await scratch.get('key 19')).toBe(19)
    expect(await threadScratch(store, await threads.create()).get('key 19')).toBeUndefined()
  })

  it('leaves the snapshots of the thread alone', async () => {
    const store = await open()
    const { threads, threadId, scratch } = await withThread(store)
    const many = Array.from({ length: 1_200 }, (_each, at) => user(`message ${at}`))
    await threads.append(threadId, many)
    await scratch.set('a', 1)
    const again = createThreads({ store, clock: testClock(), ids: testIds('b') })
    expect((await again.context(threadId)).items.length).toBe(1_201)
    expect(await scratch.get('a')).toBe(1)
  })
})

describe('a scratch that cannot be written', () => {
  it('says nothing: what it does not keep is done again', async () => {
    const store = memoryStore()
    const { scratch } = await withThread(store)
    await store.close()
    await scratch.set('a', 1)
    expect(await scratch.get('a')).toBeUndefined()
    await scratch.clear()
    const unknown = threadScratch(memoryStore(), 'thr_none')
    await unknown.set('a', 1)
    expect(await unknown.get('a')).toBeUndefined()
  })
})
