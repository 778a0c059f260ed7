// What must be true of a thread whose process was killed while it grew, compacted and undid.
import { expect } from 'vitest'
import { readRow } from '../../src/core/log/codec.ts'
import type { EventAt, ThreadEvent } from '../../src/core/log/event.ts'
import type { Store } from '../../src/core/ports.ts'
import { emptyContext, foldEvent } from '../../src/core/view/context.ts'
import { openStore } from '../../src/stores/open-store.ts'
import { Random } from '../generate/random.ts'
import { hashOf, THREAD, threadsOn } from './compact-threads.ts'
import type { Scenario } from './harness.ts'

export const compactScenario: Scenario = {
  name: 'compact',
  proves: 'contexts are those of before or after, from the log and from the snapshot',
  child: new URL('./compact-child.ts', import.meta.url),
  check: async (address, acknowledged) => {
    const store = await openStore(address)
    const events = (await store.read(THREAD)).map(readRow)
    const hashes = hashesOf(events)
    for (const line of acknowledged) {
      const [version = '', hash] = line.split(' ')
      expect(hashes.get(Number(version)), `the context at version ${version}`).toBe(hash)
    }
    if (events.length > 0) await checkOpening(store, events.length, hashes)
    await store.close()
  },
}

/** The context after each event, by a replay from the first one on. */
function hashesOf(events: readonly ThreadEvent[]): Map<number, string> {
  const eventAt: EventAt = (seq) => events[seq - 1]
  const hashes = new Map<number, string>()
  let context = emptyContext()
  for (const event of events) {
    context = foldEvent(context, event, eventAt)
    hashes.set(context.version, hashOf(context))
  }
  expect(context.ignored).toEqual([])
  return hashes
}

/** Opened from its snapshot, the thread is what a replay gives: that of before or after, never between. */
async function checkOpening(
  store: Store,
  version: number,
  hashes: ReadonlyMap<number, string>,
): Promise<void> {
  const threads = threadsOn(store, new Random(0))
  expect(hashOf(await threads.context(THREAD))).toBe(hashes.get(version))
  const { problems } = await threads.messages(THREAD)
  expect(problems.filter(({ code }) => code === 'missing-row' || code === 'orphan-result')).toEqual(
    [],
  )
}
