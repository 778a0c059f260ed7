// Rate limit per client: a token bucket of one minute
import { PrecisError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'

interface Bucket {
  left: number
  atMs: number
}

/** Those who asked longest ago are forgotten first: they would have a full bucket again. */
const MOST_BUCKETS = 10_000
const MINUTE_MS = 60_000

export class RateLimit {
  readonly #perMinute: number
  readonly #clock: Clock
  readonly #buckets = new Map<string, Bucket>()

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /** Throws if it is too often. */
  take(who: string): void {
    if (this.#perMinute === Number.POSITIVE_INFINITY) return
    const nowMs = this.#clock.now().getTime()
    const before = this.#buckets.get(who) ?? { left: this.#perMinute, atMs: nowMs }
    const earned = ((nowMs - before.atMs) / MINUTE_MS) * this.#perMinute
    const left = Math.min(this.#perMinute, before.left + Math.max(0, earned))
    this.#keep(who, { left: left < 1 ? left : left - 1, atMs: nowMs })
    if (left >= 1) return
    const seconds = Math.ceil(((1 - left) / this.#perMinute) * (MINUTE_MS / 1_000))
    throw new PrecisError('rate-limited', 'Too many requests.', {
      hint: `Rate limit: ${this.#perMinute} requests per minute. Try again in ${seconds} s.`,
      retryable: true,
      details: { retryAfterSeconds: seconds },
    })
  }

  #keep(who: string, bucket: Bucket): void {
    this.#buckets.delete(who)
    this.#buckets.set(who, bucket)
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > MOST_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest)
  }
}
