// A timeout for an unresponsive store, shorter than the store's own retries.
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

/** Any name works: only the answer matters. */
const ASKED = `${RESERVED_PREFIX}ready`
const LOOKS = 5

/** Rejects if the store fails or is silent for this long. */
export async function requireAnswer({ store, clock }: AskedStore, withinMs: number): Promise<void> {
  const over = new AbortController()
  const late = async () => {
    // After a long stall of this process an answer may be waiting that was not read yet, so look several
    // times.
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
 * Reads wait only while the store shows signs of life: a long search goes on, a lost server is reported.
 * Writes are never cut short, because their outcome would be unknown.
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

/** Callers may have no token, so the details of the failure are not shown. */
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
/** Still answered, so that monitoring sees the server shut down. */
const WATCHED: ReadonlySet<string> = new Set(['/api/health', '/api/ready', '/api/metrics'])

/** A shutdown without loss: rejects new requests and gives running work time to finish. */
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
      // The handler of a stream returns as soon as it starts, so streams do not delay the shutdown.
      await next()
    } finally {
      this.#running -= 1
    }
  }

  /**
   * Rejects new requests. Resolves when nothing runs and all subscribers are notified, after `withinMs`, or
   * at the signal; returns the threads that still work.
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
