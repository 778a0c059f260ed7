// The start page without an open thread: create one, or import a session
import { useId } from 'react'
import type { Client, Hello } from '../../protocol/index.ts'
import { goTo } from '../route.ts'
import type { Importing } from '../use-import.ts'
import { useTask } from '../use-task.ts'

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
      <h1>précis</h1>
      <p>Long conversations with an agent, kept inside its context window, with nothing lost.</p>
      <p className="quiet">
        {hello.defaultModel === undefined
          ? 'No model is configured: sessions can be opened, compacted and searched; chatting needs one.'
          : `New threads talk to ${hello.defaultModel}.`}
      </p>
      <button
        type="button"
        className="main"
        aria-disabled={creating.isRunning}
        onClick={() => creating.run(async () => goTo((await client.createThread()).threadId))}
      >
        New thread
      </button>
      {creating.error !== undefined && <p role="alert">{creating.error}</p>}
      <section className="import" aria-label="Import a session">
        <label htmlFor={id}>Drop a session file anywhere on this page, or choose one:</label>
        <input
          id={id}
          type="file"
          multiple
          disabled={importing.isRunning}
          onChange={(event) => {
            importing.take([...(event.target.files ?? [])])
            event.target.value = '' // the same file may be chosen again
          }}
        />
        <p className="quiet">Formats: {hello.formats.read.join(', ')}</p>
      </section>
    </main>
  )
}
