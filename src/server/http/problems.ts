// Errors as answers: problem details with the status of their code; the text of a bug stays inside.
import type { z } from 'zod'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import { toProblem } from '../../protocol/wire.ts'

const PROBLEM_TYPE = 'application/problem+json'

export function problemResponse(thrown: unknown): Response {
  const error = isGone(thrown)
    ? new PrecisError('aborted', 'The connection was lost.', { hint: 'Send the request again.' })
    : asPrecisError(thrown)
  // The text of an unexpected error goes to the operator only: it may contain anything.
  const told =
    error.code === 'internal' && !PrecisError.is(thrown)
      ? new PrecisError('internal', 'Something went wrong inside the server.', {
          hint: 'See the server log.',
        })
      : error
  if (told !== error) process.emitWarning(thrown instanceof Error ? thrown : error)
  const problem = toProblem(told)
  const { retryAfterSeconds } = told.details
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': PROBLEM_TYPE,
      'cache-control': 'no-store',
      ...(typeof retryAfterSeconds === 'number' && { 'retry-after': String(retryAfterSeconds) }),
      ...(problem.status === 401 && { 'www-authenticate': 'Bearer' }),
    },
  })
}

/** The client disconnected: not a bug. */
function isGone(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  return thrown.name === 'AbortError' || (thrown as NodeJS.ErrnoException).code === 'ECONNRESET'
}

/** What is wrong with the input, and where in it. */
export function invalidInput(error: z.ZodError, part: 'body' | 'query' | 'path'): PrecisError {
  const [issue] = error.issues
  const path = issue?.path.map(String).join('.') ?? ''
  return new PrecisError('invalid-input', `${part}: ${issue?.message ?? 'not as expected'}`, {
    where: path === '' ? part : `${part}: ${path}`,
    hint: '/api/openapi.json describes the expected request.',
  })
}

/**
 * A single owner may take half of everything (`each`). With others present, it may take half of what they
 * leave, so some is always left for one more owner.
 */
export class Shares {
  readonly each: number
  readonly #held = new Map<string, number>()
  #all = 0

  constructor(each: number) {
    this.each = each
  }

  /** Returns the function that releases it, to be called once; undefined over the limit. */
  take(who: string, amount = 1): (() => void) | undefined {
    const own = this.#held.get(who) ?? 0
    const left = this.each * 2 - (this.#all - own)
    if (own + amount > left / 2) return undefined
    this.#add(who, amount)
    let isHeld = true
    return () => {
      if (isHeld) this.#add(who, -amount)
      isHeld = false
    }
  }

  #add(who: string, amount: number): void {
    const now = (this.#held.get(who) ?? 0) + amount
    this.#all += amount
    if (now === 0) this.#held.delete(who)
    else this.#held.set(who, now)
  }
}
