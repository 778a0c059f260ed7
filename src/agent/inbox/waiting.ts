// Messages waiting in a thread, without those a fresh session took over.
import { type Inbox, inboxReducer } from '../../core/agent/inbox.ts'
import { readRow } from '../../core/log/codec.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { listFreshThreads } from '../../threads/past-threads.ts'
import type { AgentCore } from '../core.ts'

/** Assumed clock difference between machines that share a store. */
const CLOCKS_DIFFER_MS = 600_000

/** Taken-over messages are at the start of a new thread, late ones soon after. */
const OPENING_ROWS = 2_000

export async function waitingIn(core: AgentCore, threadId: string): Promise<Inbox> {
  const inbox = await readInbox(core, threadId)
  const taken = await findTaken(core, threadId, inbox)
  return inbox.filter(({ messageId }) => !taken.has(messageId))
}

/**
 * Messages in this thread's inbox that wait or were sent in a session opened from it. Such a session writes
 * nothing here, so only the new thread tells.
 */
export async function takenFrom(core: AgentCore, threadId: string): Promise<ReadonlySet<string>> {
  return findTaken(core, threadId, await readInbox(core, threadId))
}

async function readInbox({ ports }: AgentCore, threadId: string): Promise<Inbox> {
  return reducedBy(await ports.threads.state(threadId), inboxReducer)
}

async function findTaken(
  { ports }: AgentCore,
  threadId: string,
  inbox: Inbox,
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>()
  // Only sessions opened since the oldest of these messages.
  const oldest = Math.min(...inbox.map(({ queuedAt }) => Date.parse(queuedAt)))
  if (!Number.isFinite(oldest)) return taken
  const since = oldest - CLOCKS_DIFFER_MS
  for await (const { threadId: fresh } of listFreshThreads(ports.store, threadId, since)) {
    const rows = await ports.store.read(fresh, { from: 2, to: OPENING_ROWS })
    for (const event of rows.map(readRow))
      if (event.type === 'MESSAGE_QUEUED') taken.add(event.data.messageId)
  }
  return taken
}
