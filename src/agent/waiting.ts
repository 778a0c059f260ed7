// What waits in a thread: what its log says, without what a fresh session has taken over from it.
import { readRow } from '../core/codec.ts'
import { type Inbox, inboxReducer } from '../core/inbox.ts'
import type { ThreadInfo } from '../core/ports.ts'
import { reducedBy } from '../core/thread-state.ts'
import type { AgentCore } from './core.ts'

/** Processes on several machines share a store: their clocks may differ by so much. */
const CLOCKS_DIFFER_MS = 600_000
/** Threads that were made since a message began to wait: more are not looked through. */
const MOST_PAGES = 10
/** What is taken over stands at the beginning of a new thread; what came late, not far behind it. */
const OPENING_ROWS = 2_000

export async function waitingIn(core: AgentCore, threadId: string): Promise<Inbox> {
  const inbox = await inboxOf(core, threadId)
  const taken = await takenOf(core, threadId, inbox)
  return inbox.filter(({ messageId }) => !taken.has(messageId))
}

/**
 * Messages in the inbox of this thread that wait, or were said, in a session that was opened from it. Such
 * a session writes nothing into the thread it comes from, so it is the new thread that tells.
 */
export async function takenFrom(core: AgentCore, threadId: string): Promise<ReadonlySet<string>> {
  return takenOf(core, threadId, await inboxOf(core, threadId))
}

async function inboxOf({ ports }: AgentCore, threadId: string): Promise<Inbox> {
  return reducedBy(await ports.threads.state(threadId), inboxReducer)
}

async function takenOf(
  core: AgentCore,
  threadId: string,
  inbox: Inbox,
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>()
  if (inbox.length === 0) return taken
  for await (const info of threadsSince(core, inbox)) {
    if (info.threadId === threadId) continue
    for (const messageId of await takenBy(core, info.threadId, threadId)) taken.add(messageId)
  }
  return taken
}

/** Those that were made since the oldest of these messages came. */
async function* threadsSince({ ports }: AgentCore, inbox: Inbox): AsyncGenerator<ThreadInfo> {
  const oldest = Math.min(...inbox.map(({ queuedAt }) => Date.parse(queuedAt)))
  if (!Number.isFinite(oldest)) return
  const since = oldest - CLOCKS_DIFFER_MS
  let after: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const { items, next } = await ports.store.list(after === undefined ? {} : { after })
    for (const info of items) {
      if (info.updatedAt.getTime() < since) return // the list begins with the latest
      if (info.createdAt.getTime() >= since) yield info
    }
    if (next === undefined) return
    after = next
  }
}

async function takenBy({ ports }: AgentCore, threadId: string, from: string): Promise<string[]> {
  const [row] = await ports.store.read(threadId, { from: 1, to: 1 })
  const first = row && readRow(row)
  const isFresh = first?.type === 'THREAD_STARTED' && first.data.reason === 'fresh-session'
  if (!isFresh || first.data.from?.threadId !== from) return []
  const rows = await ports.store.read(threadId, { from: 2, to: OPENING_ROWS })
  return rows.flatMap((each) => {
    const event = readRow(each)
    return event?.type === 'MESSAGE_QUEUED' ? [event.data.messageId] : []
  })
}
