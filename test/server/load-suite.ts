// Many followers and several writing threads on one server: no event is lost, out of order or late.
import { expect, it } from 'vitest'
import { startDevModel } from '../../src/dev-model/index.ts'
import type { Client } from '../../src/protocol/client.ts'
import { until } from '../wait.ts'
import { temporaryFolder } from './folder.ts'
import { startServe, writeHome } from './serve-child.ts'
import { converse } from './setup.ts'

export interface LoadOptions {
  readonly followers: number
  readonly writers: number
  readonly messagesEach: number
}

const TIMEOUT_MS = 900_000
/** Events are pushed: far below the 15 s after which a follower that missed one would look by itself. */
const LATE_MS = 10_000

export function loadSuite({ followers, writers, messagesEach }: LoadOptions): void {
  it(
    `${followers} followers and ${writers} writing threads on one process: no event lost, out of order or late`,
    async () => {
      const folder = temporaryFolder()
      const dev = await startDevModel()
      writeHome(folder, dev.url)
      const server = await startServe(folder, ['--rate', '1000000'])
      try {
        await runLoad(server.client, { followers, writers, messagesEach })
      } finally {
        await server.end('SIGTERM')
        await dev.close()
      }
    },
    TIMEOUT_MS,
  )
}

interface Followed {
  readonly threadId: string
  readonly ids: string[]
}

async function runLoad(
  client: Client,
  { followers, writers, messagesEach }: LoadOptions,
): Promise<void> {
  const threads = await Promise.all(Array.from({ length: writers }, () => client.createThread()))
  const stop = new AbortController()
  const delaysMs: number[] = []
  const followed: Followed[] = []
  const following = Array.from({ length: followers }, async (_, at) => {
    const threadId = threads[at % writers]?.threadId ?? ''
    const ids: string[] = []
    followed.push({ threadId, ids })
    for await (const item of client.follow(threadId, 0, stop.signal)) {
      if (item.kind !== 'event') continue
      ids.push(item.event.id)
      // What was there before is not waited for.
      if (item.event.seq > 2) delaysMs.push(Date.now() - item.event.timestamp.getTime())
    }
  })
  for (const { threadId } of followed) expect(threadId).not.toBe('')
  await Promise.all(
    threads.map(async ({ threadId }) => {
      for (let at = 0; at < messagesEach; at += 1)
        await converse(client, threadId, `message ${at} to ${threadId}`)
    }),
  )
  const stored = new Map<string, readonly string[]>()
  for (const { threadId } of threads)
    stored.set(
      threadId,
      (await client.events(threadId, { limit: 10_000 })).map(({ id }) => id),
    )
  const isThere = () =>
    followed.every(({ threadId, ids }) => ids.length >= (stored.get(threadId)?.length ?? 0))
  await until('every follower to have every event', isThere, { withinMs: TIMEOUT_MS / 3 })
  stop.abort()
  await Promise.all(following)
  for (const { threadId, ids } of followed) expect(ids).toEqual(stored.get(threadId))
  const sorted = delaysMs.toSorted((one, other) => one - other)
  const share = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  expect(share(0.99), 'the delay of events in ms, p99').toBeLessThan(LATE_MS)
  process.stdout.write(
    `${followers} followers, ${writers} writers: ${sorted.length} events arrived, delay p50 ${share(0.5)} ms, p99 ${share(0.99)} ms\n`,
  )
}
