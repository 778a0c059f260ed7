// The page: the list of threads on the left, the open thread on the right.
import {
  type DragEvent,
  type FormEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useState,
} from 'react'
import type { Client, Hello } from '../protocol/index.ts'
import { useLocked } from './connection.ts'
import { hasToken, keepToken } from './open-client.ts'
import { goTo, useRoute } from './route.ts'
import { readMessage } from './shown-text.ts'
import { type Importing, useImport } from './use-loaded.ts'
import { StateIcon } from './views/texts.tsx'
import { ThreadList } from './views/thread-list.tsx'
import { ThreadPage } from './views/thread-page.tsx'
import { MachineSessions, Welcome } from './views/welcome.tsx'

interface Refusal {
  readonly isLocked: boolean
  readonly isTokenRefused: boolean
  readonly text: string
}

export function App({ open }: { readonly open: () => Client }) {
  const [client, setClient] = useState(open)
  const [hello, setHello] = useState<Hello>()
  const [refusal, setRefusal] = useState<Refusal>()

  useEffect(() => {
    client.hello().then(
      (answer) => {
        setHello(answer)
        setRefusal(undefined)
      },
      (thrown: unknown) => setRefusal(classifyRefusal(thrown)),
    )
  }, [client])

  const isLocked = useLocked()
  const again = () => setClient(open())
  if (isLocked || refusal?.isLocked)
    return (
      <TokenForm
        isRefused={refusal?.isTokenRefused ?? false}
        onToken={(token) => {
          keepToken(token)
          again()
        }}
      />
    )
  if (refusal)
    return (
      <main className="alone">
        <h1>précis cannot be reached</h1>
        <p role="alert">{refusal.text}</p>
        <button type="button" onClick={again}>
          Try again
        </button>
      </main>
    )
  if (!hello) return <main className="alone">Connecting…</main>
  return <Desk client={client} hello={hello} />
}

/** Everything shown once the server has answered. */
function Desk({ client, hello }: { readonly client: Client; readonly hello: Hello }) {
  const [changes, setChanges] = useState(0)
  const { threadId, isSessions = false } = useRoute()
  const changed = useCallback(() => setChanges((count) => count + 1), [])
  // Another tab or person may have started something meanwhile.
  useEffect(() => {
    window.addEventListener('focus', changed)
    return () => window.removeEventListener('focus', changed)
  }, [changed])
  const importing = useImport(client, goTo)
  return (
    <DropArea importing={importing}>
      <div className="page" data-open={threadId !== undefined || isSessions}>
        <button
          type="button"
          className="skip"
          onClick={() => document.querySelector<HTMLElement>('main')?.focus()}
        >
          Skip the list of threads
        </button>
        <ThreadList
          client={client}
          hello={hello}
          selected={threadId}
          isSessions={isSessions}
          changes={changes}
          importing={importing}
        />
        {isSessions && hello.hasSessions ? (
          <main className="welcome" tabIndex={-1}>
            <a className="back" href="#/">
              All threads
            </a>
            <MachineSessions client={client} />
          </main>
        ) : threadId === undefined ? (
          <Welcome client={client} hello={hello} importing={importing} />
        ) : (
          <ThreadPage
            key={threadId}
            client={client}
            hello={hello}
            threadId={threadId}
            onChange={changed}
          />
        )}
      </div>
    </DropArea>
  )
}

function classifyRefusal(thrown: unknown): Refusal {
  const isLocked = thrown instanceof Error && 'code' in thrown && thrown.code === 'auth-failed'
  return { isLocked, isTokenRefused: isLocked && hasToken(), text: readMessage(thrown) }
}

/** Asks for the server's token. */
function TokenForm({
  isRefused,
  onToken,
}: {
  /** A token was sent, and the server rejected it. */
  readonly isRefused: boolean
  readonly onToken: (token: string) => void
}) {
  const [token, setToken] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (token.trim() !== '') onToken(token.trim())
  }
  return (
    <main className="alone">
      <h1>précis</h1>
      <form onSubmit={submit}>
        <label className="field">
          Token
          <input
            type="password"
            value={token}
            autoComplete="current-password"
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        <button type="submit">Open</button>
      </form>
      {isRefused && <p role="alert">Invalid token.</p>}
      <p>
        The server asks for a token. On this machine, open the address that precis serve printed.
        For a team server, ask the person who runs it.
      </p>
    </main>
  )
}

/** Session files dropped anywhere on the page are imported. */
function DropArea({
  importing,
  children,
}: {
  readonly importing: Importing
  readonly children: ReactNode
}) {
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    setOver(false)
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    importing.take([...event.dataTransfer.files])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the same can be done by the file field, with keys
    <div
      className="drop-area"
      data-over={isOver}
      onDragOver={over}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setOver(false)
      }}
      onDrop={drop}
    >
      {children}
      {isOver && <p className="drop-hint">Drop the session file to open it as a thread.</p>}
      {importing.isRunning && (
        <p className="toast" role="status">
          <StateIcon state="running" /> Importing…
        </p>
      )}
      {importing.error !== undefined && (
        <p className="toast" role="alert">
          {importing.error}
        </p>
      )}
    </div>
  )
}
