// The start page without an open thread: create one, or import a session. The agent sessions on this machine:
// newest first, searchable, opened with one click.
import { Check, FileUp, FolderClosed, MessageSquarePlus, Radio, Shrink } from 'lucide-react'
import { useCallback, useEffect, useId, useState } from 'react'
import {
  bytesText,
  type Client,
  type Hello,
  isStandIn,
  type MachineSession,
} from '../../protocol/index.ts'
import { goTo } from '../route.ts'
import { ageText, countText, visibleText } from '../shown-text.ts'
import { type Importing, useLoaded, useTask } from '../use-loaded.ts'
import { agentWords } from '../words.ts'
import { FileChoice } from './file-choice.tsx'
import { StateIcon } from './texts.tsx'

/** The others are in their own view. */
const FIRST_SESSIONS = 6

export function Welcome({
  client,
  hello,
  importing,
}: {
  readonly client: Client
  readonly hello: Hello
  readonly importing: Importing
}) {
  const creating = useTask()
  return (
    <main className="welcome" tabIndex={-1}>
      <h1>
        <Shrink size={28} aria-hidden /> précis
      </h1>
      <p className="lead">
        Long conversations with an agent, kept inside its context window, with nothing lost.
      </p>
      <div className="starts">
        <section className="start" aria-label="Import a session">
          <FileUp size={24} aria-hidden />
          <h2>Open a session file</h2>
          <p>Drop a session file anywhere on this page, or choose one.</p>
          <FileChoice importing={importing} className="button main">
            Choose a file…
          </FileChoice>
          <details>
            <summary>Reads {hello.formats.read.length} formats</summary>
            <p className="quiet">{hello.formats.read.join(', ')}</p>
          </details>
        </section>
        <section className="start" aria-label="Start a thread">
          <MessageSquarePlus size={24} aria-hidden />
          <h2>Start a thread</h2>
          <p>
            {hello.defaultModel === undefined
              ? 'No model is configured: sessions can be opened, compacted and searched; chatting needs one.'
              : isStandIn(hello.defaultModel)
                ? 'Talk to dev, the built-in stand-in: it needs no key and answers by fixed rules.'
                : `Talk to ${hello.defaultModel}.`}
          </p>
          <button
            type="button"
            aria-disabled={creating.isRunning}
            onClick={() => creating.run(async () => goTo((await client.createThread()).threadId))}
          >
            New thread
          </button>
          {creating.error !== undefined && <p role="alert">{creating.error}</p>}
        </section>
      </div>
      {hello.hasSessions && <MachineSessions client={client} most={FIRST_SESSIONS} />}
      <ol className="steps">
        <li>See how full the window is, and with what.</li>
        <li>Compact: a preview shows what it saves and what goes.</li>
        <li>Undo it, or find single things with Recall: the log keeps everything.</li>
      </ol>
    </main>
  )
}

const PAGE = 100
/** At most this many are listed; a search finds the others. */
const MOST = 1_000
const REFRESH_MS = 4_000
const TYPING_MS = 200
/** An agent that wrote this recently is working. */
const AT_WORK_MS = 60_000

export function MachineSessions({
  client,
  most = PAGE,
}: {
  readonly client: Client
  /** Rows shown at first. */
  readonly most?: number
}) {
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(most)
  const found = useSessions(client, search, limit)
  const opening = useTask()
  const [opened, setOpened] = useState<string>()
  const id = useId()
  const open = (session: MachineSession) => {
    setOpened(session.id)
    opening.run(async () => goTo((await client.openSession(session.id)).threadId))
  }
  const items = found.value?.items ?? []
  const problem = opening.error ?? found.error
  return (
    <section className="sessions" aria-labelledby={id}>
      <div className="line">
        <h2 id={id}>Sessions on this machine</h2>
        {found.value && (
          <span className="quiet">{countText(found.value.total, 'session', 'sessions')}</span>
        )}
        {(found.value?.total !== 0 || search !== '') && (
          <input
            type="search"
            placeholder="Filter by words, project or agent"
            aria-label="Filter the sessions"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <ul aria-label="Sessions">
        {items.map((session) => (
          <li key={session.id}>
            <SessionRow
              session={session}
              isOpening={opening.isRunning && opened === session.id}
              onOpen={() => open(session)}
            />
          </li>
        ))}
      </ul>
      {items.length === 0 && problem === undefined && (
        <p className="quiet">{emptyText(found.value, search)}</p>
      )}
      {found.value?.isPartial && (
        <p className="quiet" role="status">
          <StateIcon state="running" /> Reading more sessions…
        </p>
      )}
      {items.length === limit && limit < MOST && (
        <button
          type="button"
          className="small"
          onClick={() => setLimit(Math.min(MOST, limit + PAGE))}
        >
          More
        </button>
      )}
    </section>
  )
}

function SessionRow({
  session,
  isOpening,
  onOpen,
}: {
  readonly session: MachineSession
  readonly isOpening: boolean
  readonly onOpen: () => void
}) {
  const { agent, project, title, bytes, updatedAt, threadId } = session
  const ageMs = Date.now() - updatedAt.getTime()
  return (
    <button type="button" className="session" aria-busy={isOpening} onClick={onOpen}>
      <span className="title">
        {threadId !== undefined && (
          <>
            <Check size={14} className="live" aria-hidden />{' '}
            <span className="read-out">opened before: </span>
          </>
        )}
        {isOpening && 'Opening… '}
        {visibleText(title ?? '') || 'Untitled'}
      </span>
      <span className="quiet">{agentWords(agent)}</span>
      <span className="quiet" title={project === undefined ? '' : visibleText(project)}>
        <FolderClosed size={13} aria-hidden /> {lastPart(project)}
      </span>
      <span className="quiet figure right">{bytesText(bytes)}</span>
      <span className="quiet figure right">
        {ageMs < AT_WORK_MS && <Radio className="live" size={13} aria-label="at work" />}{' '}
        {ageText(ageMs)}
      </span>
    </button>
  )
}

function lastPart(project: string | undefined): string {
  return visibleText(project?.split(/[/\\]/).filter(Boolean).at(-1) ?? 'no project')
}

function emptyText(found: object | undefined, search: string): string {
  if (!found) return 'Looking…'
  return search.trim() === ''
    ? 'No agent sessions were found on this machine.'
    : 'No session has these words.'
}

/** Reloaded while the page is visible, because agents keep writing. */
function useSessions(client: Client, typed: string, limit: number) {
  const [search, setSearch] = useState('')
  const [ticks, setTicks] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), typed === '' ? 0 : TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setTicks((count) => count + 1)
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  const load = useCallback(
    () => client.sessions({ limit, ...(search !== '' && { search }) }),
    [client, search, limit],
  )
  return useLoaded(load, ticks)
}
