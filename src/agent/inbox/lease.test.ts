// A lease by a clock that the test moves: when it is renewed, and when it is lost.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/dev-model/manual-clock.ts'
import { holdLease } from './thread-lease.ts'

const TTL_MS = 30_000
type Answer = boolean | 'fails' | 'hangs'

/** A lease that was taken, then renewals with these answers; the last one again and again. */
async function held(...answers: readonly Answer[]) {
  const clock = new ManualClock()
  const calls: string[] = []
  const store = {
    async takeLease() {
      const answer = answers[Math.min(calls.length - 1, answers.length - 1)]
      calls.push('take')
      if (answer === 'fails') throw new Error('no connection')
      if (answer === 'hangs') return new Promise<boolean>(() => undefined)
      return answer ?? true
    },
    async releaseLease() {
      calls.push('release')
    },
  }
  const lease = await holdLease({ store, clock, name: 'n', owner: 'o', ttlMs: TTL_MS })
  if (!lease) throw new Error('it was not taken')
  /** Whether it is lost after so many thirds of its time. */
  const lostAfter = async (thirds: number) => {
    for (let third = 0; third < thirds; third += 1) {
      clock.advance(TTL_MS / 3)
      for (let turn = 0; turn < 3; turn += 1) await nextTurn() // what was woken goes to its next sleep
    }
    return lease.lost.aborted
  }
  return { lease, calls, clock, lostAfter }
}

describe('a lease', () => {
  it('is renewed three times in its life time, and given back once', async () => {
    const { lease, calls, lostAfter } = await held(true)
    expect(await lostAfter(9)).toBe(false)
    expect(calls).toEqual(Array.from({ length: 10 }, () => 'take'))
    await lease.release()
    expect(calls.slice(10)).toEqual(['release'])
    expect(await lostAfter(3)).toBe(false)
    expect(calls).toHaveLength(11)
  })

  it('is given back behind a renewal that is under way, which would take it again', async () => {
    const clock = new ManualClock()
    const calls: string[] = []
    const renewal = Promise.withResolvers<boolean>()
    const store = {
      async takeLease() {
        calls.push('take')
        if (calls.length === 1) return true
        const taken = await renewal.promise
        calls.push('taken')
        return taken
      },
      async releaseLease() {
        calls.push('release')
      },
    }
    const lease = await holdLease({ store, clock, name: 'n', owner: 'o', ttlMs: TTL_MS })
    clock.advance(TTL_MS / 3)
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
    const released = lease?.release()
    await nextTurn()
    renewal.resolve(true)
    await released
    expect(calls).toEqual(['take', 'take', 'taken', 'release'])
  })

  it('is lost at once where another has it', async () => {
    const { calls, lostAfter } = await held(false)
    expect(await lostAfter(1)).toBe(true)
    expect(await lostAfter(3)).toBe(true)
    expect(calls).toHaveLength(2)
  })

  it('outlives renewals that fail, until its time is over', async () => {
    const { lostAfter } = await held('fails', 'fails', true, 'fails')
    expect(await lostAfter(3)).toBe(false) // renewed the third time
    expect(await lostAfter(2)).toBe(false)
    expect(await lostAfter(1)).toBe(true)
  })

  it('is lost also where the store does not answer for as long as a lease lasts', async () => {
    const { lease, calls, lostAfter } = await held('hangs')
    expect(await lostAfter(3)).toBe(false)
    expect(await lostAfter(1)).toBe(true)
    await lease.release()
    expect(calls).toEqual(['take', 'take', 'release'])
  })

  it('is asked for also by who slept beyond its time, and kept where nobody took it', async () => {
    const { clock, lostAfter } = await held(true)
    clock.advance(5 * TTL_MS)
    expect(await lostAfter(1)).toBe(false)
    expect(await lostAfter(3)).toBe(false)
  })

  it('is none where another has it from the start, or the store fails', async () => {
    const clock = new ManualClock()
    const options = { clock, name: 'n', owner: 'o', ttlMs: TTL_MS }
    const releaseLease = async () => undefined
    const taken = { takeLease: async () => false, releaseLease }
    expect(await holdLease({ ...options, store: taken })).toBeUndefined()
    const failing = { takeLease: () => Promise.reject(new Error('no connection')), releaseLease }
    await expect(holdLease({ ...options, store: failing })).rejects.toThrow('no connection')
    expect(clock.sleepers).toBe(0)
  })
})
