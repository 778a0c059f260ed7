// Many followers and several writing threads on one server: no event is lost, out of order or late.
import { expect, it } from 'vitest'
import { startDevModel } from '../../src/dev-model/index.ts'
import type { Client } from '../../src/protocol/client.ts'
import { until, within } from '../wait.ts'
import { temporaryFolder } from './folder.ts'
import { startServe, writeHome } from './serve-child.ts'
import { converse } from './setup.ts'

export interface LoadOptions {
  readonly followers: number
  readonly writers: number
  readonly messagesEach: number
}

const TIMEOUT_MS = 900_000
/** For what comes within a second; whoever waits longer waits for ever. */
const BOUND_MS = 120_000
/** Delays differ by machine; what is lost for a while and found by polling takes several times as long as the rest. */
const MOST_P99_PER_P50 = 20
const LEAST_P99_MS = 2_000

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
        await within(
          `the end of turn ${at} of ${threadId}`,
          converse(client, threadId, `message ${at} to ${threadId}`),
          BOUND_MS,
        )
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
  const behind = () =>
    followed.filter(({ threadId, ids }) => ids.length < (stored.get(threadId)?.length ?? 0)).length
  await until(() => `${behind()} of ${followers} followers to have every event`, isThere, {
    withinMs: BOUND_MS,
  })
  stop.abort()
  await within('the end of all streams', Promise.all(following), BOUND_MS)
  for (const { threadId, ids } of followed) expect(ids).toEqual(stored.get(threadId))
  const sorted = delaysMs.toSorted((one, other) => one - other)
  expect(sorted.length).toBeGreaterThan(0)
  const share = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  process.stdout.write(
    `${followers} followers, ${writers} writers: ${sorted.length} events arrived, delay p50 ${share(0.5)} ms, p99 ${share(0.99)} ms\n`,
  )
  expect(share(0.99)).toBeLessThan(Math.max(LEAST_P99_MS, share(0.5) * MOST_P99_PER_P50))
}
