// From the name of a model to everything needed to ask it: the provider, its rules, its window.
import { PrecisError } from '../core/errors.ts'
import type { Provider } from '../core/model.ts'
import type { Clock, Signal } from '../core/ports.ts'
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

/** A provider that can be had: where it is, what its key is called, how it is made. */
export interface ProviderEntry {
  readonly id: string
  /** The first that is set counts. Empty if no key is needed. */
  readonly keyVariables: readonly string[]
  readonly baseUrlVariable?: string
  readonly baseUrl: string
  /** Of models that nobody listed and whose server does not tell; else `DEFAULT_WINDOW_TOKENS`. */
  readonly defaultWindowTokens?: number
  /** Whether the server may leave out a part of a prompt that is too long, without a word. */
  readonly cutsSilently?: boolean
  /** Called once, when the first of its models is asked for. */
  create(options: ProviderOptions): Provider | Promise<Provider>
  profileOf(model: string, info: ModelInfo): Profile
}

export interface ProviderSettings {
  readonly baseUrl?: string
  /** How long to wait for an answer to begin, and for its next piece. */
  readonly timeoutMs?: number
}

/** What of the settings counts here. */
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
  /** How much a prompt may have, and who says so. `default`: nobody; show that it is one. */
  readonly window: ModelWindow
  readonly info: ModelInfo
}

export interface ModelRegistry {
  /**
   * `provider/model`, `dev`, or a role: `default`, and `fast`, the cheaper one (if none is set,
   * the default). A window that nobody listed is asked of the server, for a few seconds at most, and
   * the answer is kept for minutes; a server that cannot be asked changes nothing. Rejects with
   * `no-model`, `model-not-found`, `invalid-settings` or, by the signal, `aborted`.
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
    provider.catch(() => made.delete(entry.id)) // the next call tries again
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
      if (asked === undefined) {
        const window = { tokens: windowTokens, from: windowFrom }
        return { ref, provider, model, profile, window, info: listed }
      }
      return {
        ref,
        provider,
        model,
        profile: { ...profile, windowTokens: asked },
        window: { tokens: asked, from: 'server' },
        info: { ...listed, windowTokens: asked, windowFrom: 'server' },
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
  })
}

function readInfo(entry: ProviderEntry, model: string, { catalogue }: ModelSettings): ModelInfo {
  return modelInfo(`${entry.id}/${model}`, catalogue, entry.defaultWindowTokens)
}

/** Who makes a registry without it has no stand-in. */
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

/** Without the blanks and line ends that come along when a key is copied. */
function firstSet(
  variables: readonly string[],
  environment: RegistryOptions['environment'],
): string | undefined {
  return variables.map((name) => environment[name]?.trim()).find((value) => value)
}

const MOST_MODELS = 100
/** What runs at home may be loaded again with another window. */
const KEEP_MS = 5 * 60_000
/** What could not be told now may be soon: the server is started, the model is loaded. */
const KEEP_UNKNOWN_MS = 30_000
/** Nobody waits longer to hear how much fits: the request itself says what is wrong. */
const LONGEST_QUESTION_MS = 5_000

/** Windows as servers tell them, kept for a while: not every request begins with a question. */
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
