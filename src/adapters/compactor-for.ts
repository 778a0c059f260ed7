// The compactor of an adapter: the caller's, or a new one for the adapter's format.

import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import { COMPACTOR_CHECKS, compactorWith } from '../compactor/compactor-with.ts'
import { KIT } from '../compactor/kit.ts'
import { computeMessageKey } from '../compactor/message-key.ts'
import { readUsage, type UsageLike } from '../compactor/usage-like.ts'
import { PrecisError } from '../core/errors.ts'
import * as option from '../core/options.ts'
import type { FormatId } from '../messages/dialect.ts'

const { format: _, ...ADAPTER_CHECKS } = COMPACTOR_CHECKS

/** `of` names the function in errors. */
export function compactorFor<M extends object>(
  of: string,
  options: Omit<CompactorOptions, 'format'> | Compactor<M>,
  format: FormatId,
): Compactor<M> {
  if (isCompactor(options)) return options
  option.checkOptions(of, options, ADAPTER_CHECKS)
  return compactorWith<M>({ ...options, format }, KIT, of)
}

export function isCompactor<M extends object>(given: object): given is Compactor<M> {
  return typeof Object(given).fit === 'function'
}

/** Checks the client of an SDK for the methods an adapter calls, such as `messages.create`. */
export function requireClient(of: string, client: unknown, methods: readonly string[]): void {
  for (const method of methods) {
    const found = method.split('.').reduce<unknown>((at, name) => Object(at)[name], client)
    if (typeof found === 'function') continue
    throw new PrecisError('invalid-input', `${of}: the client must have a method \`${method}\`.`, {
      where: 'client',
      hint: 'Pass the client of the SDK first, and the options behind it.',
    })
  }
}

/** Limits requests without an answer yet. */
const MOST_REQUESTS = 64

/** A client may serve several conversations at once, so each count is stored with its messages. */
export class UsageBook {
  readonly #counted = new Map<string, UsageLike>()

  /** `lists` are the messages of the request, as given and as sent. */
  note(usage: unknown, ...lists: readonly (readonly object[])[]): void {
    if (countedIn(usage) === undefined) return
    for (const messages of lists) {
      const key = hashPrefixes(messages).at(-1)
      if (key === undefined) continue
      this.#counted.delete(key)
      this.#counted.set(key, usage as UsageLike)
    }
    for (const key of this.#counted.keys()) {
      if (this.#counted.size <= 2 * MOST_REQUESTS) break
      this.#counted.delete(key)
    }
  }

  /** The count of the longest request these messages continue. Returned once. */
  take(messages: readonly object[]): UsageLike | undefined {
    const earlier = hashPrefixes(messages).slice(0, -1)
    const key = earlier.findLast((prefix) => this.#counted.has(prefix))
    const usage = key === undefined ? undefined : this.#counted.get(key)
    for (const [other, counted] of this.#counted) if (counted === usage) this.#counted.delete(other)
    return usage
  }
}

/** A usage for `fit`, which rejects one without counts; the caller cannot add what a server omits. */
export function countedIn(usage: unknown): UsageLike | undefined {
  return readUsage(Object(usage)) && (usage as UsageLike)
}

/** A key for each prefix of the messages. */
function hashPrefixes(messages: readonly object[]): string[] {
  let prefix = ''
  return messages.map((message) => {
    prefix = computeMessageKey([prefix, computeMessageKey(message)])
    return prefix
  })
}
