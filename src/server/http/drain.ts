// The end of a server without a loss: nothing new is taken in, and what runs is given time to finish.
import type { MiddlewareHandler } from 'hono'
import { PrecisError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { Activity } from '../live/activity.ts'
import type { Feeds } from '../live/feeds.ts'

const POLL_MS = 25
/** Still answered, so that whoever watches over the server sees that it is going. */
const WATCHED: ReadonlySet<string> = new Set(['/api/health', '/api/ready', '/api/metrics'])

export class Drain {
  readonly #activity: Activity
  readonly #feeds: Pick<Feeds, 'isTold'>
  readonly #clock: Clock
  #isDraining = false
  #running = 0

  constructor(activity: Activity, feeds: Pick<Feeds, 'isTold'>, clock: Clock) {
    this.#activity = activity
    this.#feeds = feeds
    this.#clock = clock
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  readonly middleware: MiddlewareHandler = async (c, next) => {
    if (this.#isDraining && !WATCHED.has(c.req.path)) throw goingDown()
    this.#running += 1
    try {
      // A stream is answered as soon as it has begun: it does not hold anything up.
      await next()
    } finally {
      this.#running -= 1
    }
  }

  /**
   * Takes in nothing new. Resolves when nothing runs any more and whoever follows has been told,
   * after `withinMs`, or when the signal fires: with the threads that still work.
   */
  async finish(withinMs: number, signal?: AbortSignal): Promise<readonly string[]> {
    this.#isDraining = true
    const untilMs = this.#clock.now().getTime() + withinMs
    for (;;) {
      const busy = this.#activity.busy()
      if (busy.length === 0 && this.#running === 0 && this.#feeds.isTold) return []
      if (signal?.aborted || this.#clock.now().getTime() >= untilMs) return busy
      await this.#clock.sleep(POLL_MS, signal)
    }
  }
}

export function goingDown(): PrecisError {
  return new PrecisError('overloaded', 'This server is shutting down.', {
    hint: 'Try again: another process will answer.',
    retryable: true,
  })
}
