// What must be true of a store whose process was killed while it appended, forked and deleted.
import { expect } from 'vitest'
import type { Store, ThreadInfo } from '../../src/core/ports.ts'
import { openStore } from '../../src/stores/open-store.ts'
import type { Scenario } from './harness.ts'
import { foldRows } from './sum.ts'

export const appendScenario: Scenario = {
  name: 'append',
  proves:
    'all that was confirmed is there, once; what came together is whole; snapshots fit; what was deleted is gone',
  child: new URL('./append-child.ts', import.meta.url),
  check: async (address, acknowledged) => {
    const store = await openStore(address)
    const { items } = await store.list({ limit: 1000 })
    for (const info of items) await checkThread(store, info)
    checkAcknowledged(items, acknowledged)
    await store.close()
  },
}

async function checkThread(store: Store, { threadId, version }: ThreadInfo): Promise<void> {
  const rows = await store.read(threadId)
  expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: version }, (_, i) => i + 1))
  expect(rows.every((row) => row.threadId === threadId)).toBe(true)
  for (const { seq, data } of rows) {
    const { first, last } = data as { first: number; last: number }
    expect(first <= seq && seq <= last && last <= version, `${threadId} ${seq} is whole`).toBe(true)
  }
  const snapshot = await store.snapshot(threadId, 1)
  if (!snapshot) return
  expect(snapshot.seq).toBeLessThanOrEqual(version)
  expect(snapshot.state).toEqual(foldRows({ seq: 0, total: 0 }, rows.slice(0, snapshot.seq)))
}

function checkAcknowledged(items: readonly ThreadInfo[], acknowledged: readonly string[]): void {
  const versions = new Map(items.map((info) => [info.threadId, info.version]))
  for (const line of acknowledged) {
    const [threadId = '', rest = ''] = line.split(' ')
    if (threadId === 'gone') expect(versions.has(rest), line).toBe(false)
    else expect(versions.get(threadId) ?? 0, line).toBeGreaterThanOrEqual(Number(rest))
  }
}
