// Short names for contents: the same content always gets the same one.
import { createHash } from 'node:crypto'
import type { Json } from '../core/text/json.ts'

/** A hash of several texts, in hex. Where one ends and the next begins counts. */
export function digest(...texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text.length}:`).update(text)
  return hash.digest('hex')
}

/** The content as it was sent, but without marks for the cache, which are no part of a prompt. */
export function promptText(value: Json): string {
  return JSON.stringify(value, (key, each: Json) => (key === 'cache_control' ? undefined : each))
}

/** A word in letters and digits that can be in an id. */
export function idOf(prefix: string, ...texts: readonly string[]): string {
  return `${prefix}${digest(...texts).slice(0, 24)}`
}
