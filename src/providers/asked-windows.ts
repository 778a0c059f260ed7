// Windows as servers tell them, kept for a while: not every request begins with a question.
import { PrecisError } from '../core/errors.ts'
import type { Provider } from '../core/model.ts'
import type { Clock, Signal } from '../core/ports.ts'
import type { ModelRef } from '../core/view/content.ts'
import { LimitedCache } from './limited-cache.ts'

const MOST_MODELS = 100
/** What runs at home may be loaded again with another window. */
const KEEP_MS = 5 * 60_000
/** What could not be told now may be soon: the server is started, the model is loaded. */
const KEEP_UNKNOWN_MS = 30_000
/** Nobody waits longer to hear how much fits: the request itself says what is wrong. */
const LONGEST_QUESTION_MS = 5_000

export class AskedWindows {
  readonly #known: LimitedCache<{ readonly tokens?: number }>
  readonly #longestMs: number

  constructor(clock: Clock, longestMs = LONGEST_QUESTION_MS) {
    this.#known = new LimitedCache(MOST_MODELS, clock)
    this.#longestMs = longestMs
  }

  /** What was told before, if it still counts. Asks nobody. */
  known(ref: ModelRef): number | undefined {
    return this.#known.get(ref)?.tokens
  }

  /** Undefined if the server does not know, or cannot be asked. Rejects only with `aborted`. */
  async ask(ref: ModelRef, provider: Provider, signal?: Signal): Promise<number | undefined> {
    const known = this.#known.get(ref)
    if (known !== undefined) return known.tokens
    const tokens = await this.#answer(provider, ref.slice(ref.indexOf('/') + 1), signal)
    if (tokens === undefined) this.#known.set(ref, {}, KEEP_UNKNOWN_MS)
    else this.#known.set(ref, { tokens }, KEEP_MS)
    return tokens
  }

  async #answer(provider: Provider, model: string, signal?: Signal): Promise<number | undefined> {
    if (provider.windowOf === undefined) return undefined
    const patience = new AbortController()
    const stop = () => patience.abort()
    const timer = setTimeout(stop, this.#longestMs)
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
    try {
      return await provider.windowOf(model, patience.signal)
    } catch (thrown) {
      if (!PrecisError.is(thrown) || signal?.aborted) throw thrown
      return undefined // who cannot be asked now says so when the first request fails
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }
}
