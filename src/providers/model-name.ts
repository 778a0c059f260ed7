// Parses the name of a model, and suggests the nearest one.
import { PrecisError } from '../core/errors.ts'
import { nearestWord } from '../core/text/nearest-word.ts'
import { LISTED_MODELS } from './catalogue.ts'

export interface ModelRoles {
  readonly default?: string
  readonly fast?: string
}

const STAND_IN = 'dev'

/** Resolves a role to its configured name. Throws `no-model`. */
export function readName(asked: string | undefined, models: ModelRoles): string {
  const role = asked ?? 'default'
  if (role !== 'default' && role !== 'fast') return role
  const name = (role === 'fast' ? models.fast : undefined) ?? models.default
  if (name !== undefined) return name
  throw new PrecisError('no-model', 'No model is set.', {
    where: `models.${role}`,
    hint: 'Set one with --model, with /model in the chat, or permanently as models.default in the settings. Examples: anthropic/claude-sonnet-5-5, or dev, the stand-in.',
  })
}

/** Throws `model-not-found` with a suggestion where possible. */
export function splitName(
  given: string,
  providers: readonly string[],
): [provider: string, model: string] {
  const name = given.trim()
  if (name === STAND_IN) return [STAND_IN, STAND_IN]
  if (isAddress(name)) throw addressGiven(name)
  const at = name.indexOf('/')
  if (at <= 0 || at === name.length - 1) throw noModel(name, providers)
  const [provider, model] = [name.slice(0, at), name.slice(at + 1)]
  if (!providers.includes(provider)) throw unknownProvider(provider, model, providers)
  return [provider, model]
}

const SCHEME = /^[a-z][a-z+.-]*:\/\//i

/** `https://…`, `localhost:1234/v1`, `127.0.0.1:8080`: the address of a server, not a model name. */
function isAddress(name: string): boolean {
  const host = /^(?:\[[\da-f:]+\]|localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d{4})):\d{2,5}(?:\/|$)/i
  return SCHEME.test(name) || host.test(name)
}

/** Default ports of these servers. */
const USUAL_PORTS: Readonly<Record<string, string>> = { '1234': 'lmstudio', '11434': 'ollama' }

function addressGiven(name: string): PrecisError {
  const address = SCHEME.test(name) ? name : `http://${name}`
  const url = URL.canParse(address) ? new URL(address) : undefined
  const provider = USUAL_PORTS[url?.port ?? ''] ?? 'compatible'
  const shown = url === undefined ? 'http://…' : `${url.protocol}//${url.host}${url.pathname}`
  const setting = JSON.stringify({ providers: { [provider]: { baseUrl: trimmed(shown) } } })
  return new PrecisError('model-not-found', 'That is the address of a server, not a model.', {
    where: trimmed(shown),
    hint: `Put it into your settings file, ${setting}, and name the model ${provider}/MODEL.`,
  })
}

function trimmed(address: string): string {
  return address.replace(/\/+$/, '')
}

function noModel(name: string, providers: readonly string[]): PrecisError {
  const listed = LISTED_MODELS.find((each) => each.endsWith(`/${name}`))
  return new PrecisError('model-not-found', `${JSON.stringify(name)} names no model.`, {
    where: name,
    hint:
      listed && name !== ''
        ? `Did you mean ${listed}?`
        : `A model is provider/model, or dev. Providers: ${providers.join(', ')}.`,
  })
}

function unknownProvider(
  provider: string,
  model: string,
  providers: readonly string[],
): PrecisError {
  const nearest = nearestWord(provider, providers)
  return new PrecisError('model-not-found', `There is no provider ${JSON.stringify(provider)}.`, {
    where: `${provider}/${model}`,
    hint: nearest
      ? `Did you mean ${nearest}/${model}?`
      : `Providers: ${providers.join(', ')}. A gateway's own name goes behind one of them, as in openrouter/${provider}/${model}.`,
  })
}
