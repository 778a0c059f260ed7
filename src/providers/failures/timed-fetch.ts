// A fetch with timeouts: for the start of the answer, and for each next chunk.
import { PrecisError } from '../../core/errors.ts'
import type { ModelRetry, Signal } from '../../core/model.ts'
import type { Clock } from '../../core/ports.ts'
import type { FailureContext } from './failure-kinds.ts'
import { toPrecisError } from './failures.ts'

export interface Timeouts {
  /** Until the answer starts: connecting, and the time the server needs to read the request. */
  readonly connectMs: number
  /** Between two chunks of the answer. Keep-alive messages count. */
  readonly idleMs: number
}

const TIMEOUTS: Timeouts = { connectMs: 120_000, idleMs: 120_000 }

/**
 * Replaces the global fetch in SDKs. Follows no redirect: a key is for the server it was given for. Rejects
 * with a retryable `timeout`.
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
  /** Starts or restarts the timer. */
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
      // The connection keeps the process alive, not its timer.
      timer = timer?.refresh() ?? setTimeout(fire, limitMs).unref()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** The same response; every chunk of its body resets the timer. */
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

/** Avoids the words by which SDKs recognise their own timeout: they would replace this error. */
function tooLate(limitMs: number, what: string): PrecisError {
  return new PrecisError('timeout', `${what} within ${limitMs / 1_000} s.`, {
    hint: 'Try again later, or set a longer time-out.',
    retryable: true,
    details: { limitMs },
  })
}

/** Retries after a transient failure with growing pauses, as long as no output was given. */
export interface RetryPolicy {
  readonly retries: number // after the first attempt
  readonly firstPauseMs: number // doubles each time
  readonly longestPauseMs: number
  /** If a server asks for a longer wait, do not retry; the caller decides. */
  readonly longestAskedMs: number
}

/** Five attempts with at most 15 s of pauses, unless the server asks for longer ones. */
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
 * Yields the output of the first attempt that produces any. A later failure is not retried, since that would
 * repeat output. Rejects with PrecisErrors only. Ending the loop early aborts the attempt.
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

/** The same for calls with a single answer. */
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

/** A timeout has already cost much time: retry it once. */
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
  // Slightly longer than requested, so that rejected clients do not return all at once.
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

/** A separate signal for one attempt: fires with the caller's, and at the end of the attempt. */
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
