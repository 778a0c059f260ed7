// Shared by both OpenAI APIs: the automatic cache, and arguments as JSON text
import type { Fields, Json } from '../../core/text/json.ts'
import { textOf } from '../../validate/walk.ts'
import type { CacheUsage } from '../cache.ts'
import type { Segment } from '../count.ts'
import type { AutomaticCache } from '../prefix-cache.ts'
import type { Links } from '../wire-format.ts'

/** For an API that remembers nothing. */
export const NO_LINKS: Links = { ofRequest: () => [], ofAnswer: () => [], onward: () => [] }

const FIVE_MINUTES_MS = 5 * 60_000
const ONE_DAY_MS = 24 * 60 * 60_000

/** What is written to this cache costs nothing, and is not told. */
export function accountAutomatically(
  body: Fields,
  segments: readonly Segment[],
  inputTokens: number,
  cache: AutomaticCache,
  nowMs: number,
): CacheUsage {
  const keepMs = body.prompt_cache_retention === '24h' ? ONE_DAY_MS : FIVE_MINUTES_MS
  const readTokens = cache.account(textOf(body.model) ?? '', segments, nowMs, keepMs)
  return {
    readTokens,
    writtenTokens: 0,
    writtenForHourTokens: 0,
    uncachedTokens: inputTokens - readTokens,
  }
}

/** Arguments that a model cut off or got wrong are no JSON: then they are their own text. */
export function parsedJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}
