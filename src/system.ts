// The default clock and id source, from what every host has: timers and random bytes.
import type { Clock, Ids } from './core/ports.ts'

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      signal?.addEventListener('abort', wake)
    }),
}

let lastMs = 0
let counter = 0

/** Unique and ascending, so that an index of them grows at its end. */
export const randomIds: Ids = {
  next(prefix) {
    const nowMs = Math.max(Date.now(), lastMs)
    counter = nowMs === lastMs ? counter + 1 : 0
    lastMs = nowMs
    const time = nowMs.toString(36).padStart(9, '0')
    const count = counter.toString(36).padStart(4, '0')
    return `${prefix}_${time}${count}${randomHex()}`
  },
}

const RANDOM_CHARS = 16
/** Ids per call for random bytes, which is the slowest step. */
const IDS_AT_ONCE = 256
let random = ''
let used = 0

function randomHex(): string {
  if (used === random.length) {
    const bytes = crypto.getRandomValues(new Uint8Array((IDS_AT_ONCE * RANDOM_CHARS) / 2))
    random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    used = 0
  }
  used += RANDOM_CHARS
  return random.slice(used - RANDOM_CHARS, used)
}
