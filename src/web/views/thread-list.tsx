// All threads, newest first, with a search over everything that was ever said in them.
import { useEffect, useState } from 'react'
import type { Client, ThreadSummary } from '../../protocol/index.ts'
import { messageOf, timeText } from '../figures.ts'
import { addressOf, goTo } from '../route.ts'
import { useTask } from '../use-task.ts'
import { visibleText } from '../visible-text.ts'

const PAGE = 50
const WAIT_MS = 200

interface Found {
  readonly items: readonly ThreadSummary[]
  readonly next?: string
}

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
  const [found, setFound] = useState<Found>({ items: [] })
  const [error, setError] = useState<string>()
  const working = useTask()

  // `changes` and `selected` only say that there is something new to be read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    let isOver = false
    const asked = search.trim()
    const timer = setTimeout(
      () =>
        client.threads({ limit: PAGE, ...(asked !== '' && { search: asked }) }).then(
          (page) => {
            if (isOver) return
            setFound(page)
            setError(undefined)
          },
          (thrown: unknown) => {
            if (!isOver) setError(messageOf(thrown))
          },
        ),
      asked === '' ? 0 : WAIT_MS,
    )
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, search, changes, selected])

  const more = () =>
    working.run(async () => {
      const { next } = found
      if (next === undefined) return
      const asked = search.trim()
      const page = await client.threads({
        limit: PAGE,
        after: next,
        ...(asked !== '' && { search: asked }),
      })
      setFound({ ...page, items: [...found.items, ...page.items] })
    })
  return (
    <nav className="threads" aria-label="Threads">
      <header>
        <a className="name" href="#/">
          précis
        </a>
        <button
          type="button"
          aria-disabled={working.isRunning}
          onClick={() => working.run(async () => goTo((await client.createThread()).threadId))}
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
      {(error ?? working.error) !== undefined && <p role="alert">{error ?? working.error}</p>}
      <ul>
        {found.items.map((thread) => (
          <li key={thread.threadId}>
            <a
              href={addressOf(thread.threadId)}
              aria-current={thread.threadId === selected ? 'page' : undefined}
            >
              <span className="title">{visibleText(thread.title)}</span>
              <span className="quiet">
                {timeText(thread.updatedAt)}
                {thread.reason !== undefined && ` · ${thread.reason}`}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {found.items.length === 0 && error === undefined && (
        <p className="quiet">{search === '' ? 'No threads yet.' : 'Nothing was found.'}</p>
      )}
      {found.next !== undefined && (
        <button type="button" aria-disabled={working.isRunning} onClick={more}>
          More
        </button>
      )}
    </nav>
  )
}
