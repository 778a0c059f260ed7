// States that strategies ask for: of the whole log, made once, and stepped over new events only.
import { describe, expect, it } from 'vitest'
import { testClock, testIds } from '../../test/generate/test-log.ts'
import { user } from '../../test/say.ts'
import type { LogReducer, Strategy } from '../core/edit/strategy.ts'
import type { Store } from '../core/ports.ts'
import { memoryStore } from '../stores/memory/memory.ts'
import { LazyReducers } from './rows.ts'
import { createThreads } from './threads.ts'

/** The numbers of the events that it has seen, in a list that grows in place. */
function seenReducer(version = 1): LogReducer<number[]> & { readonly steps: number[] } {
  const steps: number[] = []
  return {
    name: 'seen',
    version,
    steps,
    init: () => [],
    step(seen, { seq }) {
      steps.push(seq)
      seen.push(seq)
      return seen
    },
  }
}

async function fiveEvents() {
  const store = memoryStore()
  const threads = createThreads({ store, clock: testClock(), ids: testIds() })
  const threadId = await threads.create({}, [user('a'), user('b'), user('c'), user('d')])
  return { store, threads, threadId }
}

describe('LazyReducers', () => {
  it('steps over each event once, however often it is asked', async () => {
    const { store, threads, threadId } = await fiveEvents()
    const lazy = new LazyReducers(store, threadId)
    const reducer = seenReducer()
    expect(await lazy.reduce(reducer, 3)).toEqual([1, 2, 3])
    expect(await lazy.reduce(reducer, 3)).toEqual([1, 2, 3])
    await threads.append(threadId, [user('e')])
    expect(await lazy.reduce(reducer, 6)).toEqual([1, 2, 3, 4, 5, 6])
    expect(reducer.steps).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('makes an earlier state apart, and keeps the later one', async () => {
    const { store, threadId } = await fiveEvents()
    const lazy = new LazyReducers(store, threadId)
    const reducer = seenReducer()
    const later = await lazy.reduce(reducer, 5)
    expect(await lazy.reduce(reducer, 2)).toEqual([1, 2])
    expect(later).toEqual([1, 2, 3, 4, 5])
    expect(await lazy.reduce(reducer, 5)).toBe(later)
  })

  it('begins anew for another version of a reducer', async () => {
    const { store, threadId } = await fiveEvents()
    const lazy = new LazyReducers(store, threadId)
    await lazy.reduce(seenReducer(1), 5)
    const newer = seenReducer(2)
    expect(await lazy.reduce(newer, 5)).toEqual([1, 2, 3, 4, 5])
    expect(newer.steps).toHaveLength(5)
  })

  it('serves two that ask at once, one after the other', async () => {
    const { store, threadId } = await fiveEvents()
    const lazy = new LazyReducers(store, threadId)
    const reducer = seenReducer()
    const both = await Promise.all([lazy.reduce(reducer, 5), lazy.reduce(reducer, 5)])
    expect(both[0]).toEqual([1, 2, 3, 4, 5])
    expect(reducer.steps).toHaveLength(5)
  })

  it('forgets a state that a failed reading left half made', async () => {
    const { store, threadId } = await fiveEvents()
    let fails = true
    const failing: Pick<Store, 'read'> = {
      read: (id, range) => (fails ? Promise.reject(new Error('gone')) : store.read(id, range)),
    }
    const lazy = new LazyReducers(failing, threadId)
    await expect(lazy.reduce(seenReducer(), 5)).rejects.toThrow('gone')
    fails = false
    expect(await lazy.reduce(seenReducer(), 5)).toEqual([1, 2, 3, 4, 5])
  })
})

describe('reduce, as a strategy is given it', () => {
  it('tells of the whole log, what was compacted away included, as of the context', async () => {
    const { threads, threadId } = await fiveEvents()
    const reducer = seenReducer()
    const told: (readonly number[])[] = []
    const strategy: Strategy = {
      id: 'asking',
      async propose({ context, reduce }) {
        told.push([...((await reduce?.(reducer)) ?? [])])
        const covers = context.items.toArray().map(({ id }) => id)
        return { edits: [{ covers, put: [{ type: 'USER_MESSAGE', data: 'all', label: 'brief' }] }] }
      },
    }
    await threads.compact(threadId, strategy)
    await threads.compact(threadId, strategy)
    expect(told).toEqual([
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5, 6],
    ])
    expect(reducer.steps).toHaveLength(6)
  })
})
