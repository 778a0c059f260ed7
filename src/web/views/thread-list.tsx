// All threads, newest first, with a search over everything that was ever said in them.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Client, ThreadSummary } from '../../protocol/index.ts'
import { goTo, readAddress } from '../route.ts'
import { readMessage, timeText, titleText } from '../shown-text.ts'
import { useTask } from '../use-loaded.ts'

export function ThreadList({
  client,
  selected,
  changes,
}: {
  readonly client: Client
  readonly selected: string | undefined
  readonly changes: number
}) {
  const [search, setSearch] = useState('')
  const list = useThreadList(client, search, `${changes} ${selected ?? ''}`)
  const beginning = useTask()
  const problem = list.error ?? beginning.error
  return (
    <nav className="threads" aria-label="Threads">
      <header>
        <a className="name" href="#/">
          précis
        </a>
        <button
          type="button"
          aria-disabled={beginning.isRunning}
          onClick={() => beginning.run(async () => goTo((await client.createThread()).threadId))}
        >
          New
        </button>
      </header>
      <input
        type="search"
        placeholder="Search in all threads"
        aria-label="Search in all threads"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {problem !== undefined && <p role="alert">{problem}</p>}
      <ul>
        {list.items.map((thread) => (
          <li key={thread.threadId}>
            <a
              href={readAddress(thread.threadId)}
              aria-current={thread.threadId === selected ? 'page' : undefined}
            >
              <span className="title">{titleText(thread.title)}</span>
              <span className="quiet">
                {timeText(thread.updatedAt)}
                {thread.reason !== undefined && ` · ${thread.reason}`}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {list.items.length === 0 && problem === undefined && (
        <p className="quiet">{emptyText(list, search)}</p>
      )}
      {list.hasMore && (
        <button type="button" aria-disabled={list.isReading} onClick={list.more}>
          More
        </button>
      )}
    </nav>
  )
}

function emptyText({ isReading, hasMore }: ListedThreads, search: string): string {
  if (isReading) return 'Looking…'
  if (hasMore) return 'Nothing was found so far.'
  return search.trim() === '' ? 'No threads yet.' : 'Nothing was found.'
}

/** The thread list of a search, page by page; reloads without flicker */
interface ListedThreads {
  readonly items: readonly ThreadSummary[]
  readonly hasMore: boolean
  readonly isReading: boolean
  readonly error: string | undefined
  more(): void
}

interface Found {
  readonly search: string
  readonly items: readonly ThreadSummary[]
  readonly next?: string
}

const PAGE = 50
const LARGEST_PAGE = 1_000
/** A page may hold none of one's own: so many are looked through before someone is asked. */
const MOST_PAGES = 10
const WAIT_MS = 200

/** `news` changes whenever there is something new to be read. */
function useThreadList(client: Client, typed: string, news: string): ListedThreads {
  const search = typed.trim()
  const [found, setFound] = useState<Found>({ search: '', items: [] })
  const [isReading, setReading] = useState(true)
  const [error, setError] = useState<string>()
  const shown = useRef(found)
  const latest = useRef(0) // what an earlier reading brings is of no use any more

  const read = useCallback(
    async (begun: Found, wanted: number) => {
      latest.current += 1
      const own = latest.current
      const isOver = () => own !== latest.current
      setReading(true)
      try {
        const now = await readOn(client, begun, wanted, isOver)
        if (isOver()) return
        shown.current = now
        setFound(now)
        setError(undefined)
      } catch (thrown) {
        if (!isOver()) setError(readMessage(thrown))
      } finally {
        if (!isOver()) setReading(false)
      }
    },
    [client],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: `news` only says that there is some
  useEffect(() => {
    const { current } = shown
    const wanted = current.search === search ? current.items.length : 0
    const timer = setTimeout(() => read({ search, items: [] }, wanted), search === '' ? 0 : WAIT_MS)
    return () => {
      clearTimeout(timer)
      latest.current += 1
    }
  }, [read, search, news])

  return {
    items: found.items,
    hasMore: found.next !== undefined,
    isReading,
    error,
    more() {
      if (!isReading && found.next !== undefined) read(found, found.items.length + 1)
    },
  }
}

/** Goes on behind what is known, until there is as much as wanted, or something at least. */
async function readOn(
  client: Client,
  begun: Found,
  wanted: number,
  isOver: () => boolean,
): Promise<Found> {
  const { search } = begun
  let found = begun
  for (let pages = 0; pages < MOST_PAGES && !isOver(); pages += 1) {
    const { items, next } = found
    const page = await client.threads({
      limit: Math.min(LARGEST_PAGE, wholePages(wanted - items.length)),
      ...(next !== undefined && { after: next }),
      ...(search !== '' && { search }),
    })
    found = { search, ...page, items: [...items, ...page.items] }
    if (page.next === undefined || found.items.length >= Math.max(1, wanted)) break
  }
  return found
}

/** Whole ones, so that there is room for what has come since. */
function wholePages(threads: number): number {
  return PAGE * Math.max(1, Math.ceil(threads / PAGE))
}
