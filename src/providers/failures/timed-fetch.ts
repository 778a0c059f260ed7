// A fetch that does not wait for ever: for the answer to begin, and for the next bytes of it.
import { PrecisError } from '../../core/errors.ts'
import type { ModelRetry } from '../../core/model.ts'
import type { Clock, Signal } from '../../core/ports.ts'
import type { FailureContext } from './failure-kinds.ts'
import { toPrecisError } from './failures.ts'

export interface Timeouts {
  /** Until the answer begins: connecting, and the time in which the server reads the request. */
  readonly connectMs: number
  /** Between two pieces of the answer. Signs of life of the server count. */
  readonly idleMs: number
}

const TIMEOUTS: Timeouts = { connectMs: 120_000, idleMs: 120_000 }

/**
 * For the SDKs in place of the global fetch. It follows no redirect: a key belongs to the server it
 * was given for. Rejects with a retryable `timeout`.
 */
export function timedFetch(given: Partial<Timeouts> = {}): typeof globalThis.fetch {
  const { connectMs, idleMs } = { ...TIMEOUTS, ...given }
  return async (input, init) => {
    const connecting = watch(connectMs, 'The server did not begin to answer')
    const idling = watch(idleMs, 'The server stopped in the middle of its answer')
    const stop = () => {
      connecting.stop()
      idling.stop()
    }
    const outer = init?.signal ?? undefined
    outer?.addEventListener('abort', stop, { once: true })
    const signals = [connecting.signal, idling.signal, ...(outer ? [outer] : [])]
    try {
      connecting.touch()
      const signal = AbortSignal.any(signals)
      const response = await globalThis.fetch(input, { ...init, signal, redirect: 'error' })
      connecting.stop()
      return watched(response, idling)
    } catch (thrown) {
      stop()
      throw thrown
    }
  }
}

interface Watch {
  readonly signal: AbortSignal
  /** Starts the time, or starts it again. */
  touch(): void
  stop(): void
}

function watch(limitMs: number, what: string): Watch {
  const controller = new AbortController()
  const fire = () => controller.abort(tooLate(limitMs, what))
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  return {
    signal: controller.signal,
    touch() {
      if (isStopped) return
      // The connection keeps the process alive, not its clock.
      timer = timer?.refresh() ?? setTimeout(fire, limitMs).unref()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** The same response, with every piece of its body noticed. */
function watched(response: Response, idling: Watch): Response {
  if (response.body === null) return response
  idling.touch()
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        idling.touch()
        controller.enqueue(piece)
      },
      flush: () => idling.stop(),
    }),
  )
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

/** In words that no SDK takes for a time-out of its own: those would replace this error. */
function tooLate(limitMs: number, what: string): PrecisError {
  return new PrecisError('timeout', `${what} within ${limitMs / 1_000} s.`, {
    hint: 'Try again later, or set a longer time-out.',
    retryable: true,
    details: { limitMs },
  })
}

/** Asks again after a passing failure, with growing pauses, as long as nothing was given out. */
export interface RetryPolicy {
  readonly retries: number // after the first attempt
  readonly firstPauseMs: number // doubles each time
  readonly longestPauseMs: number
  /** A server that asks for more patience than this is not waited for: the caller decides. */
  readonly longestAskedMs: number
}

/** Five attempts, and at most 15 s of pauses where the server asks for none. */
export const RETRY_POLICY: RetryPolicy = {
  retries: 4,
  firstPauseMs: 1_000,
  longestPauseMs: 8_000,
  longestAskedMs: 60_000,
}

export interface Attempts {
  readonly context: FailureContext
  readonly clock: Clock
  readonly signal?: Signal | undefined
  readonly policy?: Partial<RetryPolicy> | undefined
  readonly random?: (() => number) | undefined // from 0 to below 1
  readonly onRetry?: ((retry: ModelRetry) => void) | undefined
}

/**
 * What the first attempt gives that gives anything. A failure after that is not repeated: it would
 * say everything twice. Rejects with PrecisErrors only. Ending the loop early aborts the attempt.
 */
export async function* retryStream<T>(
  attempts: Attempts,
  open: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  for (let count = 0; ; count += 1) {
    const link = linkTo(attempts.signal)
    let hasBegun = false
    let failure: unknown
    try {
      requireRunning(attempts.signal)
      for await (const item of open(link.signal)) {
        hasBegun = true
        yield item
      }
      requireRunning(attempts.signal) // SDKs end an aborted stream as if it were complete
      return
    } catch (thrown) {
      failure = thrown
    } finally {
      link.close()
    }
    await pauseOrThrow(attempts, failure, hasBegun ? Number.POSITIVE_INFINITY : count)
  }
}

/** The same for calls with one answer. */
export async function retryCall<T>(
  attempts: Attempts,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let count = 0; ; count += 1) {
    const link = linkTo(attempts.signal)
    try {
      requireRunning(attempts.signal)
      return await call(link.signal)
    } catch (thrown) {
      await pauseOrThrow(attempts, thrown, count)
    } finally {
      link.close()
    }
  }
}

async function pauseOrThrow(attempts: Attempts, thrown: unknown, count: number): Promise<void> {
  const { clock, signal, context } = attempts
  const error = signal?.aborted ? abortedError() : toPrecisError(thrown, context)
  const pauseMs = pauseAfter(error, count, attempts)
  if (pauseMs === undefined) throw error
  attempts.onRetry?.({
    attempt: count + 2,
    attempts: mostRetries(error, attempts) + 1,
    reason: error.message,
    waitMs: Math.round(pauseMs),
  })
  await clock.sleep(pauseMs, signal)
  requireRunning(signal)
}

/** Whoever waited for nothing has waited long: a time-out is repeated once. */
function mostRetries({ code }: PrecisError, { policy }: Pick<Attempts, 'policy'>): number {
  const { retries } = { ...RETRY_POLICY, ...policy }
  return code === 'timeout' ? Math.min(1, retries) : retries
}

function pauseAfter(
  error: PrecisError,
  count: number,
  { policy, random = Math.random }: Attempts,
): number | undefined {
  const { firstPauseMs, longestPauseMs, longestAskedMs } = { ...RETRY_POLICY, ...policy }
  if (!error.retryable || count >= mostRetries(error, { policy })) return undefined
  const { retryAfterMs } = error.details
  // A little more than asked for, so that all who were turned away do not come back together.
  if (typeof retryAfterMs === 'number')
    return retryAfterMs > longestAskedMs ? undefined : retryAfterMs * (1 + random() / 10)
  return Math.min(longestPauseMs, firstPauseMs * 2 ** count) * (0.5 + random() / 2)
}

function requireRunning(signal: Signal | undefined): void {
  if (signal?.aborted) throw abortedError()
}

function abortedError(): PrecisError {
  return new PrecisError('aborted', 'The request was aborted.')
}

/** A signal of our own for one attempt, fired by the caller's, and at the end of the attempt. */
function linkTo(outer: Signal | undefined): { readonly signal: AbortSignal; close(): void } {
  const controller = new AbortController()
  const abort = () => controller.abort()
  outer?.addEventListener('abort', abort)
  if (outer?.aborted) abort()
  return {
    signal: controller.signal,
    close() {
      outer?.removeEventListener('abort', abort)
      abort()
    },
  }
}
