// The built-in catalogue of models: windows, limits, prices, names and addresses. It loads no client.

import { z } from 'zod'
import { PrecisError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import listed from './catalogue.json' with { type: 'json' }

/** For models that nobody listed. Too small only costs an early compaction; too large costs a turn. */
export const DEFAULT_WINDOW_TOKENS = 128_000
/**
 * The same for what runs at home. Memory for the window is taken when the model is loaded, whether it
 * is used or not; this is about 4 GB for a model of 8 billion parameters.
 */
export const HOME_WINDOW_TOKENS = 32_768

const tokens = z.number().int().positive()
const dollars = z.number().nonnegative() // for a million tokens
const prices = {
  input: dollars,
  cacheRead: dollars.exactOptional(),
  cacheWrite5m: dollars.exactOptional(),
  cacheWrite1h: dollars.exactOptional(),
  output: dollars,
}
const entry = z.strictObject({
  // Absent if the server decides it: what runs at home has the window it was loaded with.
  windowTokens: tokens.exactOptional(),
  inputTokens: tokens.exactOptional(), // where the prompt alone has a smaller limit
  outputTokens: tokens.exactOptional(),
  price: z
    .strictObject({
      ...prices,
      // Prompts above a length cost more, from their first token on.
      long: z.strictObject({ aboveTokens: tokens, ...prices }).exactOptional(),
    })
    .exactOptional(),
  thinking: z.enum(['adaptive', 'budget']).exactOptional(),
  prefill: z.boolean().exactOptional(), // an answer may be begun for the model
  boundThinking: z.boolean().exactOptional(), // thinking is valid behind its own prefix only
})
const catalogue = z.object({ date: z.iso.date(), models: z.record(z.string(), entry) })

type Entry = z.output<typeof entry>
export type Prices = Omit<NonNullable<Entry['price']>, 'long'>

/** How long a prompt may be, and who says so. */
export interface ModelWindow {
  readonly tokens: number
  readonly from: WindowSource
}
export type WindowSource = 'catalogue' | 'settings' | 'server' | 'default'

export interface ModelInfo extends Omit<Entry, 'windowTokens'> {
  /** How long a prompt may be: what a context is measured against. */
  readonly windowTokens: number
  readonly windowFrom: WindowSource
  /** Whether someone listed it: the catalogue or the settings. */
  readonly known: boolean
}

/** By `provider/model`; each entry replaces what is listed, or adds to it. */
export type ModelOverrides = Readonly<Record<string, Entry>>

const LISTED = catalogue.parse(listed)

/** When the list was made. */
export const CATALOGUE_DATE = LISTED.date
export const LISTED_MODELS: readonly string[] = Object.keys(LISTED.models)

/** Snapshots have the figures of the model they are one of. */
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

/** Figures from settings. Throws `invalid-settings` with the model and what is wrong. */
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

/** A cache with two limits: how many it keeps, and for how long. */
export class LimitedCache<T> {
  readonly #maxEntries: number
  readonly #clock: Clock
  readonly #entries = new Map<string, CacheEntry<T>>()

  constructor(maxEntries: number, clock: Clock) {
    this.#maxEntries = maxEntries
    this.#clock = clock
  }

  /** Undefined if it was never set, is too old, or had to make room. */
  get(key: string): CacheEntry<T>['value'] | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.untilMs > this.#nowMs() ? entry.value : undefined
  }

  set(key: string, value: T, keepMs: number): void {
    this.#entries.delete(key) // so that it stands last: the first is the oldest
    this.#entries.set(key, { value, untilMs: this.#nowMs() + keepMs })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest)
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
