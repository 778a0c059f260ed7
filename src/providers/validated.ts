// The last look at a request: what breaks a rule of its provider is a bug of ours and is not sent.
import { PrecisError } from '../core/errors.ts'
import type { Profile, Violation } from '../validate/rule.ts'
import { type ValidateOptions, validate } from '../validate/validate.ts'

export interface Known extends Pick<ValidateOptions, 'requestTokens'> {
  /** What whoever sends it knows to be broken, beyond what the request itself tells. */
  readonly violations?: readonly Violation[]
}

/**
 * Throws `invalid-request` with the id and the place of the first broken rule; where only the window is
 * too small, `overflow`, which a compaction helps against.
 */
export function requireValid(profile: Profile, request: unknown, known: Known = {}): void {
  const { violations: told = [], ...options } = known
  const violations = [...validate(profile, request, options), ...told]
  const first = violations.find(({ id }) => id !== WINDOW) ?? violations[0]
  if (first === undefined) return
  const details = { rule: first.id, where: first.where, violations }
  if (first.id === WINDOW)
    throw new PrecisError(
      'overflow',
      `The request is too long (${WINDOW}): ${first.message}. Nothing was sent.`,
      { where: first.where, hint: 'Compact the conversation, or choose a larger window.', details },
    )
  const more = violations.length === 1 ? '' : ` (and ${violations.length - 1} more)`
  throw new PrecisError(
    'invalid-request',
    `The request would break ${first.id}: ${first.message}${more}. Nothing was sent.`,
    {
      where: first.where,
      hint: 'This is a bug of précis: please report it with the rule and the place.',
      details,
    },
  )
}

const WINDOW = 'VALID-A19'
