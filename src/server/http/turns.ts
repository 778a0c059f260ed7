// Requests of one caller take turns: a thousand of them at once do not keep those of others waiting
import { PrecisError } from '../../core/errors.ts'

/** So many of one caller are worked on side by side. */
const AT_ONCE = 16
/** More than these of one caller do not wait. */
const MOST_WAITING = 1_000
const RETRY_SECONDS = 1
/** What takes longer waits for something else than this process, and leaves its place to the next. */
const LONGEST_MS = 1_000

interface Caller {
  busy: number
  /** In the order in which they came. */
  readonly waiting: Set<() => void>
}

export class Turns {
  readonly #callers = new Map<string, Caller>()

  /** Waits for a place, and gives what leaves it, once. Rejects when the signal fires before its turn. */
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
      // Not at once: what came over other connections meanwhile is looked at first.
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
    // Once its turn has come it is no longer in the set, and goes on: the place is given back as always.
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
