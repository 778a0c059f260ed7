// What a provider counted for a request, until the request comes that has its answer
import { keyOf } from '../compactor/message-key.ts'
import { readUsage, type UsageLike } from '../compactor/usage-like.ts'

/** Requests whose answers have not come back yet. */
const MOST_REQUESTS = 64

/** One client may serve several conversations at the same time: a count belongs to the messages it was made for. */
export class UsageBook {
  readonly #counted = new Map<string, UsageLike>()

  /** `lists` are the messages of the request: as they were given, and as they were sent. */
  note(usage: unknown, ...lists: readonly (readonly object[])[]): void {
    if (countedIn(usage) === undefined) return
    for (const messages of lists) {
      const key = prefixesOf(messages).at(-1)
      if (key === undefined) continue
      this.#counted.delete(key)
      this.#counted.set(key, usage as UsageLike)
    }
    for (const key of this.#counted.keys()) {
      if (this.#counted.size <= 2 * MOST_REQUESTS) break
      this.#counted.delete(key)
    }
  }

  /** The count of the longest request that the messages go on from. It is given once. */
  take(messages: readonly object[]): UsageLike | undefined {
    const earlier = prefixesOf(messages).slice(0, -1)
    const key = earlier.findLast((prefix) => this.#counted.has(prefix))
    const usage = key === undefined ? undefined : this.#counted.get(key)
    for (const [other, counted] of this.#counted) if (counted === usage) this.#counted.delete(other)
    return usage
  }
}

/** A usage for `fit`, which refuses one that has no count: the caller cannot help what a server leaves out. */
export function countedIn(usage: unknown): UsageLike | undefined {
  return readUsage(Object(usage)) && (usage as UsageLike)
}

/** A key for each beginning of the messages. */
function prefixesOf(messages: readonly object[]): string[] {
  let prefix = ''
  return messages.map((message) => {
    prefix = keyOf([prefix, keyOf(message)])
    return prefix
  })
}
