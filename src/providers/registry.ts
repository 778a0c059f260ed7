// Resolves a model name to everything a request needs: provider, rules, window.
import { PrecisError } from '../core/errors.ts'
import type { Provider, Signal } from '../core/model.ts'
import type { Clock } from '../core/ports.ts'
import type { ModelRef } from '../core/view/content.ts'
import type { Profile } from '../validate/rule.ts'
import {
  LimitedCache,
  type ModelInfo,
  type ModelOverrides,
  type ModelWindow,
  modelInfo,
} from './catalogue.ts'
import { noticingOverflow } from './failures/silent-overflow.ts'
import type { Timeouts } from './failures/timed-fetch.ts'
import { type ModelRoles, readName, splitName } from './model-name.ts'

export interface ProviderOptions {
  readonly id: string
  readonly apiKey?: string
  readonly baseUrl: string
  readonly clock: Clock
  readonly timeouts?: Timeouts
  infoOf(model: string): ModelInfo
  profileOf(model: string): Profile
}

/** An available provider: address, key variables, factory. */
export interface ProviderEntry {
  readonly id: string
  /** The first one that is set counts. Empty if no key is needed. */
  readonly keyVariables: readonly string[]
  readonly baseUrlVariable?: string
  readonly baseUrl: string
  /** For unlisted models whose server reports no window; otherwise `DEFAULT_WINDOW_TOKENS`. */
  readonly defaultWindowTokens?: number
  /** Whether the server may silently truncate a long prompt. */
  readonly cutsSilently?: boolean
  /** Called once, on the first request for one of its models. */
  create(options: ProviderOptions): Provider | Promise<Provider>
  profileOf(model: string, info: ModelInfo): Profile
}

export interface ProviderSettings {
  readonly baseUrl?: string
  /** Timeout for the start of an answer and for each next chunk. */
  readonly timeoutMs?: number
}

/** Settings the registry uses. */
export interface ModelSettings {
  readonly models?: ModelRoles
  readonly providers?: Readonly<Record<string, ProviderSettings>>
  readonly catalogue?: ModelOverrides
}

export interface RegistryOptions {
  readonly entries: readonly ProviderEntry[]
  readonly settings: ModelSettings
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

export interface ResolvedModel {
  readonly ref: ModelRef
  readonly provider: Provider
  readonly model: string // without the provider
  readonly profile: Profile
  /** The maximum prompt and its source. `default` means unknown: show it as such. */
  readonly window: ModelWindow
  readonly info: ModelInfo
}

export interface ModelRegistry {
  /**
   * Accepts `provider/model`, `dev`, or a role: `default`, or `fast` for the cheaper one (falls back to the
   * default). Asks the server for an unlisted window, for a few seconds at most, and caches the answer for
   * minutes; if the server does not answer, nothing changes. Rejects with `no-model`, `model-not-found`,
   * `invalid-settings` or, on the signal, `aborted`.
   */
  resolve(name?: string, signal?: Signal): Promise<ResolvedModel>
}

export function createRegistry(options: RegistryOptions): ModelRegistry {
  const { entries, settings, clock } = options
  const windows = new AskedWindows(clock)
  const made = new Map<string, Promise<Provider>>()
  const providerOf = (entry: ProviderEntry): Promise<Provider> => {
    const known = made.get(entry.id)
    if (known) return known
    const provider = makeProvider(entry, options, windows)
    made.set(entry.id, provider)
    provider.catch(() => made.delete(entry.id)) // the next call retries
    return provider
  }
  const ids = entries.map(({ id }) => id)
  return {
    async resolve(name, signal) {
      const [id, model] = splitName(readName(name, settings.models ?? {}), ids)
      const entry = entries.find((each) => each.id === id)
      if (entry === undefined) throw noStandIn()
      const ref: ModelRef = `${id}/${model}`
      const listed = readInfo(entry, model, settings)
      const provider = await providerOf(entry)
      const asked =
        listed.windowFrom === 'default' ? await windows.ask(ref, provider, signal) : undefined
      const profile = entry.profileOf(model, listed)
      const { windowTokens, windowFrom } = listed
      const shown = windows.shownBy(ref, asked ?? windowTokens)
      if (shown === undefined && asked === undefined) {
        const window = { tokens: windowTokens, from: windowFrom }
        return { ref, provider, model, profile, window, info: listed }
      }
      const tokens = shown ?? asked ?? windowTokens
      return {
        ref,
        provider,
        model,
        profile: { ...profile, windowTokens: tokens },
        window: { tokens, from: 'server' },
        info: { ...listed, windowTokens: tokens, windowFrom: 'server' },
      }
    },
  }
}

async function makeProvider(
  entry: ProviderEntry,
  { settings, environment, clock }: RegistryOptions,
  windows: AskedWindows,
): Promise<Provider> {
  const { id, cutsSilently = false } = entry
  const apiKey = firstSet(entry.keyVariables, environment)
  const timeoutMs = settings.providers?.[id]?.timeoutMs
  const provider = await entry.create({
    id,
    ...(apiKey !== undefined && { apiKey }),
    baseUrl: readBaseUrl(entry, settings, environment),
    clock,
    ...(timeoutMs !== undefined && { timeouts: { connectMs: timeoutMs, idleMs: timeoutMs } }),
    infoOf: (model) => readInfo(entry, model, settings),
    profileOf: (model) => entry.profileOf(model, readInfo(entry, model, settings)),
  })
  return noticingOverflow(provider, {
    cutsSilently,
    windowOf(model) {
      const { known, windowTokens } = readInfo(entry, model, settings)
      return known ? windowTokens : windows.known(`${id}/${model}`)
    },
    onRefused: (model, mostTokens) => windows.refused(`${id}/${model}`, mostTokens),
    onAnswered: (model, promptTokens) => windows.answered(`${id}/${model}`, promptTokens),
  })
}

function readInfo(entry: ProviderEntry, model: string, { catalogue }: ModelSettings): ModelInfo {
  return modelInfo(`${entry.id}/${model}`, catalogue, entry.defaultWindowTokens)
}

/** For registries created without a stand-in. */
function noStandIn(): PrecisError {
  return new PrecisError('model-not-found', 'There is no stand-in here.', {
    where: 'dev',
    hint: 'Name a model as provider/model.',
  })
}

function readBaseUrl(
  { id, baseUrl, baseUrlVariable }: ProviderEntry,
  { providers }: ModelSettings,
  environment: RegistryOptions['environment'],
): string {
  const variables = baseUrlVariable === undefined ? [] : [baseUrlVariable]
  const given = providers?.[id]?.baseUrl ?? firstSet(variables, environment) ?? baseUrl
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) {
    return given.replace(/\/+$/, '')
  }
  throw new PrecisError('invalid-settings', `The base URL of ${id} is not an http address.`, {
    where: `providers.${id}.baseUrl`,
    hint: `Set it to an address such as ${baseUrl}.`,
  })
}

/** Trims the blanks and line ends that come with a copied key. */
function firstSet(
  variables: readonly string[],
  environment: RegistryOptions['environment'],
): string | undefined {
  return variables.map((name) => environment[name]?.trim()).find((value) => value)
}

const MOST_MODELS = 100
/** A local model may be reloaded with another window. */
const KEEP_MS = 5 * 60_000
/** An unknown window may be known soon, when the server runs or the model is loaded. */
const KEEP_UNKNOWN_MS = 30_000
/** A refusal shows the real window. It is asked for again by then: plans and servers change. */
const KEEP_SHOWN_MS = 24 * 60 * 60_000
/** No window is smaller; such a figure means something else. */
const LEAST_WINDOW_TOKENS = 1_000
/** Longest wait for the window; after that the request itself shows what is wrong. */
const LONGEST_QUESTION_MS = 5_000

/** Caches the windows that servers report or that their refusals show, so not every request asks first. */
export class AskedWindows {
  readonly #known: LimitedCache<{ readonly tokens?: number }>
  readonly #shown: LimitedCache<number>
  readonly #longestMs: number

  constructor(clock: Clock, longestMs = LONGEST_QUESTION_MS) {
    this.#known = new LimitedCache(MOST_MODELS, clock)
    this.#shown = new LimitedCache(MOST_MODELS, clock)
    this.#longestMs = longestMs
  }

  /** The cached window if it is still valid. Sends no request. */
  known(ref: ModelRef): number | undefined {
    return this.#known.get(ref)?.tokens
  }

  /** The window that a refusal has shown, where it is smaller than what is believed. */
  shownBy(ref: ModelRef, believedTokens: number): number | undefined {
    const shown = this.#shown.get(ref)
    return shown !== undefined && shown < believedTokens ? shown : undefined
  }

  refused(ref: ModelRef, mostTokens: number): void {
    const most = Math.min(mostTokens, this.#shown.get(ref) ?? mostTokens)
    if (most >= LEAST_WINDOW_TOKENS) this.#shown.set(ref, most, KEEP_SHOWN_MS)
  }

  /** A longer prompt than the window should hold: the refusal had another reason. */
  answered(ref: ModelRef, promptTokens: number): void {
    if (promptTokens > (this.#shown.get(ref) ?? promptTokens)) this.#shown.delete(ref)
  }

  /** Undefined if the server does not know or answer. Rejects only with `aborted`. */
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
      return undefined // an unreachable server shows in the first request
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }
}
