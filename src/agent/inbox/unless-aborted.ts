// Waits for something that others do, but no longer than until it is aborted.
import { setTimeout } from 'node:timers/promises'
import { PrecisError } from '../../core/errors.ts'

/** Rejects with `aborted` when the signal fires, `graceMs` later where something is still to be said. */
export async function unlessAborted<T>(
  signal: AbortSignal,
  work: Promise<T>,
  graceMs = 0,
): Promise<T> {
  const over = new AbortController()
  const fired = new Promise<void>((fire) => {
    if (signal.aborted) fire()
    else signal.addEventListener('abort', () => fire(), { signal: over.signal, once: true })
  })
  const aborted = fired.then(async () => {
    await setTimeout(graceMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined)
    throw new PrecisError('aborted', 'It was aborted.')
  })
  work.catch(() => undefined) // nobody may be left to hear of it
  aborted.catch(() => undefined)
  try {
    return await Promise.race([work, aborted])
  } finally {
    over.abort()
  }
}
