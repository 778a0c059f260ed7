// The machine's clock, for a stand-in that is given none.
import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../core/ports.ts'

export const machineClock: Clock = {
  now: () => new Date(),
  async sleep(ms, signal) {
    if (signal?.aborted) return
    const waking = new AbortController()
    const wake = () => waking.abort()
    signal?.addEventListener('abort', wake)
    await setTimeout(ms, undefined, { signal: waking.signal }).catch((error: unknown) => {
      if (!waking.signal.aborted) throw error
    })
    signal?.removeEventListener('abort', wake)
  },
}
