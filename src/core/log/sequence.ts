// A list that grows by pushing and shares its storage with its earlier versions.

/**
 * Immutable to its readers. Pushing onto the newest version is O(1); pushing onto an older one copies.
 * The last element is held apart from the shared storage, so that it can be replaced without
 * touching what earlier versions see.
 */
export class Sequence<T> {
  readonly length: number
  readonly #shared: T[] // everything but the last; longer than that where a later version exists
  readonly #last: T | undefined

  private constructor(shared: T[], last: T | undefined, length: number) {
    this.#shared = shared
    this.#last = last
    this.length = length
  }

  static from<T>(items: readonly T[]): Sequence<T> {
    return items.length === 0
      ? new Sequence<T>([], undefined, 0)
      : new Sequence(items.slice(0, -1), items[items.length - 1], items.length)
  }

  at(index: number): T | undefined {
    if (index < 0 || index >= this.length) return undefined
    return index === this.length - 1 ? this.#last : this.#shared[index]
  }

  get last(): T | undefined {
    return this.#last
  }

  push(item: T): Sequence<T> {
    if (this.length === 0) return new Sequence<T>([], item, 1)
    const newest = this.#shared.length === this.length - 1
    const shared = newest ? this.#shared : this.#shared.slice(0, this.length - 1)
    shared.push(this.#last as T)
    return new Sequence(shared, item, this.length + 1)
  }

  replaceLast(item: T): Sequence<T> {
    return new Sequence(this.#shared, item, this.length)
  }

  toArray(): T[] {
    if (this.length === 0) return []
    const items = this.#shared.slice(0, this.length - 1)
    items.push(this.#last as T)
    return items
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index) as T
  }
}
