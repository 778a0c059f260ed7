// The end of a server: it waits for what runs, and for what its followers are still to be told.
import { describe, expect, it } from 'vitest'
import type { NewEvent } from '../../core/log/event.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { memoryStore } from '../../stores/memory/memory.ts'
import { systemClock } from '../../system.ts'
import { Activity } from '../live/activity.ts'
import { Feeds } from '../live/feeds.ts'
import { Drain } from './store-answers.ts'

const LIMITS = { followerItems: 100, followerChars: 100_000, heartbeatMs: 10_000, streams: 10 }
const timestamp = new Date(0)
const FIRST: NewEvent = {
  v: 2,
  id: 'evt_1',
  threadId: 'thr_1',
  timestamp,
  type: 'USER_MESSAGE',
  data: 'x',
}

/** Feeds of one thread over a store that is slow to say how far the thread is. */
async function setUpFeeds() {
  const memory = memoryStore()
  await memory.append('thr_1', [FIRST], { expectedVersion: 0 })
  const asked = Promise.withResolvers<void>()
  let isSlow = false
  const store: Pick<Store, 'follow' | 'info' | 'read'> = {
    follow: memory.follow.bind(memory),
    read: memory.read.bind(memory),
    async info(threadId) {
      if (isSlow) await asked.promise
      return memory.info(threadId)
    },
  }
  const feeds = new Feeds({ store, clock: systemClock, limits: LIMITS, isOwnRun: () => true })
  const { pieces } = await feeds.follow('thr_1', 1, new AbortController().signal)
  isSlow = true
  return { feeds, pieces, answer: asked.resolve }
}

async function readText(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

const TURN_END = { type: 'turn-end', threadId: 'thr_1', timestamp, end: 'done' } as const

describe('Drain', () => {
  it('is not finished before the end of the last turn was passed on to those who follow', async () => {
    const { feeds, pieces, answer } = await setUpFeeds()
    feeds.take(TURN_END)
    let looks = 0
    const sleep: Clock['sleep'] = async () => {
      looks += 1
      if (looks === 3) answer()
    }
    const clock = { now: () => systemClock.now(), sleep }
    expect(await new Drain(new Activity(), feeds, clock).finish(60_000)).toEqual([])
    expect(looks).toBeGreaterThanOrEqual(3)
    feeds.close()
    expect(await readText(pieces)).toContain('turn-end')
  })

  it('waits no longer for that than it was given', async () => {
    const { feeds, pieces } = await setUpFeeds()
    feeds.take(TURN_END)
    expect(await new Drain(new Activity(), feeds, systemClock).finish(60)).toEqual([])
    feeds.close()
    expect(await readText(pieces)).not.toContain('turn-end')
  })
})
