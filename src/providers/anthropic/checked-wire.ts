// Writes and validates the body of a request, with the known thinking
import type { ModelRequest } from '../../core/model.ts'
import type { Profile, Violation } from '../../validate/rule.ts'
import { estimateOf } from '../failures/silent-overflow.ts'
import { requireValid } from '../validated.ts'
import { type Wire, wireOf } from './body.ts'
import type { BoundThinking, SentThinking } from './bound-thinking.ts'
import type { ThinkingStyle } from './thinking.ts'

export interface Sender {
  readonly provider: string
  readonly profile: Profile
  readonly thinkingStyle: ThinkingStyle
  readonly bound: BoundThinking
  /** Counting is allowed for what cannot be answered. */
  readonly isCounting: boolean
}

/** Throws if a rule is broken, or where the request cannot fit the window. */
export function checkedWire(request: ModelRequest, sender: Sender): Wire {
  const { provider, profile, thinkingStyle, bound, isCounting } = sender
  const isBinding = profile.preservedThinking
  const wire = wireOf(request, {
    provider,
    thinkingStyle,
    ...(isBinding && {
      mayHoldStaleThinking: (conversation, note) => isUnsure(bound.look(conversation), note),
    }),
  })
  const needsTokens = profile.windowTokens !== undefined && !isCounting
  const isLeftToRules = isBinding && request.dropStaleThinking === false
  requireValid(
    profile,
    { ...wire.body, betas: wire.betas },
    {
      ...(needsTokens && { requestTokens: leastTokens(request) }),
      ...(isLeftToRules && { violations: staleIn(bound.look(wire.conversation)) }),
    },
  )
  return wire
}

/** Thinking is sent that this process did not see being made behind these very words. */
function isUnsure(sent: readonly SentThinking[], note: (problem: string) => void): boolean {
  const stale = staleIn(sent).length
  if (stale > 0)
    note(`thinking behind a changed past (${stale}): the provider drops what no longer fits`)
  return sent.some(({ fit }) => fit !== 'fits')
}

function staleIn(sent: readonly SentThinking[]): Violation[] {
  return sent.filter(({ fit }) => fit === 'stale').map(({ violation }) => violation)
}

/** An estimate may be wrong by much for odd texts: what is stopped by it must be hopeless. */
const CERTAIN_SHARE = 0.5

/** At least so many tokens, as far as anybody can tell without asking. */
function leastTokens(request: ModelRequest): number {
  return Math.floor(estimateOf(request) * CERTAIN_SHARE)
}
