// Earlier exchanges, found again by what names them: ids, signatures, texts. The oldest are forgotten.
import type { Exchange } from '../validate/walk.ts'

interface Remembered {
  readonly number: number
  readonly exchange: Exchange
  readonly keys: readonly string[]
  readonly chars: number
}

const MAX_EXCHANGES = 2_000
const MAX_CHARS = 100_000_000

export class Memory {
  readonly #byNumber = new Map<number, Remembered>()
  readonly #byKey = new Map<string, Remembered>()
  #lastNumber = 0
  #chars = 0

  remember(exchange: Exchange, keys: readonly string[], chars: number): void {
    this.#lastNumber += 1
    const remembered = { number: this.#lastNumber, exchange, keys, chars }
    this.#byNumber.set(remembered.number, remembered)
    this.#chars += chars
    for (const key of keys) this.#byKey.set(key, remembered)
    for (const oldest of this.#byNumber.values()) {
      if (this.#byNumber.size <= MAX_EXCHANGES && this.#chars <= MAX_CHARS) break
      this.#drop(oldest)
    }
  }

  find(key: string): Exchange | undefined {
    return this.#byKey.get(key)?.exchange
  }

  /** False if nothing goes by this name. */
  forget(key: string): boolean {
    const found = this.#byKey.get(key)
    if (found !== undefined) this.#drop(found)
    return found !== undefined
  }

  /** The exchanges of these names and, through `onward`, those that they continue; oldest first. */
  related(
    keys: readonly string[],
    onward: (exchange: Exchange) => readonly string[],
  ): readonly Exchange[] {
    const found = new Map<number, Exchange>()
    const waiting = [...keys]
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      const remembered = this.#byKey.get(key)
      if (remembered === undefined || found.has(remembered.number)) continue
      found.set(remembered.number, remembered.exchange)
      for (const next of onward(remembered.exchange)) waiting.push(next)
    }
    return [...found].sort(([one], [other]) => one - other).map(([, exchange]) => exchange)
  }

  #drop(remembered: Remembered): void {
    this.#byNumber.delete(remembered.number)
    this.#chars -= remembered.chars
    for (const key of remembered.keys) {
      if (this.#byKey.get(key) === remembered) this.#byKey.delete(key)
    }
  }
}
