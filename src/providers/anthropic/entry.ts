// Anthropic, and servers that speak its API, as entries of the registry.
import type { Provider } from '../../core/model.ts'
import { PROFILES } from '../../validate/profiles.ts'
import type { Profile } from '../../validate/rule.ts'
import { LISTED_MODELS, type ModelInfo } from '../catalogue.ts'
import type { ProviderEntry, ProviderOptions } from '../registry.ts'
import { ANTHROPIC_BASE_URL, ANTHROPIC_KEY_VARIABLE } from './address.ts'
import { generationOf } from './generation.ts'

export const ANTHROPIC: ProviderEntry = {
  id: 'anthropic',
  keyVariables: [ANTHROPIC_KEY_VARIABLE],
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  baseUrl: ANTHROPIC_BASE_URL,
  create: newProvider,
  profileOf: anthropicProfile,
}

/**
 * The stand-in model under the name `dev`. Its server is started when the model is first asked for,
 * and takes any key.
 */
export function devEntry(start: () => Promise<{ readonly url: string }>): ProviderEntry {
  return {
    id: 'dev',
    keyVariables: [],
    baseUrl: 'http://127.0.0.1',
    async create(options) {
      const { url } = await start()
      return newProvider({ ...options, apiKey: 'dev', baseUrl: url })
    },
    profileOf: anthropicProfile,
  }
}

/** The library of its API is loaded when one of its models is first asked for. */
async function newProvider({ infoOf, ...options }: ProviderOptions): Promise<Provider> {
  const { anthropicProvider } = await import('./provider.ts')
  return anthropicProvider({
    ...options,
    thinkingStyleOf: (model) => infoOf(model).thinking ?? generationOf(model).thinking,
  })
}

/** A model that is not listed is read by its name, and strictly where that tells nothing. */
function anthropicProfile(model: string, info: ModelInfo): Profile {
  // What the settings say of a window tells nothing of how the model treats its thinking.
  const isListed = LISTED_MODELS.includes(`anthropic/${model}`)
  const isOlder = !isListed && generationOf(model).isOlder
  const { prefill = isOlder, boundThinking = !isListed && !isOlder, windowTokens, known } = info
  return {
    ...(prefill ? PROFILES['anthropic-legacy'] : PROFILES.anthropic),
    preservedThinking: boundThinking,
    stopsAtWindow: !prefill,
    toolNameChars: 128,
    ...(known && { windowTokens }),
  }
}
