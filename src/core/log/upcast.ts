// Converts rows of older versions to the current one, one version at a time, each row by itself.
import { isRecord } from '../text/json.ts'
import { EVENT_VERSION } from './event.ts'

type RawRow = Readonly<Record<string, unknown>>
type Upcaster = (data: unknown) => unknown

/**
 * From version 1, before usage was tracked: an answer could be plain text, a call named its answer `message`
 * and its arguments `input`, and a result only said whether it succeeded.
 */
const FROM_1: Readonly<Record<string, Upcaster>> = {
  AGENT_MESSAGE: (data: unknown) => {
    if (typeof data === 'string') return { content: data, calls: [] }
    if (!isRecord(data)) return data
    const { toolCalls = [], ...rest } = data
    return { calls: toolCalls, ...rest }
  },
  TOOL_CALL: (data: unknown) => {
    if (!isRecord(data)) return data
    const { input, message, ...rest } = data
    return { arguments: input, answer: message, ...rest }
  },
  TOOL_RESULT: (data: unknown) => {
    if (!isRecord(data)) return data
    const { success, content, ...rest } = data
    return {
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      ...(typeof success === 'boolean' && { status: success ? 'completed' : 'failed' }),
      ...rest,
    }
  },
}

/** The upcasters from each version to the next. A new version adds a line here and a golden file. */
const UPCASTERS: Readonly<Record<number, typeof FROM_1>> = { 1: FROM_1 }

/** The row in the current shape. Unknown content is left to validation. */
export function upcast(row: RawRow): RawRow {
  let current = row
  for (let version = Number(row.v); version < EVENT_VERSION; version += 1) {
    const known = UPCASTERS[version] ?? {}
    const type = String(row.type)
    const data = Object.hasOwn(known, type) ? known[type]?.(current.data) : current.data
    current = { ...current, v: version + 1, data }
  }
  return current
}

/**
 * An immutable list. Pushing onto the newest version is O(1); pushing onto an older one copies. The last
 * element is stored separately, so it can be replaced without affecting earlier versions.
 */
export class Sequence<T> {
  readonly length: number
  readonly #shared: T[] // all but the last; longer if a later version exists
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
