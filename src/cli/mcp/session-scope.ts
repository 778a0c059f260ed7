// The threads a caller of the MCP server may see: this user's, in the project or everywhere.
import { existsSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import type { Composed } from '../../compose.ts'
import type { EntryId } from '../../core/edit/change.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import type { SearchFind, SearchQuery, Store, ThreadInfo } from '../../core/ports.ts'
import type { ArchivePage } from '../../core/search/archive.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { LOCAL_OWNER, maySee, RESERVED_PREFIX, readNames } from '../../server/accounts/owners.ts'
import { buildSummary } from '../../server/views/thread-summary.ts'
import { archiveOf } from '../../threads/archive.ts'
import type { Io } from '../process-io.ts'
import { searchAll, searchIn } from '../recall/recall-archive.ts'
import { isThread } from '../session/formats.ts'
import { readImported } from '../session/replace-unchanged.ts'
import { openSession } from '../session/session.ts'
import { type FoundSession, findSessions, sessionById } from '../sessions/find-sessions.ts'
import { selectSessions } from '../sessions/select-sessions.ts'
import { FactsCache } from '../sessions/session-facts.ts'
import { Marks } from '../sessions/sync-marks.ts'
import { ProgressLine } from '../terminal/progress.ts'

export interface ScopedThread {
  readonly threadId: string
  readonly agent: string
  readonly project?: string
  readonly title: string
  readonly updatedAt: string
  readonly events: number
}

export interface ScopePorts extends Pick<Composed, 'store' | 'threads'> {
  readonly cwd: string
  /** Returns nothing outside the project. */
  readonly isProjectOnly: boolean
  readonly files: SessionFiles
}

const PAGE = 200
const MOST_THREADS = 5_000
const OPENING_EVENTS = 20

/** Newest first. */
export async function* threadsIn(
  { store, cwd }: Pick<ScopePorts, 'store' | 'cwd'>,
  scope: 'project' | 'everything',
): AsyncGenerator<ThreadInfo & { readonly opening: readonly ThreadEvent[] }> {
  const place = realFolder(cwd)
  let after: string | undefined
  for (let looked = 0; looked < MOST_THREADS; looked += PAGE) {
    const page = await store.list({
      limit: PAGE,
      owners: readNames(LOCAL_OWNER),
      ...(after !== undefined && { after }),
    })
    for (const info of page.items) {
      if (info.threadId.startsWith(RESERVED_PREFIX)) continue
      const opening = (await store.read(info.threadId, { limit: OPENING_EVENTS })).map(readRow)
      if (scope === 'everything' || isWithin(findProject(opening), place))
        yield { ...info, opening }
    }
    after = page.next
    if (after === undefined) return
  }
}

export async function summarize(
  { store }: Pick<ScopePorts, 'store'>,
  info: ThreadInfo & { readonly opening: readonly ThreadEvent[] },
): Promise<ScopedThread> {
  const { title } = await buildSummary(store, info)
  const project = findProject(info.opening)
  return {
    threadId: info.threadId,
    agent: readImported(info.opening[0]?.source).agent ?? 'precis',
    ...(project !== undefined && { project }),
    title,
    updatedAt: info.updatedAt.toISOString(),
    events: info.version,
  }
}

/**
 * The named thread, by its own or its agent's session id; otherwise the project's newest. A foreign thread is
 * answered like a missing one.
 */
export async function requireThread(ports: ScopePorts, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    const named = isThread(given) ? given : await ports.files.threadOf(given)
    const opening = (await ports.store.read(named, { limit: OPENING_EVENTS })).map(readRow)
    const isOwn = opening.length > 0 && maySee(LOCAL_OWNER, opening[0])
    const isHere = !ports.isProjectOnly || isWithin(findProject(opening), realFolder(ports.cwd))
    if (isOwn && isHere) return named
    throw new PrecisError('unknown-thread', `Thread ${named} not found`, {
      where: named,
      hint: 'The tool sessions lists those that can be read.',
    })
  }
  for await (const { threadId } of threadsIn(ports, 'project')) return threadId
  throw new PrecisError('not-found', 'no session of this project is in the store', {
    hint: 'The tool sessions lists those that can be read.',
  })
}

function findProject(opening: readonly ThreadEvent[]): string | undefined {
  const workspace = opening.flatMap((event) =>
    event.type === 'THREAD_SETTINGS' ? (event.data.workspace ?? []) : [],
  )[0]
  return readImported(opening[0]?.source).project ?? workspace
}

function isWithin(project: string | undefined, place: string): boolean {
  if (project === undefined) return false
  const own = realFolder(project)
  return own === place || own.startsWith(`${place}${sep}`)
}

function realFolder(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder
}

interface ScopedQuery {
  readonly query: string
  readonly scope: 'session' | 'project' | 'everything'
  readonly session?: string | undefined
  readonly limit: number
  readonly offset: number
}

const MOST_FINDS = 100
/**
 * This many of a project's threads are searched one by one, newest first; older ones share the best of all.
 */
const MOST_SEARCHED = 200
/** This many matches of those threads are ranked together, with the best of each thread. */
const MOST_RANKED = 2_000
const FEWEST_OF_THREAD = 10

export async function searchScope(ports: McpPorts, wanted: ScopedQuery) {
  const { limit, offset } = wanted
  const most = Math.min(MOST_FINDS, offset + limit + 1)
  const { finds, where } = await findsIn(ports, wanted, most)
  const hasMore = finds.length > offset + limit
  return { finds: finds.slice(offset, offset + limit), hasMore, where }
}

interface ScopedFinds {
  readonly finds: Awaited<ReturnType<typeof searchAll>>['finds']
  /** What was searched. */
  readonly where: string
}

async function findsIn(
  ports: McpPorts,
  { scope, session, query }: ScopedQuery,
  most: number,
): Promise<ScopedFinds> {
  const { home } = ports
  if (scope === 'session' || session !== undefined) {
    const threadId = await requireThread(ports, session)
    const { finds } = await searchIn(home, [threadId], query, most)
    const named = finds.map((find) => ({
      ...find,
      ref: find.ref.includes(':') ? find.ref : `${threadId}:${find.ref}`,
    }))
    return { finds: named, where: `the session ${threadId}` }
  }
  const own = new Set<string>()
  for await (const { threadId } of threadsIn(ports, scope)) own.add(threadId)
  const searched = scope === 'project' ? { ...home, store: narrowed(home, own) } : home
  const { finds } = await searchAll(searched, query, MOST_FINDS)
  const where =
    scope === 'project'
      ? `the ${own.size} sessions of the project ${ports.cwd}`
      : `all ${own.size} sessions`
  return {
    finds: finds.filter(({ ref }) => own.has(ref.replace(/:.*$/, ''))).slice(0, most),
    where,
  }
}

/** A view of the store whose index finds only these threads, since the best of all may be in others. */
function narrowed({ store }: Composed, own: ReadonlySet<string>): Store {
  const { index } = store
  if (!index) return store
  const asked = [...own].slice(0, MOST_SEARCHED)
  const share = Math.max(FEWEST_OF_THREAD, Math.floor(MOST_RANKED / Math.max(1, asked.length)))
  const search = async (query: SearchQuery) => {
    const { finds: best, hasAllWords } = await index.search(query)
    const finds: SearchFind[] = best.filter(({ threadId }) => own.has(threadId))
    const limit = Math.min(share, query.limit ?? share)
    for (const threadId of asked)
      finds.push(...(await index.search({ ...query, threadId, limit })).finds)
    return { finds, hasAllWords }
  }
  const narrow = { search, catchUp: () => index.catchUp(), rebuild: () => index.rebuild() }
  return new Proxy(store, {
    get(target, key) {
      if (key === 'index') return narrow
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

export interface McpPorts extends ScopePorts {
  readonly home: Composed
  readonly io: Io
  /** Imports what is new in this project's sessions. */
  sync(): Promise<void>
  /** The report of a dry run on a session. */
  propose(session: string): Promise<string>
}

interface SessionFiles {
  /** The thread it was imported into. */
  threadOf(session: string): Promise<string>
  /** Uses the numbering of the file, as refs from hooks do. */
  read(session: string, id: EntryId, offset: number, limit: number): Promise<ArchivePage>
}

export function sessionFiles(
  settings: Settings,
  { isProjectOnly }: { readonly isProjectOnly: boolean },
  io: Io,
): SessionFiles {
  const find = (session: string) => requireSession(session, settings, isProjectOnly, io)
  return {
    async threadOf(session) {
      const { path, id } = await find(session)
      const threadId = (await Marks.open(settings, io)).threadOf(path)
      if (threadId !== undefined) return threadId
      throw new PrecisError('not-found', `The session ${id} is not in the store yet`, {
        where: session,
        hint: 'Try again in a moment, or run precis sync.',
      })
    },
    async read(session, id, offset, limit) {
      const { path } = await find(session)
      const options = { settings, progress: new ProgressLine(io.stderr) }
      const opened = await openSession({ kind: 'file', path }, options, io)
      try {
        return await archiveOf(opened.composed, opened.threadId).read(id, offset, limit)
      } finally {
        await opened.close()
      }
    },
  }
}

/** Finds a session by the start of its id, among the visible ones. Never by path. */
async function requireSession(
  session: string,
  settings: Settings,
  isProjectOnly: boolean,
  io: Io,
): Promise<FoundSession> {
  const all = isProjectOnly
    ? await ofProject(session, settings, io)
    : await findSessions(settings, io)
  const found = sessionById(session, all)
  if (found) return found
  throw new PrecisError('not-found', `Session ${session} not found`, {
    where: session,
    hint: 'The tool sessions lists those that can be read.',
  })
}

/** Reads only those whose id starts with it. */
async function ofProject(id: string, settings: Settings, io: Io): Promise<readonly FoundSession[]> {
  const cache = await FactsCache.open(io)
  const found = await selectSessions([], { here: true, id }, { settings, cache }, io)
  await cache.save()
  return found
}
