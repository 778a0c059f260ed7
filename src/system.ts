// The clock and the ids of this machine, for whoever brings none of their own.
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Clock, Ids } from './core/ports.ts'

export const systemClock: Clock = {
  now: () => new Date(),
  async sleep(ms, signal) {
    const waking = new AbortController()
    const wake = () => waking.abort()
    signal?.addEventListener('abort', wake)
    if (signal?.aborted) wake()
    await setTimeout(ms, undefined, { signal: waking.signal }).catch((error: unknown) => {
      if (!waking.signal.aborted) throw error
    })
    signal?.removeEventListener('abort', wake)
  },
}

export const randomIds: Ids = {
  next: (prefix) => `${prefix}_${randomUUID().replaceAll('-', '')}`,
}
