// The start page without an open thread: create one, or import a session
import { FileUp, MessageSquarePlus, Shrink } from 'lucide-react'
import { useId } from 'react'
import { type Client, type Hello, isStandIn } from '../../protocol/index.ts'
import { goTo } from '../route.ts'
import { type Importing, useTask } from '../use-loaded.ts'
import { MachineSessions } from './machine-sessions.tsx'

/** More stand in a view of their own. */
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
  const id = useId()
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
          <label className="button main" htmlFor={id}>
            Choose a file…
          </label>
          <input
            id={id}
            className="read-out"
            type="file"
            multiple
            disabled={importing.isRunning}
            onChange={(event) => {
              importing.take([...(event.target.files ?? [])])
              event.target.value = '' // the same file may be chosen again
            }}
          />
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
