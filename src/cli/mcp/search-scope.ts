// Words looked for in one session, in those of a project, or in everything, page by page
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
/** So many threads of a project are searched one by one, from the newest on. */
const MOST_THREADS = 50

export async function searchScope(ports: McpPorts, wanted: Wanted) {
  const { query, limit, offset } = wanted
  const most = Math.min(MOST_FINDS, offset + limit + 1)
  const finds = await findsIn(ports, wanted, query, most)
  return { finds: finds.slice(offset, offset + limit), hasMore: finds.length > offset + limit }
}

async function findsIn(
  ports: McpPorts,
  { scope, session }: Wanted,
  query: string,
  most: number,
): Promise<Awaited<ReturnType<typeof searchAll>>['finds']> {
  const { home } = ports
  if (scope === 'session' || session !== undefined) {
    const threadId = await requireThread(ports, session)
    const { finds } = await searchIn(home, [threadId], query, most)
    return finds.map((find) => ({
      ...find,
      ref: find.ref.includes(':') ? find.ref : `${threadId}:${find.ref}`,
    }))
  }
  const own = new Set<string>()
  for await (const { threadId } of threadsIn(ports, scope)) own.add(threadId)
  const { finds } = await searchAll(home, query, MOST_FINDS)
  const best = finds.filter(({ ref }) => own.has(ref.replace(/:.*$/, '')))
  if (best.length > 0 || scope === 'everything') return best.slice(0, most)
  const others = []
  for (const threadId of [...own].slice(0, MOST_THREADS)) {
    const { finds: more } = await searchIn(home, [threadId], query, most)
    others.push(
      ...more.map((find) => ({
        ...find,
        ref: find.ref.includes(':') ? find.ref : `${threadId}:${find.ref}`,
      })),
    )
  }
  return others.slice(0, most)
}
