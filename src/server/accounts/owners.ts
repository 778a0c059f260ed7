// Owners of threads: recorded at creation, inherited by forks, fresh sessions and tasks.
import { readRow } from '../../core/log/codec.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import { unknownThread } from '../../threads/live-thread.ts'
import type { Threads } from '../../threads/threads.ts'

/** The owner of threads without a named one: commands on this machine created them. */
export const LOCAL_OWNER = 'local'

/** Prefix of logs that servers keep in the store for themselves. No route returns them. */
export const RESERVED_PREFIX = 'sys_'

/** An undefined owner may see everything: without tokens there are no others. */
export function maySee(owner: string | undefined, first: ThreadEvent | undefined): boolean {
  if (first?.threadId.startsWith(RESERVED_PREFIX)) return false
  return owner === undefined || ownerIn(first) === owner
}

/** The owner names to search; `''` stands for threads without a named owner. */
export function readNames(owner: string): readonly string[] {
  return owner === LOCAL_OWNER ? [owner, ''] : [owner]
}

/** Another owner's thread is answered as if it did not exist. */
export async function requireOwn(
  store: Pick<Store, 'read'>,
  threadId: string,
  owner: string | undefined,
): Promise<void> {
  // A thread without owner is looked up anyway; this saves a read.
  if (owner === undefined && !threadId.startsWith(RESERVED_PREFIX)) return
  const first = await findFirst(store, threadId)
  if (!first || !maySee(owner, first)) throw unknownThread(threadId)
}

/** A task belongs to the owner of the thread that started it; a fresh session keeps its owner. */
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
