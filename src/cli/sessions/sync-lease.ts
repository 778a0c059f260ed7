// One sync or import at a time on one store, across calls and processes: two would import a session twice
import { randomUUID } from 'node:crypto'
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'

/** Renewed while it is held: so soon another may go on where a process dies. */
const LEASE_MS = 15_000
const BETWEEN_MS = 100
const NAME = 'sync sessions'

export interface Waiting {
  /** So long another is waited for. */
  readonly mostWaitMs: number
  /** Asked while it waits. */
  isStopped(): boolean
  onWait(): void
}

/**
 * False, and nothing done, where another had it for all that time. `isOurs` turns false where the lease was
 * lost, and `leased` refuses to write from then on.
 */
export async function underSyncLease(
  home: Composed,
  { mostWaitMs, isStopped, onWait }: Waiting,
  work: (leased: Composed, isOurs: () => boolean) => Promise<void>,
): Promise<boolean> {
  const { store, clock } = home
  const owner = randomUUID()
  const take = () => store.takeLease(NAME, owner, LEASE_MS)
  for (let waitedMs = 0; !(await take()); waitedMs += BETWEEN_MS) {
    if (waitedMs >= mostWaitMs || isStopped()) return false
    onWait()
    await clock.sleep(BETWEEN_MS)
  }
  let isOurs = true
  let renewing: Promise<void> = Promise.resolve()
  const renew = async () => {
    // A store that cannot be reached now may be by the next time.
    isOurs &&= await take().catch(() => true)
  }
  const renewals = setInterval(() => {
    renewing = renewing.then(renew)
  }, LEASE_MS / 3)
  try {
    await work(
      writingWhile(() => isOurs, home),
      () => isOurs,
    )
    return true
  } finally {
    clearInterval(renewals)
    await renewing // or it would take the lease again that is given back here
    await store.releaseLease(NAME, owner)
  }
}

function writingWhile(isOurs: () => boolean, home: Composed): Composed {
  const { threads } = home
  const ours =
    <Given extends unknown[], Result>(write: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (!isOurs()) throw isBusy()
      return write(...given)
    }
  const { create, append, compact } = threads
  return {
    ...home,
    threads: {
      ...threads,
      create: ours(create),
      append: ours(append),
      compact: ours(compact),
    },
  }
}

export function isBusy(): PrecisError {
  return new PrecisError('overloaded', 'Another import is running.', {
    hint: 'Try again when it is done.',
    retryable: true,
  })
}
