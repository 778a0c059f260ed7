// Holds a lease for as long as its owner works: renewed in time, and lost loudly.
import type { Clock, Store } from '../../core/ports.ts'

export interface HeldLease {
  /** Fires where the lease could not be renewed: somebody else may work now. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

export interface LeaseOptions {
  readonly store: Pick<Store, 'takeLease' | 'releaseLease'>
  readonly clock: Clock
  readonly name: string
  readonly owner: string
  readonly ttlMs: number
}

/** Undefined where another owner holds it. */
export async function holdLease(options: LeaseOptions): Promise<HeldLease | undefined> {
  const { store, clock, name, owner, ttlMs } = options
  const takenMs = clock.now().getTime()
  if (!(await store.takeLease(name, owner, ttlMs))) return undefined
  const stop = new AbortController()
  const lost = new AbortController()
  const renewing = renew(options, takenMs, stop.signal).then((held) => {
    if (!held) lost.abort()
  })
  return {
    lost: lost.signal,
    async release() {
      stop.abort()
      await renewing
      await store.releaseLease(name, owner)
    },
  }
}

/** Three tries in the life time of a lease. False where it is gone, true where it was given back. */
async function renew(options: LeaseOptions, takenMs: number, stop: AbortSignal): Promise<boolean> {
  const { clock, ttlMs } = options
  let renewedMs = takenMs
  for (;;) {
    await clock.sleep(ttlMs / 3, stop)
    if (stop.aborted) return true
    const askedMs = clock.now().getTime()
    // A store that fails now may answer the next time: until the end of its time the lease holds.
    const held = await takeAgain(options)
    if (held === false) return false
    if (held) renewedMs = askedMs
    else if (clock.now().getTime() - renewedMs >= ttlMs) return false
  }
}

/** A store that answers at all answers in this time, also on a machine that does much else. */
const LEAST_PATIENCE_MS = 5_000

/** Undefined where the store fails, or does not answer for as long as a lease lasts. */
async function takeAgain({
  store,
  clock,
  name,
  owner,
  ttlMs,
}: LeaseOptions): Promise<boolean | undefined> {
  const answered = new AbortController()
  const patienceMs = Math.max(ttlMs, LEAST_PATIENCE_MS)
  const silence = clock.sleep(patienceMs, answered.signal).then(() => undefined)
  const taken = store.takeLease(name, owner, ttlMs).catch(() => undefined)
  try {
    return await Promise.race([taken, silence])
  } finally {
    answered.abort()
  }
}
