// Owners of threads: recorded at creation and inherited by forks, fresh sessions and tasks
import { readRow } from '../../core/log/codec.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import { unknownThread } from '../../threads/live-thread.ts'
import type { Threads } from '../../threads/threads.ts'

/** Whose threads are that nobody is named for: commands of this machine have begun them. */
export const LOCAL_OWNER = 'local'

/** Logs that servers keep for themselves in the store. No route gives them out. */
export const RESERVED_PREFIX = 'sys_'

/** An owner that is undefined may see everything: there are no tokens, and so no others. */
export function maySee(owner: string | undefined, first: ThreadEvent | undefined): boolean {
  if (first?.threadId.startsWith(RESERVED_PREFIX)) return false
  return owner === undefined || ownerIn(first) === owner
}

/** Under which names threads of this owner are searched; `''` are those that nobody is named for. */
export function readNames(owner: string): readonly string[] {
  return owner === LOCAL_OWNER ? [owner, ''] : [owner]
}

/** Another's thread is answered like one that is not there. */
export async function requireOwn(
  store: Pick<Store, 'read'>,
  threadId: string,
  owner: string | undefined,
): Promise<void> {
  // A thread without an owner is looked for if it is asked for: that spares a reading of it.
  if (owner === undefined && !threadId.startsWith(RESERVED_PREFIX)) return
  const first = await findFirst(store, threadId)
  if (!first || !maySee(owner, first)) throw unknownThread(threadId)
}

/** A task that the agent begins by itself belongs to whom it came from; a fresh session takes its owner along. */
export function inheriting(threads: Threads, store: Pick<Store, 'read'>): Threads {
  const create: Threads['create'] = async (started = {}, drafts) => {
    if (started.owner !== undefined || !started.from) return threads.create(started, drafts)
    const first = await findFirst(store, started.from.threadId)
    const owner = first?.type === 'THREAD_STARTED' ? first.data.owner : undefined
    return threads.create({ ...started, ...(owner !== undefined && { owner }) }, drafts)
  }
  return Object.assign(Object.create(threads) as Threads, { create })
}

/** A fork shares the first event of its parent, and so its owner. */
function ownerIn(first: ThreadEvent | undefined): string {
  return (first?.type === 'THREAD_STARTED' ? first.data.owner : undefined) ?? LOCAL_OWNER
}

async function findFirst(
  store: Pick<Store, 'read'>,
  threadId: string,
): Promise<ThreadEvent | undefined> {
  const [row] = await store.read(threadId, { limit: 1 })
  return row && readRow(row)
}
