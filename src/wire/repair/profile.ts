// Limits of each wire for a repair, from docs/spec/valid.md
import type { IdRule, NativeRules, RepairProfile } from '../../core/repair/profile.ts'
import type { ModelRef } from '../../core/view/content.ts'
import type { ImageLimits } from '../../core/view/media.ts'
import { anthropicNatives } from './anthropic-natives.ts'

/** The fields of a profile of src/validate that bear on messages. */
export interface WireProfile {
  readonly wire: 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini'
  readonly preservedThinking: boolean
  readonly prefill: boolean
  readonly strict: boolean
  readonly windowTokens?: number
  readonly thinkingEnabled?: boolean
  readonly toolNameChars?: number
  readonly requestBytes?: number
  readonly backend?: string
}

/** What depends on the request that the messages are for. */
export interface RequestFacts {
  /** The id under which the provider's own parts are in a log. */
  readonly provider?: string
  readonly model?: ModelRef
  readonly hasTools?: boolean
  readonly toolNames?: readonly string[]
  readonly thinkingEnabled?: boolean
  readonly dropsStaleThinking?: boolean
  /** The API compacts by itself: unsigned blocks of it may stand anywhere. */
  readonly compactsByThreshold?: boolean
}

export function repairProfile(profile: WireProfile, facts: RequestFacts = {}): RepairProfile {
  const { wire, preservedThinking, strict, backend } = profile
  const { compactsByThreshold = false, provider = PROVIDERS[wire], ...given } = facts
  const isOpenai = wire === 'openai-chat' || wire === 'openai-responses'
  const thinkingEnabled = facts.thinkingEnabled ?? profile.thinkingEnabled
  return {
    ...given,
    provider,
    thinking: wire === 'anthropic' ? 'signed' : backend === 'deepseek' ? 'plain' : 'none',
    preservedThinking,
    ...(thinkingEnabled !== undefined && { thinkingEnabled }),
    prefill: profile.prefill || isOpenai,
    repeatedRoles: !strict,
    anyOpening: isOpenai && !strict,
    blankResults: backend !== 'bedrock',
    ids: idRule(profile),
    nameChars: profile.toolNameChars ?? NAME_CHARS,
    images: imageLimits(profile),
    ...(wire === 'anthropic' && { requestBytes: profile.requestBytes ?? REQUEST_BYTES }),
    ...nativesOf(wire, compactsByThreshold),
  }
}

const PROVIDERS = {
  anthropic: 'anthropic',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai',
  gemini: 'gemini',
} as const

const NAME_CHARS = 64
const REQUEST_BYTES = 32_000_000
const LARGE_WINDOW_TOKENS = 200_000

function idRule({ wire, backend }: WireProfile): IdRule {
  if (backend === 'mistral') return { maxChars: 9, exactChars: 9, mayRepeat: true }
  if (wire === 'openai-chat') return { maxChars: 40, mayRepeat: true }
  if (wire === 'openai-responses') return { maxChars: 64, mayRepeat: true }
  return { maxChars: Number.POSITIVE_INFINITY }
}

function imageLimits({ wire, windowTokens = 0 }: WireProfile): ImageLimits {
  if (wire === 'anthropic')
    return {
      maxImages: windowTokens > LARGE_WINDOW_TOKENS ? 600 : 100,
      maxImageBytes: 5 * 1024 * 1024,
      maxEdgePx: 8_000,
      many: { over: 20, maxEdgePx: 2_000 },
      mimeTypes: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
    }
  // 50 MB of bytes, a third more as base64.
  return wire === 'gemini' ? {} : { maxImages: 500, maxTotalBytes: (50_000_000 / 3) * 4 }
}

/** Of the other wires only Responses has items of its own, and its writer looks after them. */
function nativesOf(
  wire: WireProfile['wire'],
  compactsByThreshold: boolean,
): { natives?: NativeRules } {
  if (wire === 'anthropic') return { natives: anthropicNatives(compactsByThreshold) }
  return wire === 'openai-responses' ? {} : { natives: NO_NATIVES }
}

const NO_NATIVES: NativeRules = {
  refused({ parts }) {
    const natives = [...parts.entries()].filter(([, { type }]) => type === 'native')
    return new Map(natives.map(([index]) => [index, 'there is no such kind of part here']))
  },
  refusedInResult: () => 'there is no such kind of block here',
  isPaused: () => false,
  opens: () => false,
}
