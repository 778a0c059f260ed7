// Pauses between attempts: how long they are, and that nothing is waited for in vain.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { PrecisError } from '../../core/errors.ts'
import type { ModelRetry } from '../../core/model.ts'
import type { Clock } from '../../core/ports.ts'
import { pausesKept } from '../contract/fixture-server.ts'
import { type Attempts, RETRY_POLICY, retryCall, retryStream } from './timed-fetch.ts'

const context = { provider: 'p', baseUrl: 'http://127.0.0.1', secrets: [] }
const passing = (details = {}) =>
  new PrecisError('overloaded', 'busy', { retryable: true, details })

function failing(error: PrecisError) {
  let calls = 0
  const call = async () => {
    calls += 1
    throw error
  }
  return { call, count: () => calls }
}

describe('pauses', () => {
  it('double, stay within half and whole, and below the longest', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        async (share) => {
          const { clock, pausesMs } = pausesKept()
          const { call, count } = failing(passing())
          const policy = { retries: 7 }
          const attempts: Attempts = { context, clock, policy, random: () => share }
          await expect(retryCall(attempts, call)).rejects.toMatchObject({ code: 'overloaded' })
          expect(count()).toBe(8)
          for (const [index, pauseMs] of pausesMs.entries()) {
            const full = Math.min(
              RETRY_POLICY.longestPauseMs,
              RETRY_POLICY.firstPauseMs * 2 ** index,
            )
            expect(pauseMs).toBeGreaterThanOrEqual(full / 2)
            expect(pauseMs).toBeLessThanOrEqual(full)
          }
        },
      ),
      runs(30),
    )
  })

  it('are never shorter than the server asks', async () => {
    const { clock, pausesMs } = pausesKept()
    const attempts: Attempts = { context, clock, policy: { retries: 2 }, random: () => 0.5 }
    const call = failing(passing({ retryAfterMs: 10_000 })).call
    await expect(retryCall(attempts, call)).rejects.toMatchObject({ code: 'overloaded' })
    expect(pausesMs).toEqual([10_500, 10_500])
  })

  it('are told before they begin: the next attempt, of how many, why, and how long', async () => {
    const { clock, pausesMs } = pausesKept()
    const told: ModelRetry[] = []
    const onRetry = (retry: ModelRetry) => told.push(retry)
    const attempts = { context, clock, policy: { retries: 2 }, random: () => 0, onRetry }
    await expect(retryCall(attempts, failing(passing()).call)).rejects.toMatchObject({})
    const [reason] = told.map((each) => each.reason)
    expect(told).toEqual(
      pausesMs.map((waitMs, at) => ({ attempt: at + 2, attempts: 3, reason, waitMs })),
    )
    expect(told).toHaveLength(2)
    expect(reason).toMatch(/\w/)
  })

  it('end when the signal fires, and nothing is asked any more', async () => {
    const controller = new AbortController()
    const clock: Clock = {
      now: () => new Date(0),
      sleep: async (_ms, signal) => {
        controller.abort()
        expect(signal?.aborted).toBe(true)
      },
    }
    const { call, count } = failing(passing())
    const attempts: Attempts = { context, clock, signal: controller.signal }
    await expect(retryCall(attempts, call)).rejects.toMatchObject({ code: 'aborted' })
    expect(count()).toBe(1)
  })
})

describe('attempts', () => {
  it('are not repeated where it would not help', async () => {
    const { clock, pausesMs } = pausesKept()
    const { call, count } = failing(new PrecisError('auth-failed', 'no'))
    await expect(retryCall({ context, clock }, call)).rejects.toMatchObject({ code: 'auth-failed' })
    expect({ calls: count(), pausesMs }).toEqual({ calls: 1, pausesMs: [] })
  })

  it('have a signal each, which fires when they are over', async () => {
    const { clock } = pausesKept()
    const signals: AbortSignal[] = []
    async function* open(signal: AbortSignal) {
      signals.push(signal)
      expect(signal.aborted).toBe(false)
      if (signals.length === 1) throw passing()
      yield 1
    }
    for await (const item of retryStream({ context, clock }, open)) expect(item).toBe(1)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  it('leave no listener behind', async () => {
    const { clock } = pausesKept()
    let listeners = 0
    const signal = {
      aborted: false,
      addEventListener: () => {
        listeners += 1
      },
      removeEventListener: () => {
        listeners -= 1
      },
    }
    await retryCall({ context, clock, signal }, async () => 1)
    expect(listeners).toBe(0)
  })
})
