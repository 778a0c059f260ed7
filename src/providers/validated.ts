// The last look at a request: what breaks a rule of its provider is a bug of ours and is not sent.
import { PrecisError } from '../core/errors.ts'
import type { Profile } from '../validate/rule.ts'
import { validate } from '../validate/validate.ts'

/** Throws `invalid-request` with the id and the place of the first broken rule. */
export function requireValid(profile: Profile, request: unknown): void {
  const violations = validate(profile, request)
  const [first] = violations
  if (first === undefined) return
  const more = violations.length === 1 ? '' : ` (and ${violations.length - 1} more)`
  throw new PrecisError(
    'invalid-request',
    `The request would break ${first.id}: ${first.message}${more}. Nothing was sent.`,
    {
      where: first.where,
      hint: 'This is a bug of précis: please report it with the rule and the place.',
      details: { rule: first.id, where: first.where, violations },
    },
  )
}
