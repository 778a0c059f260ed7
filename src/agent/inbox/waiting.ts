// What waits in a thread: what its log says, without what a fresh session has taken over from it.
import { type Inbox, inboxReducer } from '../../core/agent/inbox.ts'
import { readRow } from '../../core/log/codec.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { listFreshThreads } from '../../threads/past-threads.ts'
import type { AgentCore } from '../core.ts'

/** Processes on several machines share a store: their clocks may differ by so much. */
const CLOCKS_DIFFER_MS = 600_000

/** What is taken over stands at the beginning of a new thread; what came late, not far behind it. */
const OPENING_ROWS = 2_000

export async function waitingIn(core: AgentCore, threadId: string): Promise<Inbox> {
  const inbox = await readInbox(core, threadId)
  const taken = await findTaken(core, threadId, inbox)
  return inbox.filter(({ messageId }) => !taken.has(messageId))
}

/**
 * Messages in the inbox of this thread that wait, or were said, in a session that was opened from it. Such
 * a session writes nothing into the thread it comes from, so it is the new thread that tells.
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
  // Only sessions that were opened since the oldest of these messages came.
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
