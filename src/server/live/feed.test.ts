// The feed of a thread: one order for rows and frames, whichever of them comes first.
import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '../../core/agent/frame.ts'
import type { NewEvent } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import { memoryStore } from '../../stores/memory/memory.ts'
import { systemClock } from '../../system.ts'
import { ThreadFeed } from './feed.ts'

const LIMITS = { followerItems: 100, followerChars: 100_000 }
const timestamp = new Date(0)

function said(seq: number): NewEvent {
  return { v: 2, id: `evt_${seq}`, threadId: 'thr_1', timestamp, type: 'USER_MESSAGE', data: 'x' }
}

function frame(type: 'text-delta' | 'answer-end'): AgentFrame {
  const at = { threadId: 'thr_1', timestamp }
  return type === 'text-delta' ? { type, ...at, text: 'x' } : { type, ...at, seq: 1 }
}

/** A store whose followers hear of rows only when they are let. */
function lateStore(): { store: Store; open: () => void } {
  const store = memoryStore()
  const { promise, resolve } = Promise.withResolvers<void>()
  const late: Store = {
    ...store,
    append: store.append.bind(store),
    info: store.info.bind(store),
    async *follow(threadId, afterSeq, signal) {
      for await (const row of store.follow(threadId, afterSeq, signal)) {
        await promise
        yield row
      }
    },
  }
  return { store: late, open: resolve }
}

async function namesUntil(
  follower: ReturnType<ThreadFeed['join']>,
  count: number,
): Promise<string[]> {
  const names: string[] = []
  while (names.length < count) {
    const text = (await follower.take(systemClock, 1_000)) ?? ''
    names.push(...[...text.matchAll(/^event: (.*)$/gm)].map(([, name = '']) => name))
  }
  return names
}

describe('ThreadFeed', () => {
  it('keeps a frame back until what it speaks of has come, and what follows it', async () => {
    const { store, open } = lateStore()
    await store.append('thr_1', [said(1)], { expectedVersion: 0 })
    const feed = new ThreadFeed(store, 'thr_1', 1, LIMITS, () => true)
    const follower = feed.join(1)
    feed.take(frame('text-delta'))
    await store.append('thr_1', [said(2)], { expectedVersion: 1 })
    feed.take(frame('answer-end'))
    feed.take(frame('text-delta'))
    await store.append('thr_1', [said(3)], { expectedVersion: 2 })
    setImmediate(open)
    const names = await namesUntil(follower, 5)
    expect(names.slice(0, 2)).toEqual(['text-delta', 'event'])
    expect(names.indexOf('answer-end')).toBeGreaterThan(names.indexOf('event'))
    expect(names.lastIndexOf('text-delta')).toBeGreaterThan(names.indexOf('answer-end'))
    feed.close()
  })

  it('closes where the store fails, so that nobody waits for what never comes', async () => {
    const store = memoryStore()
    await store.append('thr_1', [said(1)], { expectedVersion: 0 })
    const info = () => Promise.reject(new Error('no'))
    const broken: Store = { ...store, follow: store.follow.bind(store), info }
    const feed = new ThreadFeed(broken, 'thr_1', 1, LIMITS, () => true)
    const follower = feed.join(1)
    feed.take(frame('answer-end'))
    expect(await follower.take(systemClock, 1_000)).toBeUndefined()
    expect(feed.isClosed).toBe(true)
  })

  it('lets a follower go that is too slow, and keeps the others', async () => {
    const store = memoryStore()
    const feed = new ThreadFeed(store, 'thr_1', 0, { ...LIMITS, followerItems: 3 }, () => true)
    const [slow, quick] = [feed.join(0), feed.join(0)]
    for (let at = 0; at < 10; at += 1) {
      feed.take(frame('text-delta'))
      expect(await quick.take(systemClock, 1_000)).toContain('text-delta')
    }
    expect(await slow.take(systemClock, 1_000)).toBeUndefined()
    feed.close()
    expect(await quick.take(systemClock, 1_000)).toBeUndefined()
  })
})
