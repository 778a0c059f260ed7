// One compaction of a thread at a time, across processes: the second waits for the first.
import { PrecisError } from '../../core/errors.ts'
import type { EventOf } from '../../core/log/event.ts'
import type { AgentCore } from '../core.ts'
import { type HeldLease, holdLease, tellWaiting } from '../inbox/thread-lease.ts'

const POLL_MS = 200

/**
 * A turn's own lease excludes others, but a background compaction outlives its turn. Without `waits`, rejects
 * while another one runs. `waited` tells whether there was one.
 */
export async function takeCompaction(
  core: AgentCore,
  threadId: string,
  { waits, signal }: { readonly waits: boolean; readonly signal: AbortSignal },
): Promise<HeldLease & { readonly waited: boolean }> {
  const { ports, limits, owner } = core
  const { store, clock } = ports
  const untilMs = clock.now().getTime() + limits.waitMs
  const name = `compaction:${threadId}`
  for (let waited = false; ; waited = true) {
    const lease = await holdLease({ store, clock, name, owner, ttlMs: limits.leaseMs })
    if (lease) return { ...lease, waited }
    if (!waits || clock.now().getTime() >= untilMs) throw runsElsewhere(threadId)
    if (!waited) tellWaiting(core, core.desks.of(threadId))
    await clock.sleep(POLL_MS, signal)
    if (signal.aborted) throw new PrecisError('aborted', 'The compaction was aborted.')
  }
}

/** What another process has committed since. */
export async function compactionSince(
  { ports }: AgentCore,
  threadId: string,
  version: number,
): Promise<EventOf<'COMPACTION'> | undefined> {
  const events = await ports.threads.getEvents(threadId)
  return events.findLast(
    (event): event is EventOf<'COMPACTION'> => event.type === 'COMPACTION' && event.seq > version,
  )
}

function runsElsewhere(threadId: string): PrecisError {
  const message = 'Another compaction of this thread is running; go on without one.'
  return new PrecisError('store-busy', message, { where: threadId, retryable: true })
}
