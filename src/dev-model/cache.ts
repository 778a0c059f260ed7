// A prompt cache with marks, like Anthropic's: reads, writes and lifetimes.

import type { Segment } from './count.ts'
import { digest } from './seal.ts'

/** The parts of a prompt by price. Their sum is the whole prompt. */
export interface CacheUsage {
  readonly readTokens: number
  readonly writtenTokens: number // for all lifetimes
  readonly writtenForHourTokens: number
  readonly uncachedTokens: number
}

interface CacheEntry {
  readonly keepMs: number
  readonly untilMs: number
}

interface Place {
  readonly key: string // of everything up to this segment
  readonly endTokens: number
  readonly keepMs: number | undefined
}

/** Each mark looks back over at most this many segments, itself included. */
const LOOKBACK_SEGMENTS = 20
const MAX_ENTRIES = 50_000
const ONE_HOUR_MS = 60 * 60_000

export class MarkedCache {
  readonly #minTokens: number | undefined
  readonly #entries = new Map<string, CacheEntry>()

  /** `minTokens`: a shorter prefix is silently not cached. Default: per model. */
  constructor(minTokens?: number) {
    this.#minTokens = minTokens
  }

  /**
   * Accounts for one answered request. `settings` change how messages are read (tool choice, thinking): a new
   * one keeps the cache of tools and system.
   */
  account(
    model: string,
    settings: string,
    segments: readonly Segment[],
    nowMs: number,
    modelMinTokens = 0,
  ): CacheUsage {
    const minTokens = this.#minTokens ?? modelMinTokens
    const places = findPlaces(model, settings, segments)
    const marks = places.flatMap(({ keepMs }, index) => (keepMs === undefined ? [] : [index]))
    const hit = this.#longestHit(places, marks, nowMs)
    const readTokens = places[hit]?.endTokens ?? 0
    let hourEnd = readTokens
    let end = readTokens
    for (const index of marks) {
      const place = places[index]
      if (place?.keepMs === undefined) continue
      if (index <= hit) this.#refresh(place.key, nowMs)
      else if (place.endTokens >= minTokens) {
        this.#put(place.key, { keepMs: place.keepMs, untilMs: nowMs + place.keepMs })
        end = place.endTokens
        if (place.keepMs === ONE_HOUR_MS) hourEnd = end
      }
    }
    const total = places.at(-1)?.endTokens ?? 0
    return {
      readTokens,
      writtenTokens: end - readTokens,
      writtenForHourTokens: hourEnd - readTokens,
      uncachedTokens: total - end,
    }
  }

  /** The last cached prefix any mark reaches; -1 if there is none. */
  #longestHit(places: readonly Place[], marks: readonly number[], nowMs: number): number {
    for (const mark of marks.toReversed()) {
      for (let at = mark; at >= 0 && at > mark - LOOKBACK_SEGMENTS; at -= 1) {
        const key = places[at]?.key ?? ''
        if ((this.#entries.get(key)?.untilMs ?? 0) <= nowMs) continue
        this.#refresh(key, nowMs)
        return at
      }
    }
    return -1
  }

  #refresh(key: string, nowMs: number): void {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.untilMs <= nowMs) return
    this.#put(key, { ...entry, untilMs: nowMs + entry.keepMs })
  }

  #put(key: string, entry: CacheEntry): void {
    this.#entries.delete(key) // re-inserted at the end: the first is the least recently used
    this.#entries.set(key, entry)
    const oldest = this.#entries.keys().next().value
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest)
  }
}

function findPlaces(
  model: string,
  settings: string,
  segments: readonly Segment[],
): readonly Place[] {
  let key = digest(model)
  let endTokens = 0
  let isInMessages = false
  return segments.map(({ level, text, tokens, keepMs }) => {
    if (level === 'messages' && !isInMessages) {
      isInMessages = true
      key = digest(key, settings)
    }
    key = digest(key, text)
    endTokens += tokens
    return { key, endTokens, keepMs }
  })
}
