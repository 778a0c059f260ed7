// Bounded waits for tests: a wait that runs out fails with a sentence that names what it waited for.
import { setTimeout as sleep } from 'node:timers/promises'

export interface WaitOptions {
  /** Far longer than it takes, and shorter than the limit of a test, which names nothing. */
  readonly withinMs?: number
  /** The pause between two looks. */
  readonly everyMs?: number
}

const WITHIN_MS = 60_000
const EVERY_MS = 5

/** Looks until it finds something true, and returns it. A look that never ends counts as well. */
export async function until<Found>(
  what: string | (() => string),
  look: () => Found | Promise<Found>,
  { withinMs = WITHIN_MS, everyMs = EVERY_MS }: WaitOptions = {},
): Promise<Found> {
  const over = new AbortController()
  const looking = (async () => {
    for (;;) {
      const found = await look()
      if (found || over.signal.aborted) return found
      await sleep(everyMs)
    }
  })()
  return await within(what, looking, withinMs).finally(() => over.abort())
}

/** What the promise resolves to, unless that takes too long. */
export async function within<Value>(
  what: string | (() => string),
  promise: PromiseLike<Value>,
  withinMs: number = WITHIN_MS,
): Promise<Value> {
  // Made here, so that its stack leads to the test.
  const late = new Error()
  const over = new AbortController()
  const limit = sleep(withinMs, undefined, { signal: over.signal }).then(() => {
    const name = typeof what === 'string' ? what : what()
    late.message = `Waited ${withinMs} ms for ${name}, which did not happen.`
    throw late
  })
  limit.catch(() => undefined) // ended by the line below
  try {
    return (await Promise.race([promise, limit])) as Value
  } finally {
    over.abort()
  }
}

/** How long a stand-in takes for its work, or a moment drawn at random. Never a wait for something. */
export async function pretendWork(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal?.aborted) throw error
  })
}
