// An error with the usage spent before it: a failed summary costs tokens, too
import { asPrecisError, PrecisError } from '../core/errors.ts'
import type { TokenUsage } from '../core/view/content.ts'
import { sumUsage } from '../core/window/usage.ts'

/** `spent` comes on top of what the error itself tells of. */
export function withUsage(thrown: unknown, spent: TokenUsage | undefined): PrecisError {
  const error = asPrecisError(thrown)
  if (spent === undefined) return error
  const { code, message, hint, where, retryable, details } = error
  const told = details.usage as TokenUsage | undefined
  return new PrecisError(code, message, {
    ...(hint !== undefined && { hint }),
    ...(where !== undefined && { where }),
    retryable,
    details: { ...details, usage: told ? sumUsage(spent, told) : spent },
    cause: error,
  })
}
