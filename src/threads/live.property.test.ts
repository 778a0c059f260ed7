// Two processes on one store do anything to a thread: what each holds is what a replay of the log gives.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { LiveWorld } from '../../test/generate/live.ts'
import { testFold } from '../../test/generate/test-log.ts'
import { seeds } from '../../test/scale.ts'
import { pinsReducer } from '../core/edit/pins.ts'
import { type EventAt, isChange } from '../core/log/event.ts'
import type { Store } from '../core/ports.ts'
import { workingEvents } from '../core/view/api-events.ts'
import { buildMessages } from '../core/view/build.ts'
import { type Context, FOLD_VERSION } from '../core/view/context.ts'
import { reducedBy, type ThreadState } from '../core/view/thread-state.ts'
import { usageReducer } from '../core/window/usage.ts'
import { memoryStore, openSqliteStore } from '../stores/index.ts'

const STEPS = 25

async function forAllSeeds(count: number, store: () => Promise<Store>): Promise<void> {
  for (const seed of seeds(count)) {
    const world = await LiveWorld.begin(seed, await store())
    try {
      for (let step = 0; step < STEPS; step += 1) await checkStep(world)
    } catch (error) {
      const did = world.did.join(', ')
      throw new Error(`seed ${seed}, at step ${world.did.length} (${did})`, { cause: error })
    }
  }
}

async function checkStep(world: LiveWorld): Promise<void> {
  const before = await world.log()
  const { open } = replay(before, atOf(before)).context
  const thread = world.threadId
  const { reversed } = await world.step()
  const log = await world.log()
  const eventAt = atOf(log)
  const state = replay(log, eventAt)
  const written = log.slice(before.length)
  if (world.threadId === thread && written.some(isChange)) await checkSnapshot(world, log)
  if (reversed) expect([...state.context.open].filter((call) => !open.has(call))).toEqual([])
  const ignored = state.context.ignored.filter(({ seq }) => eventAt(seq)?.type !== 'FOREIGN')
  expect(ignored).toEqual([])
  for (const threads of world.processes) {
    const id = world.threadId
    same(plain(await threads.context(id)), plain(state.context))
    same(await threads.messages(id), buildMessages(state.context, eventAt))
    same(await threads.getEvents(id), workingEvents(state.context, eventAt))
    same(await threads.pins(id), reducedBy(state, pinsReducer))
    same(await threads.usage(id), reducedBy(state, usageReducer))
  }
}

/** A change is stored with a snapshot, from which the next process goes on without its history. */
async function checkSnapshot(world: LiveWorld, log: LiveLog): Promise<void> {
  const snapshot = await world.store.snapshot(world.threadId, FOLD_VERSION)
  const lastChange = log.findLast(isChange)?.seq ?? 0
  expect(snapshot?.seq).toBeGreaterThanOrEqual(lastChange)
  const stored = snapshot && testFold.decode(snapshot)
  const replayed = replay(log.slice(0, snapshot?.seq), atOf(log))
  same(stored && plain(stored.context), plain(replayed.context))
}

type LiveLog = Awaited<ReturnType<LiveWorld['log']>>

function atOf(log: LiveLog): EventAt {
  return (seq) => log[seq - 1]
}

function replay(log: LiveLog, eventAt: EventAt): ThreadState {
  return log.reduce((state, event) => testFold.step(state, event, eventAt), testFold.init())
}

function plain({ items, open, ...context }: Context) {
  return { ...context, items: items.toArray(), open: [...open] }
}

/** Quick where all is well, and with a readable difference where it is not. */
function same(is: unknown, should: unknown): void {
  if (!isDeepStrictEqual(is, should)) expect(is).toEqual(should)
}

describe('a thread that two processes change', () => {
  it('is in both what a replay of its log gives [LOG-21]', async () => {
    await forAllSeeds(120, async () => memoryStore())
  })

  it('is so in a database too [LOG-21]', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'precis-live-'))
    const store = await openSqliteStore(join(folder, 'log.db'))
    try {
      await forAllSeeds(6, async () => store)
    } finally {
      await store.close()
      await rm(folder, { recursive: true })
    }
  })
})
