// Words looked for in one session, in those of a project, or in everything, page by page
import type { Composed } from '../../compose.ts'
import type { SearchFind, SearchQuery, Store } from '../../core/ports.ts'
import { searchAll, searchIn } from '../recall/recall-archive.ts'
import type { McpPorts } from './mcp-ports.ts'
import { requireThread, threadsIn } from './session-scope.ts'

interface Wanted {
  readonly query: string
  readonly scope: 'session' | 'project' | 'everything'
  readonly session?: string | undefined
  readonly limit: number
  readonly offset: number
}

const MOST_FINDS = 100
/** So many threads of a project are asked one by one, from the newest on; older ones have their share of the best of all. */
const MOST_THREADS = 200
/** So many matches of those threads are ranked together, each thread with its best. */
const MOST_RANKED = 2_000
const FEWEST_OF_THREAD = 10

export async function searchScope(ports: McpPorts, wanted: Wanted) {
  const { limit, offset } = wanted
  const most = Math.min(MOST_FINDS, offset + limit + 1)
  const { finds, where } = await findsIn(ports, wanted, most)
  const hasMore = finds.length > offset + limit
  return { finds: finds.slice(offset, offset + limit), hasMore, where }
}

interface Found {
  readonly finds: Awaited<ReturnType<typeof searchAll>>['finds']
  /** What was searched, for the caller. */
  readonly where: string
}

async function findsIn(
  ports: McpPorts,
  { scope, session, query }: Wanted,
  most: number,
): Promise<Found> {
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

/** The same store, whose index finds in these threads only: the best of all may be in others. */
function narrowed({ store }: Composed, own: ReadonlySet<string>): Store {
  const { index } = store
  if (!index) return store
  const asked = [...own].slice(0, MOST_THREADS)
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
