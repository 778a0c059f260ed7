// All threads, newest first, with a search over their full history.
import { CornerDownRight, FileUp, Laptop, Plus, Shrink } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Client, Hello, ThreadSummary } from '../../protocol/index.ts'
import { goTo, readAddress, SESSIONS_ADDRESS } from '../route.ts'
import { countText, readMessage, shortTime, timeText, titleText } from '../shown-text.ts'
import { type Importing, useTask } from '../use-loaded.ts'
import { originWords } from '../words.ts'
import { FileChoice } from './file-choice.tsx'

export function ThreadList({
  client,
  hello,
  selected,
  isSessions,
  changes,
  importing,
}: {
  readonly client: Client
  readonly hello: Hello
  readonly selected: string | undefined
  /** Shows the sessions of this machine. */
  readonly isSessions: boolean
  readonly changes: number
  readonly importing: Importing
}) {
  const [search, setSearch] = useState('')
  const list = useThreadList(client, search, `${changes} ${selected ?? ''}`)
  const open = useOpenThread(client, selected, list, search)
  const shown = useRef<HTMLUListElement>(null)
  const isListed = list.items.some(({ threadId }) => threadId === selected) || open !== undefined
  useEffect(() => {
    if (selected !== undefined && isListed)
      shown.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [selected, isListed])
  const beginning = useTask()
  const problem = list.error ?? beginning.error
  return (
    <nav className="threads" aria-label="Threads">
      <div className="threads-top">
        <header>
          <a className="name" href="#/">
            <Shrink size={18} aria-hidden /> précis
          </a>
          <button
            type="button"
            className="with-icon"
            aria-disabled={beginning.isRunning}
            onClick={() => beginning.run(async () => goTo((await client.createThread()).threadId))}
          >
            <Plus size={16} aria-hidden /> New
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
        {hello.hasSessions && (
          <a
            className="with-icon of-machine"
            href={SESSIONS_ADDRESS}
            aria-current={isSessions ? 'page' : undefined}
          >
            <Laptop size={16} aria-hidden /> Sessions on this machine
          </a>
        )}
        <FileChoice importing={importing} className="with-icon of-machine">
          <FileUp size={16} aria-hidden /> Open a session file…
        </FileChoice>
      </div>
      <ul ref={shown}>
        {inTree(open ? [open, ...list.items] : list.items).map(({ thread, depth, note }) => (
          <li key={thread.threadId} data-depth={depth} data-new={isNew(thread)}>
            <a
              href={readAddress(thread.threadId)}
              aria-current={thread.threadId === selected ? 'page' : undefined}
            >
              <span className="title">
                {depth > 0 && <CornerDownRight size={13} aria-label="continues" />}{' '}
                {titleText(thread.title)}
              </span>
              <span className="quiet" title={`Last event: ${timeText(thread.updatedAt)}`}>
                {note}
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

interface ThreadRow {
  readonly thread: ThreadSummary
  readonly depth: number
  readonly note: string
}

const DEEPEST = 3

/** Derived threads stand under their parent, which takes the place of the latest. */
function inTree(items: readonly ThreadSummary[]): ThreadRow[] {
  const byId = new Map(items.map((thread) => [thread.threadId, thread]))
  const children = Map.groupBy(
    items.filter(({ parent }) => parent !== undefined && byId.has(parent.threadId)),
    ({ parent }) => parent?.threadId ?? '',
  )
  const listed = new Map<string, ThreadRow>()
  const add = (thread: ThreadSummary, depth: number) => {
    if (listed.has(thread.threadId)) return
    listed.set(thread.threadId, { thread, depth, note: printNote(thread, items) })
    for (const child of children.get(thread.threadId) ?? [])
      add(child, Math.min(DEEPEST, depth + 1))
  }
  for (const thread of items) add(findRoot(thread, byId), 0)
  return [...listed.values()]
}

function findRoot(thread: ThreadSummary, byId: ReadonlyMap<string, ThreadSummary>): ThreadSummary {
  const seen = new Set<string>()
  let root = thread
  for (;;) {
    const parent = root.parent && byId.get(root.parent.threadId)
    if (!parent || seen.has(parent.threadId)) return root
    seen.add(parent.threadId)
    root = parent
  }
}

const NEW_MS = 600_000

/** Marks new imports, whose own dates may be old. */
function isNew({ importedAt }: ThreadSummary): boolean {
  return importedAt !== undefined && Date.now() - importedAt.getTime() < NEW_MS
}

/** The open thread if the list has not loaded it. */
function useOpenThread(
  client: Client,
  selected: string | undefined,
  { items, isReading }: ListedThreads,
  search: string,
): ThreadSummary | undefined {
  const [thread, setThread] = useState<ThreadSummary>()
  const isMissing =
    selected !== undefined &&
    !isReading &&
    search.trim() === '' &&
    !items.some(({ threadId }) => threadId === selected)
  useEffect(() => {
    if (!isMissing || selected === undefined) return setThread(undefined)
    let isOver = false
    client.thread(selected).then(
      (found) => {
        if (!isOver) setThread(found)
      },
      () => undefined, // the thread view shows the error
    )
    return () => {
      isOver = true
    }
  }, [client, selected, isMissing])
  return thread
}

/** Threads with the same title differ by the end of their ids. */
function printNote(
  { threadId, title, version, updatedAt, importedAt, reason, isPartial }: ThreadSummary,
  items: readonly ThreadSummary[],
): string {
  const isOld = importedAt !== undefined && importedAt > updatedAt
  const isAlone = items.filter((other) => other.title === title).length === 1
  return [
    isOld ? `imported ${shortTime(importedAt)}` : shortTime(updatedAt),
    importedAt ? !isOld && 'imported' : originWords(reason),
    isPartial && 'partial',
    isAlone ? countText(version, 'event', 'events') : `…${threadId.slice(-5)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

function emptyText({ isReading, hasMore }: ListedThreads, search: string): string {
  if (isReading) return 'Looking…'
  if (hasMore) return 'Nothing was found so far.'
  return search.trim() === '' ? 'No threads yet.' : 'Nothing was found.'
}

/** The thread list of a search, page by page; reloads without flicker. */
interface ListedThreads {
  readonly items: readonly ThreadSummary[]
  readonly hasMore: boolean
  readonly isReading: boolean
  readonly error: string | undefined
  more(): void
}

interface ThreadMatches {
  readonly search: string
  readonly items: readonly ThreadSummary[]
  readonly next?: string
}

const PAGE = 50
const LARGEST_PAGE = 1_000
/** A page may contain none of the user's own threads: pages to read before stopping. */
const MOST_PAGES = 10
const WAIT_MS = 200

/** `news` changes whenever there is something new to load. */
function useThreadList(client: Client, typed: string, news: string): ListedThreads {
  const search = typed.trim()
  const [found, setFound] = useState<ThreadMatches>({ search: '', items: [] })
  const [isReading, setReading] = useState(true)
  const [error, setError] = useState<string>()
  const shown = useRef(found)
  const latest = useRef(0) // results of an earlier request are outdated

  const read = useCallback(
    async (begun: ThreadMatches, wanted: number) => {
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

/** Continues after the known threads until there are enough, or at least one. */
async function readOn(
  client: Client,
  begun: ThreadMatches,
  wanted: number,
  isOver: () => boolean,
): Promise<ThreadMatches> {
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

/** Rounded up to whole pages, so that new threads fit. */
function wholePages(threads: number): number {
  return PAGE * Math.max(1, Math.ceil(threads / PAGE))
}
