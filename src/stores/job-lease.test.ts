// The lease under which a job runs: renewed, lost, given back, and how long a job may take.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Signal } from '../core/model.ts'
import { runUnderLease } from './job-options.ts'
import { LIMITS } from './rows/limits.ts'

const SECOND = 1_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A job that runs until it is ended. `answers` is what the store says to each asking; then yes. */
function startJob(answers: readonly (boolean | Promise<boolean>)[], timeoutMs = 90 * SECOND) {
  const calls: string[] = []
  const job = Promise.withResolvers<void>()
  let signal: Signal | undefined
  const store = {
    async takeLease(_name: string, _owner: string, ttlMs: number) {
      calls.push(`take ${ttlMs}`)
      return (await answers[calls.length - 1]) ?? true
    },
    async releaseLease() {
      calls.push('release')
    },
  }
  const ran = runUnderLease(store, 'a', 'me', timeoutMs, async (_, its) => {
    signal = its
    await job.promise
  })
  return { calls, ran, end: job.resolve, isOver: () => signal?.aborted }
}

describe('the lease of a job', () => {
  it('is renewed three times in its life, which is a minute at most, until the job ends', async () => {
    const long = startJob([])
    await vi.advanceTimersByTimeAsync(41 * SECOND)
    expect(long.calls).toEqual(['take 60000', 'take 60000', 'take 60000'])
    long.end()
    expect(await long.ran).toBe(true)
    await vi.advanceTimersByTimeAsync(60 * SECOND)
    expect(long.calls.slice(3)).toEqual(['release'])
    const short = startJob([], 3 * SECOND)
    await vi.advanceTimersByTimeAsync(1 * SECOND)
    expect(short.calls).toEqual(['take 3000', 'take 3000'])
    short.end()
    await short.ran
  })

  it('outlives a store that fails to renew it', async () => {
    const failing = Promise.reject(new Error('not now'))
    failing.catch(() => undefined)
    const { calls, isOver, end, ran } = startJob([true, failing])
    await vi.advanceTimersByTimeAsync(41 * SECOND)
    expect([calls.length, isOver()]).toEqual([3, false])
    end()
    expect(await ran).toBe(true)
  })

  it('is lost where another has it since, and the job is told', async () => {
    const { isOver, end, ran } = startJob([true, false])
    await vi.advanceTimersByTimeAsync(19 * SECOND)
    expect(isOver()).toBe(false)
    await vi.advanceTimersByTimeAsync(1 * SECOND)
    expect(isOver()).toBe(true)
    end()
    expect(await ran).toBe(true)
  })

  it('is kept where the time of the job is over, which is told', async () => {
    const { calls, isOver, end, ran } = startJob([])
    await vi.advanceTimersByTimeAsync(89 * SECOND)
    expect(isOver()).toBe(false)
    await vi.advanceTimersByTimeAsync(12 * SECOND)
    expect([calls.length, isOver()]).toEqual([6, true])
    end()
    await ran
  })

  it('is not taken again behind the back of whoever gives it back', async () => {
    const renewal = Promise.withResolvers<boolean>()
    const { calls, end, ran } = startJob([true, renewal.promise])
    await vi.advanceTimersByTimeAsync(20 * SECOND)
    end()
    await vi.advanceTimersByTimeAsync(1)
    expect(calls).toEqual(['take 60000', 'take 60000'])
    renewal.resolve(true)
    await ran
    expect(calls.at(-1)).toBe('release')
  })

  it('is another’s: then nothing is done', async () => {
    const { calls, ran, isOver } = startJob([false])
    expect(await ran).toBe(false)
    expect([calls, isOver()]).toEqual([['take 60000'], undefined])
  })

  it('has a name of its own also where that of the thread is longer than a store takes', async () => {
    const names = new Set<string>()
    const store = {
      takeLease: async (name: string) => {
        names.add(name)
        return false
      },
      releaseLease: async () => undefined,
    }
    const long = 'x'.repeat(LIMITS.nameLength)
    for (const threadId of [`${long}1`, `${long}2`, 'short'])
      await runUnderLease(store, threadId, 'me', SECOND, async () => undefined)
    expect(names.size).toBe(3)
    for (const name of names) expect(name.length).toBeLessThanOrEqual(LIMITS.nameLength)
  })
})
