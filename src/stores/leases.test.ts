// When a lease changes hands, and what a clock that is set does to it.
import { describe, expect, it } from 'vitest'
import { testClock } from '../../test/generate/test-log.ts'
import { type Lease, leaseAfter } from './leases.ts'
import { memoryStore } from './memory/memory.ts'

const MINUTE_MS = 60_000
const held: Lease = { owner: 'one', expiresAtMs: 10 * MINUTE_MS, ttlMs: MINUTE_MS }

const CASES: [name: string, held: Lease | undefined, nowMs: number, owner: string, ends: number][] =
  [
    ['one that nobody has', undefined, 0, 'two', 5],
    ['one that another has', held, 9.5 * MINUTE_MS, 'one', 600],
    ['one that another has to the last', held, 10 * MINUTE_MS - 1, 'one', 600],
    ['one whose time is just over', held, 10 * MINUTE_MS, 'two', 605],
    ['one whose time is long over', held, 100 * MINUTE_MS, 'two', 6005],
    ['one that has exactly its own length to run', held, 9 * MINUTE_MS, 'one', 600],
    ['one from before the clock was set back', held, MINUTE_MS, 'one', 120],
  ]

describe('a lease', () => {
  it.each(CASES)('asked for by two for 5 s: %s', (_, before, nowMs, owner, endsAtSeconds) => {
    const after = leaseAfter(before, { name: 'a', owner: 'two', ttlMs: 5_000 }, nowMs)
    expect(after).toMatchObject({ owner, expiresAtMs: endsAtSeconds * 1_000 })
  })

  it('asked for by its owner runs from now, longer or shorter', () => {
    for (const ttlMs of [1, 10 * MINUTE_MS]) {
      const after = leaseAfter(held, { name: 'a', owner: 'one', ttlMs }, 9.5 * MINUTE_MS)
      expect(after).toEqual({ owner: 'one', expiresAtMs: 9.5 * MINUTE_MS + ttlMs, ttlMs })
    }
  })

  it('goes by the clock that the store in memory was given, also when that is set back', async () => {
    const clock = testClock()
    const store = memoryStore(clock)
    const two = () => store.takeLease('a', 'two', MINUTE_MS)
    await store.takeLease('a', 'one', MINUTE_MS)
    clock.advance(-1_000 * MINUTE_MS)
    expect(await two()).toBe(false)
    clock.advance(MINUTE_MS - 1)
    expect(await two()).toBe(false)
    clock.advance(1)
    expect(await two()).toBe(true)
  })
})
