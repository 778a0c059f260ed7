// What must be true of followers that are killed and go on where they were: every row once, in order.
import { expect } from 'vitest'
import { openStore } from '../../src/stores/open-store.ts'
import { FOLLOWED, seenBefore } from './follow-threads.ts'
import type { Scenario } from './harness.ts'

export const followScenario: Scenario = {
  name: 'follow',
  proves: 'followers go on where they were, with every row once and in order',
  child: new URL('./follow-child.ts', import.meta.url),
  tell: (acknowledged) =>
    [...seenBefore(acknowledged)].map(([threadId, seq]) => `${threadId} ${seq}`).join('\n'),
  check: async (address, acknowledged) => {
    const store = await openStore(address)
    for (const threadId of FOLLOWED) {
      const seen = acknowledged.filter((line) => line.startsWith(`${threadId} `))
      const stored = (await store.read(threadId)).map((row) => `${threadId} ${row.seq} ${row.id}`)
      expect(seen).toEqual(stored.slice(0, seen.length))
      const caughtUp: string[] = []
      if (seen.length === stored.length) continue
      const { signal } = new AbortController()
      for await (const row of store.follow(threadId, seen.length, signal)) {
        caughtUp.push(`${threadId} ${row.seq} ${row.id}`)
        if (row.seq === stored.length) break
      }
      expect([...seen, ...caughtUp]).toEqual(stored)
    }
    await store.close()
  },
}
