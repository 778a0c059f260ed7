// Owners of threads: recorded at creation and inherited by forks, fresh sessions and tasks
import { createHash, randomBytes } from 'node:crypto'
import type { Context } from 'hono'
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

// Sessions of the page: a cookie in place of the token, for as long as this process runs.

const ID_BYTES = 32
/** The oldest are forgotten: their pages ask for the token again. */
const MOST_SESSIONS = 1_000

/**
 * The cookie is not a token and opens nothing on another process. Browsers send cookies to every port of a
 * host, so whoever listens there when this server has ended learns only what no longer opens anything.
 */
export class PageSessions {
  readonly #tokens = new Map<string, string>()

  /** A `Set-Cookie` for a page that has shown the token. */
  begin(c: Context, token: string): string {
    const id = randomBytes(ID_BYTES).toString('base64url')
    this.#tokens.set(computeDigest(id), token)
    const [oldest] = this.#tokens.keys()
    if (this.#tokens.size > MOST_SESSIONS && oldest !== undefined) this.#tokens.delete(oldest)
    const isSecure = c.req.header('origin')?.startsWith('https:') ?? false
    return `${nameFor(c)}=${id}; HttpOnly; SameSite=Strict; Path=/api${isSecure ? '; Secure' : ''}`
  }

  /** The token behind the cookie of a request of our own page; `''` if there is none. */
  tokenOf(c: Context): string {
    // Another port of this host is the same site to a browser: it sends the cookie from there, too.
    const from = c.req.header('sec-fetch-site')
    if (from !== undefined && from !== 'same-origin') return ''
    const prefix = `${nameFor(c)}=`
    const pairs = (c.req.header('cookie') ?? '').split(';').map((pair) => pair.trim())
    const id = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
    return (id !== undefined && this.#tokens.get(computeDigest(id))) || ''
  }
}

/** Servers on several ports of one host share their cookies: each has a name of its own. */
function nameFor(c: Context): string {
  const host = c.req.header('host') ?? new URL(c.req.url).host
  return `precis-${/:(\d+)$/.exec(host)?.[1] ?? 'page'}`
}

function computeDigest(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
