// The composer: messages and commands, the activity, and pending questions
import { type KeyboardEvent, useState } from 'react'
import {
  type Approval,
  type Client,
  escapeHidden,
  unknownCommand,
  type ViewStatus,
} from '../../protocol/index.ts'
import { goTo } from '../route.ts'
import { readMessage, visibleText } from '../shown-text.ts'
import type { ThreadFeed } from '../thread-feed.ts'
import { useDraft, useOffers } from '../typing.ts'
import { useTask } from '../use-loaded.ts'

/** While a slash is typed, all commands are offered. */
const HERE = { own: [], listing: 'Type / to list the commands.' }

export function Composer({
  client,
  feed,
  status,
  threadId,
  onSend,
  onChange,
}: {
  readonly client: Client
  readonly feed: ThreadFeed
  readonly status: ViewStatus | undefined
  readonly threadId: string
  readonly onSend: () => void
  readonly onChange: () => void
}) {
  const { text, set: setText, giveBack } = useDraft(threadId)
  const [error, setError] = useState<string>()
  const stopping = useTask()
  const offered = useOffers(client, threadId, text)
  const isWorking = status?.isWorking ?? false

  const deliver = async (typed: string) => {
    const reply = await client.send(threadId, typed)
    if (reply.status === 'command') {
      feed.say(reply.text, reply.ok ? 'reply' : 'error', typed)
      if (reply.returned !== undefined) setText(reply.returned)
      onChange()
    }
    if (reply.status !== 'queued' && reply.threadId !== undefined) goTo(reply.threadId)
  }
  const send = () => {
    const typed = text.trim()
    if (typed === '') return
    onSend()
    const unknown = unknownCommand(typed, HERE)
    setError(unknown)
    if (unknown !== undefined) return // left in the field, to be repaired
    setText('')
    deliver(typed).catch((thrown: unknown) => {
      setError(readMessage(thrown))
      giveBack(typed) // not lost because the connection was
    })
  }
  const stop = () => stopping.run(() => client.abort(threadId))
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      send()
    } else if (event.key === 'Tab' && !event.shiftKey && offered[0] && text !== offered[0].text) {
      event.preventDefault()
      setText(offered[0].text)
    } else if (event.key === 'Escape' && isWorking) stop()
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Approvals client={client} threadId={threadId} approvals={status?.approvals ?? []} />
      {isWorking && (
        <p className="working" role="status">
          {status?.activity?.what ?? 'Working'}…{' '}
          <button type="button" onClick={stop}>
            Stop
          </button>
        </p>
      )}
      {status && status.queued.length > 0 && (
        <p className="quiet">{status.queued.length} waiting to be delivered</p>
      )}
      {(error ?? stopping.error) !== undefined && <p role="alert">{error ?? stopping.error}</p>}
      {offered.length > 0 && (
        <ul className="offered" aria-label={text.startsWith('/') ? 'Commands' : 'Files'}>
          {offered.map(({ text: line, name, description }) => (
            <li key={line}>
              <button type="button" className="offer" onClick={() => setText(line)}>
                <code>{visibleText(name)}</code> <span className="quiet">{description}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="typing">
        <textarea
          rows={2}
          aria-label="Message"
          placeholder="Message, / for commands, @ for files"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={pressed}
        />
        <button type="submit" className="main">
          Send
        </button>
      </div>
    </form>
  )
}

function Approvals({
  client,
  threadId,
  approvals,
}: {
  readonly client: Client
  readonly threadId: string
  readonly approvals: readonly Approval[]
}) {
  const deciding = useTask()
  const decide = (callId: string, decision: 'allow' | 'deny') =>
    deciding.run(() => client.decide(threadId, callId, decision))
  return (
    <div aria-live="polite">
      {approvals.map(({ callId, name, subject, reason }) => (
        <section key={callId} className="approval" aria-label={`May ${name} run?`}>
          <p>
            May <code>{escapeHidden(name)}</code> run?
          </p>
          <pre className="text">{escapeHidden(subject)}</pre>
          <p className="quiet">{escapeHidden(reason)}</p>
          <button type="button" onClick={() => decide(callId, 'allow')}>
            Allow
          </button>{' '}
          <button type="button" onClick={() => decide(callId, 'deny')}>
            Deny
          </button>
        </section>
      ))}
      {deciding.error !== undefined && <p role="alert">{deciding.error}</p>}
    </div>
  )
}
