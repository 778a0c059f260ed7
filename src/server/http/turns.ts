// Requests of one caller take turns, so that a thousand of them do not delay other callers.
import { PrecisError } from '../../core/errors.ts'

/** Concurrent requests of one caller. */
const AT_ONCE = 16
/** Waiting requests of one caller; more are rejected. */
const MOST_WAITING = 1_000
const RETRY_SECONDS = 1
/** A longer request is waiting for something other than this process, so it frees its place. */
const LONGEST_MS = 1_000

interface Caller {
  busy: number
  /** In the order of arrival. */
  readonly waiting: Set<() => void>
}

export class Turns {
  readonly #callers = new Map<string, Caller>()

  /**
   * Waits for a place and returns the function that frees it, to be called once. Rejects if the signal fires
   * first.
   */
  async take(who: string, signal: AbortSignal): Promise<() => void> {
    const caller = this.#callers.get(who) ?? { busy: 0, waiting: new Set() }
    if (caller.busy >= AT_ONCE) await waitIn(caller.waiting, signal)
    else {
      this.#callers.set(who, caller)
      caller.busy += 1
    }
    let isHeld = true
    const leave = () => {
      if (!isHeld) return
      isHeld = false
      clearTimeout(timer)
      this.#leave(who, caller)
    }
    const timer = setTimeout(leave, LONGEST_MS).unref()
    return leave
  }

  #leave(who: string, caller: Caller): void {
    const [next] = caller.waiting
    if (next) {
      caller.waiting.delete(next)
      // Deferred, so that requests on other connections are seen first.
      setImmediate(next)
    } else caller.busy -= 1
    if (caller.busy === 0) this.#callers.delete(who)
  }
}

function waitIn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw lost()
  if (waiting.size >= MOST_WAITING)
    throw new PrecisError('rate-limited', 'Too many requests at once.', {
      hint: `At most ${MOST_WAITING} requests of one caller wait for their turn. Try again in ${RETRY_SECONDS} s.`,
      retryable: true,
      details: { retryAfterSeconds: RETRY_SECONDS },
    })
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    // Once its turn has come it is no longer in the set: it proceeds and frees its place as usual.
    const giveUp = () => {
      if (waiting.delete(enter)) reject(lost())
    }
    signal.addEventListener('abort', giveUp, { once: true })
    waiting.add(enter)
  })
}

function lost(): DOMException {
  return new DOMException('The connection was lost.', 'AbortError')
}
