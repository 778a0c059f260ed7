// Errors on the wire: problem details in answers, a short form in frames, and back
import type { z } from 'zod'
import { asPrecisError, ERROR_TABLE, type ErrorCode, PrecisError } from '../core/errors.ts'
import type { problemSchema, wireErrorSchema } from './schemas.ts'

export type WireError = z.output<typeof wireErrorSchema>
export type Problem = z.output<typeof problemSchema>

export function toWireError(thrown: unknown): WireError {
  const error = asPrecisError(thrown)
  const { code, message, where, hint, retryable, details } = error
  return {
    code,
    message,
    ...(where !== undefined && { where }),
    ...(hint !== undefined && { hint }),
    ...(typeof details.reason === 'string' && { reason: details.reason }),
    ...(retryable && { retryable }),
  }
}

export function fromWireError(error: WireError): PrecisError {
  const { code, message, where, hint, reason, retryable } = error
  return new PrecisError(knownCode(code), message, {
    ...(where !== undefined && { where }),
    ...(hint !== undefined && { hint }),
    ...(reason !== undefined && { details: { reason } }),
    ...(retryable !== undefined && { retryable }),
  })
}

export function toProblem(thrown: unknown): Problem {
  const { message: detail, ...error } = toWireError(thrown)
  const status = asPrecisError(thrown).httpStatus
  const title = error.code.replaceAll('-', ' ')
  return { type: `urn:precis:error:${error.code}`, title, status, detail, ...error }
}

export function fromProblem({
  detail,
  code,
  where,
  hint,
  reason,
  retryable,
}: Problem): PrecisError {
  return fromWireError({
    code,
    message: detail,
    ...(where !== undefined && { where }),
    ...(hint !== undefined && { hint }),
    ...(reason !== undefined && { reason }),
    ...(retryable !== undefined && { retryable }),
  })
}

/** A newer server may have codes that this client does not know. */
function knownCode(code: string): ErrorCode {
  return Object.hasOwn(ERROR_TABLE, code) ? (code as ErrorCode) : 'internal'
}
