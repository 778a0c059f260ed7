// From the name of a model to everything needed to ask it: the provider, its rules, its window.
import type { ModelRef } from '../core/content.ts'
import { PrecisError } from '../core/errors.ts'
import type { Provider } from '../core/model.ts'
import { nearestWord } from '../core/nearest-word.ts'
import type { Clock, Signal } from '../core/ports.ts'
import type { Profile } from '../validate/rule.ts'
import { LISTED_MODELS, type ModelInfo, type ModelOverrides, modelInfo } from './catalogue.ts'

export interface ProviderOptions {
  readonly id: string
  readonly apiKey?: string
  readonly baseUrl: string
  readonly clock: Clock
  infoOf(model: string): ModelInfo
  profileOf(model: string): Profile
}

/** A provider that can be had: where it is, what its key is called, how it is made. */
export interface ProviderEntry {
  readonly id: string
  /** The first that is set counts. Empty where no key is needed. */
  readonly keyVariables: readonly string[]
  readonly baseUrlVariable?: string
  readonly baseUrl: string
  /** Called once, when the first of its models is asked for. */
  create(options: ProviderOptions): Provider | Promise<Provider>
  profileOf(model: string, info: ModelInfo): Profile
}

/** What of the settings counts here. */
export interface ModelSettings {
  readonly models?: { readonly default?: string; readonly fast?: string }
  readonly providers?: Readonly<Record<string, { readonly baseUrl?: string }>>
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
  readonly windowTokens: number
  /** False where the window is only the default. */
  readonly known: boolean
  readonly info: ModelInfo
}

export interface ModelRegistry {
  /**
   * `provider/model`, `dev`, or a role: `default`, and `fast`, the cheaper one (where none is set,
   * the default). Asks no server. Rejects with `no-model`, `model-not-found` or `invalid-settings`.
   */
  resolve(name?: string): Promise<ResolvedModel>
  /** The same model with the window that its server tells, where it does; a failure changes nothing. */
  withAskedWindow(resolved: ResolvedModel, signal?: Signal): Promise<ResolvedModel>
}

const STAND_IN = 'dev'

export function createRegistry(options: RegistryOptions): ModelRegistry {
  const { entries, settings, environment, clock } = options
  const made = new Map<string, Promise<Provider>>()
  const infoOf = (id: string, model: string) => modelInfo(`${id}/${model}`, settings.catalogue)
  const make = async (entry: ProviderEntry): Promise<Provider> => {
    const { id } = entry
    const apiKey = firstSet(entry.keyVariables, environment)
    return entry.create({
      id,
      ...(apiKey !== undefined && { apiKey }),
      baseUrl: baseUrlOf(entry, settings, environment),
      clock,
      infoOf: (model) => infoOf(id, model),
      profileOf: (model) => entry.profileOf(model, infoOf(id, model)),
    })
  }
  const providerOf = (entry: ProviderEntry): Promise<Provider> => {
    const known = made.get(entry.id)
    if (known) return known
    const provider = make(entry)
    made.set(entry.id, provider)
    provider.catch(() => made.delete(entry.id)) // the next call tries again
    return provider
  }
  return {
    async resolve(name) {
      const [id, model] = splitName(nameOf(name, settings.models ?? {}), entries)
      const entry = entries.find((each) => each.id === id)
      if (entry === undefined) throw unknownProvider(id, model, entries)
      const info = infoOf(id, model)
      return {
        ref: `${id}/${model}`,
        provider: await providerOf(entry),
        model,
        profile: entry.profileOf(model, info),
        windowTokens: info.windowTokens,
        known: info.known,
        info,
      }
    },
    async withAskedWindow(resolved, signal) {
      const { provider, model } = resolved
      if (resolved.known || provider.windowOf === undefined) return resolved
      // Who cannot be asked now says so when the first request fails.
      const asked = await provider.windowOf(model, signal).catch(ignoreFailure)
      if (asked === undefined) return resolved
      const profile = { ...resolved.profile, windowTokens: asked }
      const info = { ...resolved.info, windowTokens: asked, known: true }
      return { ...resolved, profile, info, windowTokens: asked, known: true }
    },
  }
}

function ignoreFailure(thrown: unknown): undefined {
  if (PrecisError.is(thrown) && thrown.code !== 'aborted') return undefined
  throw thrown
}

function nameOf(asked: string | undefined, models: NonNullable<ModelSettings['models']>): string {
  const role = asked ?? 'default'
  if (role !== 'default' && role !== 'fast') return role
  const name = (role === 'fast' ? models.fast : undefined) ?? models.default
  if (name !== undefined) return name
  throw new PrecisError('no-model', 'No model is set.', {
    where: `models.${role}`,
    hint: 'Set models.default to provider/model, as in anthropic/claude-sonnet-5-5, or to dev for the stand-in.',
  })
}

function splitName(name: string, entries: readonly ProviderEntry[]): [id: string, model: string] {
  if (name === STAND_IN) return [STAND_IN, STAND_IN]
  const at = name.indexOf('/')
  if (at > 0 && at < name.length - 1) return [name.slice(0, at), name.slice(at + 1)]
  const listed = LISTED_MODELS.find((each) => each.endsWith(`/${name}`))
  throw new PrecisError('model-not-found', `${JSON.stringify(name)} names no model.`, {
    where: name,
    hint: listed
      ? `Did you mean ${listed}?`
      : `A model is provider/model, or dev. Providers: ${idsOf(entries)}.`,
  })
}

function unknownProvider(
  id: string,
  model: string,
  entries: readonly ProviderEntry[],
): PrecisError {
  const nearest = nearestWord(
    id,
    entries.map((entry) => entry.id),
  )
  return new PrecisError('model-not-found', `There is no provider ${JSON.stringify(id)}.`, {
    where: `${id}/${model}`,
    hint: nearest ? `Did you mean ${nearest}/${model}?` : `Providers: ${idsOf(entries)}.`,
  })
}

function idsOf(entries: readonly ProviderEntry[]): string {
  return entries.map(({ id }) => id).join(', ')
}

function baseUrlOf(
  { id, baseUrl, baseUrlVariable }: ProviderEntry,
  { providers }: ModelSettings,
  environment: RegistryOptions['environment'],
): string {
  const variables = baseUrlVariable === undefined ? [] : [baseUrlVariable]
  const given = providers?.[id]?.baseUrl ?? firstSet(variables, environment) ?? baseUrl
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) {
    return given.replace(/\/+$/, '')
  }
  throw new PrecisError('invalid-settings', `The base URL of ${id} is no http address.`, {
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
