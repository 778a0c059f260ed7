// A fetch that does not wait for ever: for the answer to begin, and for the next bytes of it.
import { PrecisError } from '../../core/errors.ts'

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
