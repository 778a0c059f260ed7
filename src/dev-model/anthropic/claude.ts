// Abilities of a Claude model by name: prefill, preserved thinking, sampling, kinds of thinking
import { PROFILES } from '../../validate/profiles.ts'
import type { Profile } from '../../validate/rule.ts'

export interface Claude {
  readonly profile: Profile
  /** `temperature`, `top_p` and `top_k` are refused, except for the default. */
  readonly refusesSampling: boolean
  /** `temperature` and `top_p` exclude each other. */
  readonly oneSamplingField: boolean
  readonly thinking: readonly ('enabled' | 'adaptive')[]
  /** A shorter prefix is not kept in the cache, and nothing says so (VALID-A17). */
  readonly minCacheTokens: number
}

/** For `dev` and every name that is not known: the strict reading, and both kinds of thinking. */
const NEWEST: Claude = {
  profile: PROFILES.anthropic,
  refusesSampling: true,
  oneSamplingField: true,
  thinking: ['enabled', 'adaptive'],
  minCacheTokens: 1_024,
}

/** `claude-opus-4-5-20251101`, `claude-3-7-sonnet-latest`. */
const FAMILY_FIRST = /^claude-([a-z]+)-(\d)(?:-(\d))?(?:-\d{8}|-latest|@.*)?$/
const VERSION_FIRST = /^claude-(\d)(?:-(\d))?-([a-z]+)/

export function claudeOf(model: string): Claude {
  const [, family, major, minor = '0'] = FAMILY_FIRST.exec(model) ?? []
  const [, oldMajor, oldMinor = '0', oldFamily] = VERSION_FIRST.exec(model) ?? []
  const version = Number(`${major ?? oldMajor}.${major === undefined ? oldMinor : minor}`)
  if (Number.isNaN(version)) return NEWEST
  const isBound = version >= 5.5 || (family === 'fable' && version >= 5.1)
  const isPrefilled = version < 4.6
  return {
    profile: {
      ...(isBound ? PROFILES.anthropic : PROFILES['anthropic-legacy']),
      prefill: isPrefilled,
      systemMessages: isBound,
      windowTokens: version < 4.6 ? 200_000 : 1_000_000,
    },
    refusesSampling: version >= 4.7,
    oneSamplingField: version >= 4.1,
    thinking: thinkingOf(version),
    minCacheTokens: minCacheTokensOf(family ?? oldFamily ?? '', version),
  }
}

function minCacheTokensOf(family: string, version: number): number {
  if (family === 'haiku') return version < 4 ? 2_048 : 4_096
  if (family === 'opus' && version >= 4.5 && version < 4.8) return 4_096
  return version >= 5 && family !== 'sonnet' ? 512 : 1_024
}

function thinkingOf(version: number): Claude['thinking'] {
  if (version < 3.7) return []
  if (version < 4.6) return ['enabled']
  return version < 4.7 ? ['enabled', 'adaptive'] : ['adaptive']
}
