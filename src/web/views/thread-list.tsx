// All threads, newest first, with a search over everything that was ever said in them.
import { useState } from 'react'
import type { Client } from '../../protocol/index.ts'
import { timeText } from '../figures.ts'
import { addressOf, goTo } from '../route.ts'
import { useTask } from '../use-task.ts'
import { type ListedThreads, useThreadList } from '../use-thread-list.ts'
import { titleText } from '../visible-text.ts'

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
              href={addressOf(thread.threadId)}
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
