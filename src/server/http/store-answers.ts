// Timeout for a store that does not answer, shorter than the store's own retries
import type { MiddlewareHandler } from 'hono'
import { PrecisError } from '../../core/errors.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { RESERVED_PREFIX } from '../accounts/owners.ts'
import type { Activity } from '../live/activity.ts'
import type { Feeds } from '../live/feeds.ts'

interface AskedStore {
  readonly store: Pick<Store, 'info'>
  readonly clock: Pick<Clock, 'sleep'>
}

/** Any name will do: what counts is that there is an answer. */
const ASKED = `${RESERVED_PREFIX}ready`
const LOOKS = 5

/** Rejects if the store fails, or says nothing for so long. */
export async function requireAnswer({ store, clock }: AskedStore, withinMs: number): Promise<void> {
  const over = new AbortController()
  const late = async () => {
    // A process that was busy itself for as long has not looked yet whether there is an answer.
    for (let looks = 0; looks < LOOKS; looks += 1) await clock.sleep(withinMs / LOOKS, over.signal)
    throw silentStore()
  }
  try {
    await Promise.race([store.info(ASKED).catch(tellSilence), late()])
  } finally {
    over.abort()
  }
}

/**
 * What is read is waited for only as long as the store gives a sign of life: a long search continues, a
 * server that is gone is told. Writes are not cut short, since nobody would know what became of them.
 */
export function readsWhileAnswering(asked: AskedStore, withinMs: number): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.method !== 'GET' || !c.req.path.startsWith('/api/')) return next()
    const over = new AbortController()
    try {
      await Promise.race([next(), untilSilent(asked, withinMs, over.signal)])
    } finally {
      over.abort()
    }
  }
}

async function untilSilent(
  asked: AskedStore,
  withinMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await asked.clock.sleep(withinMs, signal)
    if (!signal.aborted) await requireAnswer(asked, withinMs)
  }
}

/** What exactly is wrong with the store is not for everyone who asks: they may have no token. */
function tellSilence(cause: unknown): never {
  throw silentStore(cause)
}

function silentStore(cause?: unknown): PrecisError {
  return new PrecisError('store-busy', 'The store does not answer.', {
    hint: 'Check the server log and that the store is reachable.',
    retryable: true,
    ...(cause !== undefined && { cause }),
  })
}

const POLL_MS = 25
/** Still answered, so that whoever watches over the server sees that it is going. */
const WATCHED: ReadonlySet<string> = new Set(['/api/health', '/api/ready', '/api/metrics'])

/**
 * The end of a server without a loss: nothing new is taken in, and what runs is given time to
 * finish.
 */
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
