// A prompt cache without marks, like OpenAI's: any earlier prefix counts, in steps.

import type { Segment } from './count.ts'
import { digest } from './seal.ts'

const MIN_TOKENS = 1_024

const STEP_TOKENS = 128

/** Long segments are cut into pieces, so one that only grows at its end is found again. */
const PIECE_CHARS = 512

const MAX_ENTRIES = 200_000

export class AutomaticCache {
  readonly #untilMs = new Map<string, number>()

  /** The cached tokens of one answered request; adds the request to the cache. */
  account(model: string, segments: readonly Segment[], nowMs: number, keepMs: number): number {
    let key = digest(model)
    let startTokens = 0
    let cachedTokens = 0
    let isKnown = true
    for (const { text, tokens } of segments) {
      for (let at = 0; at < text.length; at += PIECE_CHARS) {
        key = digest(key, text.slice(at, at + PIECE_CHARS))
        isKnown &&= (this.#untilMs.get(key) ?? 0) > nowMs
        const share = Math.min(1, (at + PIECE_CHARS) / text.length)
        if (isKnown) cachedTokens = startTokens + Math.floor(tokens * share)
        this.#put(key, nowMs + keepMs)
      }
      startTokens += tokens
    }
    if (cachedTokens < MIN_TOKENS) return 0
    return Math.floor(cachedTokens / STEP_TOKENS) * STEP_TOKENS
  }

  #put(key: string, untilMs: number): void {
    this.#untilMs.delete(key) // re-inserted at the end: the first is the least recently used
    this.#untilMs.set(key, untilMs)
    const oldest = this.#untilMs.keys().next().value
    if (this.#untilMs.size > MAX_ENTRIES && oldest !== undefined) this.#untilMs.delete(oldest)
  }
}
