// Anthropic, and servers that speak its API, as entries of the registry.
import type { Provider } from '../../core/model.ts'
import type { Profile } from '../../validate/rule.ts'
import { PROFILES } from '../../validate/validate.ts'
import {
  ANTHROPIC_BASE_URL,
  ANTHROPIC_KEY_VARIABLE,
  LISTED_MODELS,
  type ModelInfo,
} from '../catalogue.ts'
import type { ProviderEntry, ProviderOptions } from '../registry.ts'
import type { ThinkingStyle } from './thinking.ts'

/** The generation of a Claude model, derived from its name if it is not in the catalogue */
interface Generation {
  readonly thinking: ThinkingStyle
  /** An answer may be begun for the model, and its thinking is not bound to what precedes it. */
  readonly isOlder: boolean
}

/** `claude-3-5-sonnet-latest`, `claude-opus-4-1`, `claude-sonnet-4-20250514`, `claude-instant-1.2`. */
const VERSION = /claude-(?:[a-z]+-)?v?(\d)(?:[-.](\d{1,2}))?(?!\d)/i

/** A name that tells no version is more likely newer than older. */
const NEWEST: Generation = { thinking: 'adaptive', isOlder: false }

/** Up to which version, that one not included, the oldest first. */
const OLDER: readonly (readonly [below: number, Generation])[] = [
  [3.07, { thinking: 'none', isOlder: true }],
  [4.06, { thinking: 'budget', isOlder: true }],
]

function readGeneration(model: string): Generation {
  const [, major, minor = '0'] = VERSION.exec(model) ?? []
  if (major === undefined) return NEWEST
  const version = Number(major) + Number(minor) / 100
  return OLDER.find(([below]) => version < below)?.[1] ?? NEWEST
}

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
    thinkingStyleOf: (model) => infoOf(model).thinking ?? readGeneration(model).thinking,
  })
}

/** A model that is not listed is read by its name, and strictly where that tells nothing. */
function anthropicProfile(model: string, info: ModelInfo): Profile {
  // What the settings say of a window tells nothing of how the model treats its thinking.
  const isListed = LISTED_MODELS.includes(`anthropic/${model}`)
  const isOlder = !isListed && readGeneration(model).isOlder
  const { prefill = isOlder, boundThinking = !isListed && !isOlder, windowTokens, known } = info
  return {
    ...(prefill ? PROFILES['anthropic-legacy'] : PROFILES.anthropic),
    preservedThinking: boundThinking,
    stopsAtWindow: !prefill,
    toolNameChars: 128,
    ...(known && { windowTokens }),
  }
}
