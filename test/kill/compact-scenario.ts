// What must be true of a thread whose process was killed while it grew, compacted and undid.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { readRow } from '../../src/core/codec.ts'
import { type Context, emptyContext, foldEvent } from '../../src/core/context.ts'
import type { EventAt, ThreadEvent } from '../../src/core/event.ts'
import type { Store } from '../../src/core/ports.ts'
import { runsOf } from '../../src/core/run.ts'
import { seamsOf } from '../../src/core/seam.ts'
import type { Strategy } from '../../src/core/strategy.ts'
import { openStore } from '../../src/stores/index.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { createThreads, type Threads } from '../../src/threads/threads.ts'
import type { Scenario } from './harness.ts'
import { below, type Random } from './random.ts'

export const THREAD = 'thr_killed'

/** Everything but the last few entries becomes one summary. */
const tailOnly: Strategy = {
  id: 'tail-only',
  async propose({ context, eventAt }) {
    const items = context.items.toArray()
    const seams = seamsOf(items, context.open)
    let end = Math.max(0, items.length - 6)
    while (end > 0 && !seams[end]) end -= 1
    const put = [{ type: 'USER_MESSAGE', data: 'what was before', label: 'summary' }] as const
    return { edits: end === 0 ? [] : [{ covers: runsOf(items.slice(0, end), eventAt), put }] }
  },
}

export function threadsOn(store: Store, random: Random): Threads {
  return createThreads({
    store,
    clock: { now: () => new Date(), sleep: async () => undefined },
    ids: { next: (prefix) => `${prefix}_${below(random, 2 ** 31)}_${below(random, 2 ** 31)}` },
    strategies: [...DEFAULT_STRATEGIES, tailOnly],
  })
}

/** A context in few characters: equal hashes, equal contexts. */
export function hashOf(context: Context): string {
  const { items, open, ...rest } = context
  const plain = { ...rest, items: items.toArray(), open: [...open] }
  return createHash('sha256').update(JSON.stringify(plain)).digest('hex').slice(0, 16)
}

export const compactScenario: Scenario = {
  name: 'compact',
  child: new URL('./compact-child.ts', import.meta.url),
  check: async (folder, acknowledged) => {
    const path = join(folder, 'log.db')
    if (!existsSync(path)) return expect(acknowledged).toEqual([])
    const store = await openStore(path)
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
  const threads = threadsOn(store, () => 0)
  expect(hashOf(await threads.context(THREAD))).toBe(hashes.get(version))
  const { problems } = await threads.messages(THREAD)
  expect(problems.filter(({ code }) => code === 'missing-row' || code === 'orphan-result')).toEqual(
    [],
  )
}
