// The errors shared by all stores.
import { type ErrorCode, PrecisError } from '../core/errors.ts'

export function usageError(message: string, hint: string): PrecisError {
  return new PrecisError('usage', message, { hint })
}

export function versionConflict(threadId: string, expected: number, actual: number): PrecisError {
  return new PrecisError(
    'version-conflict',
    `Thread ${threadId} is at version ${actual}, and the append expected ${expected}.`,
    {
      hint: `Read the events after ${expected}, decide again, and append with the new version.`,
      where: threadId,
      retryable: true,
      details: { expected, actual },
    },
  )
}

export function idConflict(threadId: string, id: string, message: string): PrecisError {
  return new PrecisError('id-conflict', message, {
    hint: 'Give new events new ids; repeat an append only with exactly the same events.',
    where: threadId,
    details: { id },
  })
}

export function unknownThread(threadId: string): PrecisError {
  return new PrecisError('unknown-thread', `Thread ${threadId} not found`, {
    hint: 'List the threads to see which there are.',
    where: threadId,
  })
}

export function restlessThread(threadId: string): PrecisError {
  return new PrecisError('store-busy', `Thread ${threadId} kept being recreated.`, {
    hint: 'Try again.',
    where: threadId,
    retryable: true,
  })
}

export function storeClosed(): PrecisError {
  return new PrecisError('store-closed', 'The store is closed.', {
    hint: 'Open it again, or close it only after the last call.',
  })
}

/** The meaning of a code that a database reports. */
export interface Meaning {
  readonly code: ErrorCode
  readonly what: string // completes «The store ADDRESS …»
  readonly hint: string
  readonly retryable?: boolean
}

export const FAILED: Meaning = {
  code: 'store-failed',
  what: 'failed',
  hint: 'Stored data is intact; the details name the cause.',
}
export const TOO_LARGE: Meaning = {
  code: 'invalid-input',
  what: 'takes no row of this size',
  hint: 'Keep large content outside the log.',
}

export function meaningError(
  { code: ours, what, hint, retryable = false }: Meaning,
  at: { readonly where: string; readonly reason: string; readonly code: string; cause?: unknown },
): PrecisError {
  const { where, reason, code } = at
  return new PrecisError(ours, `The store ${where} ${what} (${reason}).`, {
    hint,
    where,
    retryable,
    details: { reason, ...(code !== '' && { cause: code }) },
    ...('cause' in at && { cause: at.cause }),
  })
}
