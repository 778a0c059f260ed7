// Backpressure: how many calls wait for a database, and how much they carry
import { PrecisError } from '../../core/errors.ts'
import { LIMITS } from './limits.ts'

/** Limits the calls that wait for a database and their total size; more are rejected. */
export class Backpressure {
  readonly #where: string
  #calls = 0
  #length = 0

  constructor(where: string) {
    this.#where = where
  }

  /** Throws `store-busy` over the limit. Each `enter` needs a `leave` with the same length. */
  enter(length: number): void {
    const isTooLong = this.#calls > 0 && this.#length + length > LIMITS.waitingLength
    if (this.#calls >= LIMITS.waitingCalls || isTooLong) {
      throw new PrecisError('store-busy', `Too many calls wait for the store ${this.#where}.`, {
        hint: 'Wait for earlier calls before making more.',
        where: this.#where,
        retryable: true,
      })
    }
    this.#calls += 1
    this.#length += length
  }

  leave(length: number): void {
    this.#calls -= 1
    this.#length -= length
  }
}
