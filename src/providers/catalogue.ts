// The built-in catalogue of models: windows, limits, prices, names and addresses. Loads no SDK.

import { z } from 'zod'
import { PrecisError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import listed from './catalogue.json' with { type: 'json' }

/** For unlisted models. Too small costs an early compaction; too large costs a turn. */
export const DEFAULT_WINDOW_TOKENS = 128_000
/**
 * The same for local models. Memory for the window is allocated with the model, used or not: about 4 GB for 8
 * billion parameters.
 */
export const HOME_WINDOW_TOKENS = 32_768

const tokens = z.number().int().positive()
const dollars = z.number().nonnegative() // per million tokens
const prices = {
  input: dollars,
  cacheRead: dollars.exactOptional(),
  cacheWrite5m: dollars.exactOptional(),
  cacheWrite1h: dollars.exactOptional(),
  output: dollars,
}
const entry = z.strictObject({
  // Absent if the server decides: a local model has the window it was loaded with.
  windowTokens: tokens.exactOptional(),
  inputTokens: tokens.exactOptional(), // set if the prompt alone has a smaller limit
  outputTokens: tokens.exactOptional(),
  price: z
    .strictObject({
      ...prices,
      // Long prompts cost more, from their first token on.
      long: z.strictObject({ aboveTokens: tokens, ...prices }).exactOptional(),
    })
    .exactOptional(),
  thinking: z.enum(['adaptive', 'budget']).exactOptional(),
  prefill: z.boolean().exactOptional(), // accepts a prefilled answer
  boundThinking: z.boolean().exactOptional(), // thinking is valid only after its original prefix
})
const catalogue = z.object({ date: z.iso.date(), models: z.record(z.string(), entry) })

type Entry = z.output<typeof entry>
export type Prices = Omit<NonNullable<Entry['price']>, 'long'>

/** The maximum length of a prompt, and its source. */
export interface ModelWindow {
  readonly tokens: number
  readonly from: WindowSource
}
export type WindowSource = 'catalogue' | 'settings' | 'server' | 'default'

export interface ModelInfo extends Omit<Entry, 'windowTokens'> {
  /** The maximum length of a prompt; contexts are measured against it. */
  readonly windowTokens: number
  readonly windowFrom: WindowSource
  /** Whether the catalogue or the settings list it. */
  readonly known: boolean
}

/** Keyed by `provider/model`; each entry overrides or extends the list. */
export type ModelOverrides = Readonly<Record<string, Entry>>

const LISTED = catalogue.parse(listed)

/** The date of the list. */
export const CATALOGUE_DATE = LISTED.date
export const LISTED_MODELS: readonly string[] = Object.keys(LISTED.models)

/** A dated snapshot has the figures of its model. */
const SNAPSHOT = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/

export function modelInfo(
  model: string,
  overrides: ModelOverrides = {},
  defaultWindowTokens = DEFAULT_WINDOW_TOKENS,
): ModelInfo {
  const names = [model, model.replace(SNAPSHOT, '')]
  const found = names.map((name) => LISTED.models[name]).find(Boolean)
  const own = names.map((name) => overrides[name]).find(Boolean)
  const { windowTokens, ...rest } = { ...found, ...own }
  const window = windowTokens ?? defaultWindowTokens
  const isOwn = own?.windowTokens !== undefined
  const isListed = windowTokens !== undefined
  return {
    ...rest,
    windowTokens: Math.min(window, rest.inputTokens ?? window),
    windowFrom: isOwn ? 'settings' : isListed ? 'catalogue' : 'default',
    known: isListed,
  }
}

/** Reads figures from settings. Throws `invalid-settings` with the model and the problem. */
export function readModelOverrides(value: unknown, where: string): ModelOverrides {
  const read = z.record(z.string().regex(/^[^/]+\/.+$/), entry).safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new PrecisError(
    'invalid-settings',
    `${issue?.path.join('.') || 'the models'}: ${issue?.message ?? 'not as expected'}`,
    {
      where,
      hint: 'A model is {"provider/model": {"windowTokens": 200000, "price": {"input": 3, "output": 15}}}.',
    },
  )
}

interface CacheEntry<T> {
  readonly value: T
  readonly untilMs: number
}

/** A cache limited in size and age. */
export class LimitedCache<T> {
  readonly #maxEntries: number
  readonly #clock: Clock
  readonly #entries = new Map<string, CacheEntry<T>>()

  constructor(maxEntries: number, clock: Clock) {
    this.#maxEntries = maxEntries
    this.#clock = clock
  }

  /** Undefined if it was never set, expired, or was evicted. */
  get(key: string): CacheEntry<T>['value'] | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.untilMs > this.#nowMs() ? entry.value : undefined
  }

  set(key: string, value: T, keepMs: number): void {
    this.#entries.delete(key) // re-inserted at the end: the first is the oldest
    this.#entries.set(key, { value, untilMs: this.#nowMs() + keepMs })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  #nowMs(): number {
    return this.#clock.now().getTime()
  }
}

export const OPENAI_BASE_URL = 'https://api.openai.com/v1'
export const OPENAI_KEY_VARIABLE = 'OPENAI_API_KEY'

export const ANTHROPIC_BASE_URL = 'https://api.anthropic.com'
export const ANTHROPIC_KEY_VARIABLE = 'ANTHROPIC_API_KEY'

export const OLLAMA_BASE_URL = 'http://127.0.0.1:11434'
