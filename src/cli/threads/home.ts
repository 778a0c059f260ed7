// The user's own store with everything on it, for commands that work on threads.
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Composed, compose } from '../../compose.ts'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import type { EventType, ThreadEvent } from '../../core/log/event.ts'
import type { JobQueue } from '../../core/ports.ts'
import type { ResolvedSettings, Settings } from '../../core/settings/settings.ts'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import type { Client, ThreadSummary } from '../../protocol/client.ts'
import { openJobs, openStore } from '../../stores/open-store.ts'
import type { Io } from '../process-io.ts'
import { STORE_FILE, type Surroundings, stateFolder } from '../settings/places.ts'
import { loadSettings } from '../settings/settings.ts'

export interface Home extends Composed {
  /** The store's job queue for an agent; opened on first use, closed with the rest. */
  jobs(): Promise<JobQueue>
}

/** `sqlite` is the file in the data directory; anything else is a store's address. */
export async function openHome(settings: Settings, io: Surroundings): Promise<Home> {
  const { cwd, environment } = io
  const address = homeAddress(settings, settings.store === 'sqlite' ? await stateFolder(io) : '')
  const store = await openStore(address, { cwd })
  const composed = compose({ store, settings, environment })
  let opening: Promise<JobQueue> | undefined
  return {
    ...composed,
    jobs() {
      opening ??= openJobs(address, store)
      return opening
    },
    async close() {
      // A failed opening was reported to its caller.
      const jobs = await opening?.catch(() => undefined)
      await jobs?.close()
      await composed.close()
    },
  }
}

function homeAddress({ store }: Settings, folder: string): string {
  if (store === 'sqlite') return `sqlite:${join(folder, STORE_FILE)}`
  return store === 'memory' ? 'memory:' : store
}

/** The path of the user's own store; undefined if it does not exist. Creates nothing. */
export function findHome(io: Surroundings): string | undefined {
  const { settings } = loadSettings(io)
  const address = homeAddress(settings, stateFolderPath(io))
  const isMissing = settings.store === 'sqlite' && !existsSync(address.slice('sqlite:'.length))
  return isMissing ? undefined : address
}

/** Runs something on the user's own store and always closes it. */
export async function withHome<T>(
  io: Io,
  work: (home: Composed, resolved: ResolvedSettings) => Promise<T>,
): Promise<T> {
  const resolved = loadSettings(io)
  const home = await openHome(resolved.settings, io)
  try {
    return await work(home, resolved)
  } catch (thrown) {
    throw withListing(thrown)
  } finally {
    await home.close()
  }
}

/** Mentions the command that lists threads. */
function withListing(thrown: unknown): unknown {
  if (!PrecisError.is(thrown) || thrown.code !== 'unknown-thread') return thrown
  const { code, message, where } = thrown
  return new PrecisError(code, message, {
    ...(where !== undefined && { where }),
    hint: 'precis threads lists those in the store.',
    cause: thrown,
  })
}

type Reading = Pick<Client, 'threads' | 'events'>

/** Threads examined, latest first, and events of each, first ones first. */
const MOST_THREADS = 1_000
const PAGE_THREADS = 50
const OPENING_EVENTS = 20

/** The last used thread of a directory, for `precis chat --continue`. */
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

/** Events of a thread that was not used yet. */
const BEFORE_USE: ReadonlySet<EventType> = new Set([
  'THREAD_STARTED',
  'SYSTEM_PROMPT',
  'THREAD_SETTINGS',
  'MODEL_CHANGED',
])

/** Undefined for threads without anything to continue: empty ones, tasks, and those without a directory. */
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

/** A chat at its end deletes its thread if it is empty, perhaps just now. */
function noneOfDeleted(thrown: unknown): readonly ThreadEvent[] {
  if (asPrecisError(thrown).code !== 'unknown-thread') throw thrown
  return []
}

/** A folder's real path, however it was named; a missing one keeps its name. */
function realFolder(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder
}
