// The blocks of a view in order, with lookup by key; updates near the end are cheap
import type { ViewBlock } from './view-block.ts'

export class BlockList {
  readonly #blocks: ViewBlock[] = []
  readonly #places = new Map<string, number>()
  #made = 0

  get blocks(): readonly ViewBlock[] {
    return this.#blocks
  }

  get(key: string): ViewBlock | undefined {
    const place = this.#places.get(key)
    return place === undefined ? undefined : this.#blocks[place]
  }

  /** A key that no other block has. */
  newKey(): string {
    this.#made += 1
    return `n${this.#made}`
  }

  /** In place of the one with its key, or behind all others. */
  put(block: ViewBlock): void {
    const place = this.#places.get(block.key)
    if (place !== undefined) {
      this.#blocks[place] = block
      return
    }
    this.#places.set(block.key, this.#blocks.length)
    this.#blocks.push(block)
  }

  /** These in place of the first of those keys, whose blocks go; behind all others if there is none. */
  exchange(keys: readonly string[], blocks: readonly ViewBlock[]): void {
    const places = keys
      .flatMap((key) => this.#places.get(key) ?? [])
      .sort((one, other) => one - other)
    const first = places[0] ?? this.#blocks.length
    const gone = new Set(keys)
    const behind = this.#blocks.splice(first).filter(({ key }) => !gone.has(key))
    for (const key of keys) this.#places.delete(key)
    for (const block of behind) this.#places.delete(block.key)
    for (const block of [...blocks, ...behind]) this.put(block)
  }

  /** Blocks of an earlier part of the thread; they take the place of those that went by their keys. */
  prepend(earlier: readonly ViewBlock[]): void {
    const keys = new Set(earlier.map(({ key }) => key))
    const all = [...earlier, ...this.#blocks.filter(({ key }) => !keys.has(key))]
    this.#blocks.length = 0
    this.#places.clear()
    for (const block of all) this.put(block)
  }
}
