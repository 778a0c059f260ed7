// A cache with two limits: how many it keeps, and for how long.
import type { Clock } from '../core/ports.ts'

interface Kept<T> {
  readonly value: T
  readonly untilMs: number
}

export class LimitedCache<T> {
  readonly #maxEntries: number
  readonly #clock: Clock
  readonly #entries = new Map<string, Kept<T>>()

  constructor(maxEntries: number, clock: Clock) {
    this.#maxEntries = maxEntries
    this.#clock = clock
  }

  /** Undefined if it was never set, is too old, or had to make room. */
  get(key: string): Kept<T>['value'] | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.untilMs > this.#nowMs() ? entry.value : undefined
  }

  set(key: string, value: T, keepMs: number): void {
    this.#entries.delete(key) // so that it stands last: the first is the oldest
    this.#entries.set(key, { value, untilMs: this.#nowMs() + keepMs })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest)
  }

  #nowMs(): number {
    return this.#clock.now().getTime()
  }
}
