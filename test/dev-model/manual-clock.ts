// A clock that stands still until a test moves it.

import type { Signal } from '../../src/core/model.ts'
import type { Clock } from '../../src/core/ports.ts'

export class ManualClock implements Clock {
  #nowMs = Date.parse('2026-01-01T00:00:00Z')
  #sleepers: { untilMs: number; wake: () => void }[] = []

  now(): Date {
    return new Date(this.#nowMs)
  }

  sleep(ms: number, signal?: Signal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise<void>((wake) => {
      this.#sleepers.push({ untilMs: this.#nowMs + ms, wake })
      signal?.addEventListener('abort', wake)
    })
  }

  /** How many wait for the time to pass. */
  get sleepers(): number {
    return this.#sleepers.length
  }

  advance(ms: number): void {
    this.#nowMs += ms
    const due = this.#sleepers.filter(({ untilMs }) => untilMs <= this.#nowMs)
    this.#sleepers = this.#sleepers.filter((sleeper) => !due.includes(sleeper))
    for (const { wake } of due) wake()
  }
}
