// The last used thread of a directory, for `precis chat --continue`
import { existsSync, realpathSync } from 'node:fs'
import { asPrecisError } from '../../core/errors.ts'
import type { EventType, ThreadEvent } from '../../core/log/event.ts'
import type { Client, ThreadSummary } from '../../protocol/client.ts'

type Reading = Pick<Client, 'threads' | 'events'>

/** So many threads are looked at, from the latest on, and of each so many events from the first on. */
const MOST_THREADS = 1_000
const PAGE_THREADS = 50
const OPENING_EVENTS = 20

export async function lastUsedIn(client: Reading, folder: string): Promise<string | undefined> {
  const wanted = realFolder(folder)
  let after: string | undefined
  for (let looked = 0; looked < MOST_THREADS; looked += PAGE_THREADS) {
    const page = await client.threads({
      limit: PAGE_THREADS,
      ...(after !== undefined && { after }),
    })
    const found = await Promise.all(
      page.items.map(async (thread) => (await usedFolder(client, thread)) === wanted),
    )
    const thread = page.items[found.indexOf(true)]
    if (thread) return thread.threadId
    after = page.next
    if (after === undefined) return undefined
  }
  return undefined
}

/** What a thread has before anything is said or done in it. */
const BEFORE_USE: ReadonlySet<EventType> = new Set([
  'THREAD_STARTED',
  'SYSTEM_PROMPT',
  'THREAD_SETTINGS',
  'MODEL_CHANGED',
])

/** Undefined for what nobody continues with: an empty thread, or one of a task; and if there is no directory. */
async function usedFolder(
  client: Reading,
  { threadId, reason }: ThreadSummary,
): Promise<string | undefined> {
  if (reason === 'task') return undefined
  const events = await client.events(threadId, { limit: OPENING_EVENTS }).catch(noneOfDeleted)
  if (events.every(({ type }) => BEFORE_USE.has(type))) return undefined
  const folder = events.flatMap((event) =>
    event.type === 'THREAD_SETTINGS' ? (event.data.workspace ?? []) : [],
  )[0]
  return folder === undefined ? undefined : realFolder(folder)
}

/** A chat that is left deletes its thread if nothing was said in it: maybe just now. */
function noneOfDeleted(thrown: unknown): readonly ThreadEvent[] {
  if (asPrecisError(thrown).code !== 'unknown-thread') throw thrown
  return []
}

/** A folder has one real path, however it was named. One that is gone is known by its name. */
function realFolder(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder
}
