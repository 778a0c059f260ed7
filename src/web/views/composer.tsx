// The composer: messages and commands, the activity, and pending questions.
import { SendHorizontal, Square } from 'lucide-react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import {
  type Approval,
  type Client,
  escapeHidden,
  markPasted,
  type ThreadDetail,
  unknownCommand,
  type ViewBlock,
  type ViewStatus,
} from '../../protocol/index.ts'
import { goTo } from '../route.ts'
import { readMessage, visibleText } from '../shown-text.ts'
import type { ThreadFeed } from '../thread-feed.ts'
import { useDraft, useOffers } from '../typing.ts'
import { useTask } from '../use-loaded.ts'
import { findInput } from '../use-thread-parts.ts'
import { Elapsed, StateIcon } from './texts.tsx'
import { ToolInput } from './tool-round.tsx'

/** Typing a slash lists all commands. */
const HERE = { own: [], listing: 'Type / to list the commands.' }

export function Composer({
  client,
  feed,
  detail,
  status,
  blocks,
  onSend,
  onChange,
}: {
  readonly client: Client
  readonly feed: ThreadFeed
  readonly detail: ThreadDetail
  readonly status: ViewStatus | undefined
  readonly blocks: readonly ViewBlock[]
  readonly onSend: () => void
  readonly onChange: () => void
}) {
  const { threadId } = detail
  const { text, set: setText, giveBack, addPastes, takePastes } = useDraft(threadId)
  const [error, setError] = useState<string>()
  const stopping = useTask()
  const offered = useOffers(client, threadId, text)
  const isBusy = (status?.isWorking ?? false) || isCompactingNow(detail, status)

  const deliver = async (typed: string, pasted: readonly string[]) => {
    const reply = await client.send(threadId, markPasted(typed, pasted))
    if (reply.status === 'command') {
      feed.say(reply.text, reply.ok ? 'reply' : 'error', typed)
      if (reply.returned !== undefined) {
        setText(reply.returned)
        addPastes(...pasted)
      }
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
    if (unknown !== undefined) return // left in the field to be corrected
    setText('')
    const pasted = takePastes()
    deliver(typed, pasted).catch((thrown: unknown) => {
      setError(readMessage(thrown))
      giveBack(typed) // do not lose it with the connection
      addPastes(...pasted)
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
    } else if (event.key === 'Escape' && isBusy) stop()
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Approvals
        client={client}
        threadId={threadId}
        approvals={status?.approvals ?? []}
        blocks={blocks}
      />
      {isBusy && <Activity detail={detail} status={status} onStop={stop} />}
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
          onPaste={(event) => addPastes(event.clipboardData.getData('text/plain'))}
          onKeyDown={pressed}
        />
        <button type="submit" className="main send" aria-label="Send" title="Send">
          <SendHorizontal size={18} aria-hidden />
        </button>
      </div>
    </form>
  )
}

function isCompactingNow(detail: ThreadDetail, status: ViewStatus | undefined): boolean {
  return status?.compaction !== undefined || detail.isCompacting
}

/** The only place that shows what runs and for how long, with a stop button. */
function Activity({
  detail,
  status,
  onStop,
}: {
  readonly detail: ThreadDetail
  readonly status: ViewStatus | undefined
  readonly onStop: () => void
}) {
  const { compaction, activity } = status ?? {}
  const { done = 0, total } = compaction ?? {}
  const step = total === undefined ? '' : `, part ${Math.min(done + 1, total)} of ${total}`
  const isAsking = (status?.approvals.length ?? 0) > 0
  const words = compaction
    ? `Compacting by ${compaction.strategy}${step}`
    : isCompactingNow(detail, status)
      ? 'Compacting'
      : visibleText(activity?.what ?? 'Working')
  const since = compaction?.since ?? activity?.since
  return (
    <p className="working" role="status">
      {isAsking ? (
        <>
          <StateIcon state="warning" /> <span>Waiting for your answer</span>
        </>
      ) : (
        <>
          <StateIcon state="running" /> <span>{words}…</span>
        </>
      )}{' '}
      {since && <Elapsed since={since} />}
      <button type="button" className="small with-icon" onClick={onStop}>
        <Square size={12} aria-hidden /> Stop
      </button>
    </p>
  )
}

/** Calls allowed for good, word for word, until the page is closed. */
const ALWAYS = new Set<string>()

function callKey({ callId, name, subject }: Approval, blocks: readonly ViewBlock[]): string {
  return JSON.stringify([name, findInput(blocks, callId) ?? subject])
}

/** Whether the subject shows the complete input. */
function isSubject(input: ReturnType<typeof findInput>, subject: string): boolean {
  if (typeof input !== 'object' || input === null) return input === subject
  const values = Object.values(input)
  return values.length === 1 && values[0] === subject
}

/** The current file, next to what it would become. */
function ProposedChange({ diff }: { readonly diff: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, with keys as well
    <pre className="text change" tabIndex={0}>
      {escapeHidden(diff)
        .split('\n')
        .map((line, at) => {
          const Line = line.startsWith('- ') ? 'del' : line.startsWith('+ ') ? 'ins' : 'span'
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names of their own
          return <Line key={at}>{`${line}\n`}</Line>
        })}
    </pre>
  )
}

function Approvals({
  client,
  threadId,
  approvals,
  blocks,
}: {
  readonly client: Client
  readonly threadId: string
  readonly approvals: readonly Approval[]
  readonly blocks: readonly ViewBlock[]
}) {
  const deciding = useTask()
  const decide = (callId: string, decision: 'allow' | 'deny') =>
    deciding.run(() => client.decide(threadId, callId, decision))
  const known = approvals.find((approval) => ALWAYS.has(callKey(approval, blocks)))
  const { run } = deciding
  useEffect(() => {
    if (known) run(() => client.decide(threadId, known.callId, 'allow'))
  }, [known, run, client, threadId])
  return (
    <div aria-live="polite">
      {approvals.map((approval) => {
        const { callId, name, subject, reason, diff } = approval
        const input = findInput(blocks, callId)
        const isMore = input !== undefined && !isSubject(input, subject)
        return (
          <section key={callId} className="approval" aria-label={`May the agent use ${name}?`}>
            <p>
              <StateIcon state="warning" /> May the agent use <code>{escapeHidden(name)}</code>?
            </p>
            <pre className="text">{escapeHidden(subject)}</pre>
            {diff !== undefined && <ProposedChange diff={diff} />}
            {isMore && (
              <details
                open={diff === undefined && escapeHidden(subject) === subject ? true : undefined}
              >
                <summary>Arguments of the call</summary>
                <ToolInput input={input} isExact />
              </details>
            )}
            <p className="quiet">{escapeHidden(reason)}</p>
            <div className="line">
              <button type="button" className="main" onClick={() => decide(callId, 'allow')}>
                Allow
              </button>
              <button
                type="button"
                title="The same call again is allowed until you close the page"
                onClick={() => {
                  ALWAYS.add(callKey(approval, blocks))
                  decide(callId, 'allow')
                }}
              >
                Always for this command
              </button>
              <button type="button" onClick={() => decide(callId, 'deny')}>
                Deny
              </button>
            </div>
          </section>
        )
      })}
      {deciding.error !== undefined && <p role="alert">{deciding.error}</p>}
    </div>
  )
}
