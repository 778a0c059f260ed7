// Random threads through a real store: opened by snapshot or by replay, they are what the pure core says.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestLog } from '../../test/generate/test-log.ts'
import { testClock, testFold, testIds } from '../../test/generate/test-log.ts'
import { generateThread } from '../../test/generate/thread.ts'
import { seeds } from '../../test/scale.ts'
import { readRow } from '../core/log/codec.ts'
import { type NewEvent, type ThreadEvent, undecodableOf } from '../core/log/event.ts'
import type { Row, Store } from '../core/ports.ts'
import type { Context } from '../core/view/context.ts'
import { openSqliteStore } from '../stores/index.ts'
import { createThreads } from './threads.ts'

const SEEDS = seeds(150)

let folder: string
let store: Store
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'precis-property-'))
  store = await openSqliteStore(join(folder, 'log.db'))
})
afterAll(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

/** Writes a log as it stands into the store, with a snapshot somewhere on the way. */
async function write(log: TestLog, threadId: string, snapshotAt: number): Promise<void> {
  const events = log
    .rows()
    .map(({ seq: _, ...row }) => ({ ...row, threadId, timestamp: new Date(row.timestamp) }))
    .map((row) => row as NewEvent)
  const parts = [events.slice(0, snapshotAt), events.slice(snapshotAt)]
  let state = testFold.init()
  for (const event of log.events.slice(0, snapshotAt))
    state = testFold.step(state, event, log.eventAt)
  let expectedVersion = 0
  for (const [at, part] of parts.entries()) {
    if (part.length === 0) continue
    const snapshot = at === 0 ? { snapshot: testFold.encode(state) } : {}
    await store.append(threadId, part, { expectedVersion, ...snapshot })
    expectedVersion += part.length
  }
}

/** The event as it reads in another thread; one that stands for a broken row has that row in it. */
function inThread(event: ThreadEvent, threadId: string): ThreadEvent {
  const broken = undecodableOf(event)
  return broken
    ? readRow({ ...(broken.undecodable as unknown as Row), threadId })
    : { ...event, threadId }
}

function plain({ items, open, ...context }: Context) {
  return { ...context, items: items.toArray(), open: [...open] }
}

describe('random threads in SQLite', () => {
  it('open to the context, messages and events that the pure core gives [LOG-21]', async () => {
    for (const seed of SEEDS) {
      const { log, random } = generateThread(seed, 30)
      const threadId = `thr_${seed}`
      await write(log, threadId, random.int(0, log.events.length))
      const threads = createThreads({ store, clock: testClock(), ids: testIds('s') })
      const at = `seed ${seed}`
      expect(plain(await threads.context(threadId)), at).toEqual(plain(log.context))
      expect(await threads.messages(threadId), at).toEqual(log.build())
      const working = log.working().map((event) => inThread(event, threadId))
      expect(await threads.getEvents(threadId), at).toEqual(working)
      for (let left = log.context.stack.length; left > 0; left -= 1) {
        log.undo()
        await threads.undo(threadId)
        expect((await threads.context(threadId)).items.toArray(), at).toEqual(
          log.context.items.toArray(),
        )
      }
      expect(await threads.messages(threadId), at).toEqual(log.build())
    }
  })
})
