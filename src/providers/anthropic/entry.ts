// Registry entries for Anthropic and servers that speak its API.
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

/** The generation of a Claude model, derived from its name if it is not in the catalogue. */
interface Generation {
  readonly thinking: ThinkingStyle
  /** Allows prefilled answers, and does not bind thinking to what precedes it. */
  readonly isOlder: boolean
}

/** `claude-3-5-sonnet-latest`, `claude-opus-4-1`, `claude-sonnet-4-20250514`, `claude-instant-1.2`. */
const VERSION = /claude-(?:[a-z]+-)?v?(\d)(?:[-.](\d{1,2}))?(?!\d)/i

/** A name without a version more likely belongs to a newer model. */
const NEWEST: Generation = { thinking: 'adaptive', isOlder: false }

/** Each with its exclusive upper version, oldest first. */
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

/** The stand-in model under the name `dev`. Its server starts with the first request and accepts any key. */
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

/** Loads the SDK on first use. */
async function newProvider({ infoOf, ...options }: ProviderOptions): Promise<Provider> {
  const { anthropicProvider } = await import('./provider.ts')
  return anthropicProvider({
    ...options,
    thinkingStyleOf: (model) => infoOf(model).thinking ?? readGeneration(model).thinking,
  })
}

/** An unlisted model is classified by its name, strictly if that tells nothing. */
function anthropicProfile(model: string, info: ModelInfo): Profile {
  // Settings for a window do not tell how the model treats thinking.
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
