// The page: the list of threads on the left, the open thread on the right
import { useCallback, useEffect, useState } from 'react'
import type { Client, Hello } from '../protocol/index.ts'
import { useLocked } from './connection.ts'
import { messageOf } from './figures.ts'
import { hasToken, keepToken } from './open-client.ts'
import { goTo, useRoute } from './route.ts'
import { useImport } from './use-import.ts'
import { DropArea } from './views/drop-area.tsx'
import { ThreadList } from './views/thread-list.tsx'
import { ThreadPage } from './views/thread-page.tsx'
import { TokenForm } from './views/token-form.tsx'
import { Welcome } from './views/welcome.tsx'

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
      (thrown: unknown) => setRefusal(refusalOf(thrown)),
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

/** Everything that is there once the server has answered. */
function Desk({ client, hello }: { readonly client: Client; readonly hello: Hello }) {
  const [changes, setChanges] = useState(0)
  const threadId = useRoute()
  const changed = useCallback(() => setChanges((count) => count + 1), [])
  // Meanwhile something may have been begun in another tab, or by someone else.
  useEffect(() => {
    window.addEventListener('focus', changed)
    return () => window.removeEventListener('focus', changed)
  }, [changed])
  const importing = useImport(client, goTo)
  return (
    <DropArea importing={importing}>
      <div className="page" data-open={threadId !== undefined}>
        <button
          type="button"
          className="skip"
          onClick={() => document.querySelector<HTMLElement>('main')?.focus()}
        >
          Skip the list of threads
        </button>
        <ThreadList client={client} selected={threadId} changes={changes} />
        {threadId === undefined ? (
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

function refusalOf(thrown: unknown): Refusal {
  const isLocked = thrown instanceof Error && 'code' in thrown && thrown.code === 'auth-failed'
  return { isLocked, isTokenRefused: isLocked && hasToken(), text: messageOf(thrown) }
}
