// The clock and the ids of this machine.
import { describe, expect, it } from 'vitest'
import { randomIds, systemClock } from './system.ts'

describe('ids', () => {
  it('are unique and sorted by when they were made', () => {
    const ids = Array.from({ length: 20_000 }, () => randomIds.next('evt'))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.toSorted()).toEqual(ids)
    expect(ids[0]).toMatch(/^evt_[0-9a-z]+$/)
  })
})

describe('the clock', () => {
  it('wakes at once when the signal fires, before or during the sleep', async () => {
    const stop = new AbortController()
    const sleeping = systemClock.sleep(3_600_000, stop.signal)
    stop.abort()
    await sleeping
    await systemClock.sleep(3_600_000, stop.signal)
    await systemClock.sleep(1)
    expect(systemClock.now()).toBeInstanceOf(Date)
  })
})
