// The recall panel: search with highlighted matches, and reading by ref. The pins of a thread: list, add,
// remove.
import { type FormEvent, Fragment, useCallback, useEffect, useState } from 'react'
import type { Client, RecallHit } from '../../../protocol/index.ts'
import { useLinks } from '../../links.ts'
import { timeText, visibleText } from '../../shown-text.ts'
import { addToDraft } from '../../typing.ts'
import { useLoaded, useTask } from '../../use-loaded.ts'
import { speakerWords } from '../../words.ts'
import { BringBack, LongText } from '../texts.tsx'

/** As summaries and markers write it, or alone. */
const REF = /^\[?(?:ref:\s*)?((?:[\w-]+\/)?(?:e\d+|c\d+\.\d+))\]?$/

/** The last query of each thread, restored after a look at another panel. */
const lastAsked = new Map<string, string>()

interface Whole {
  readonly ref: string
  readonly text: string
  readonly next?: number
}

export function RecallPanel({
  client,
  threadId,
}: {
  readonly client: Client
  readonly threadId: string
}) {
  const [asked, setAsked] = useState(() => lastAsked.get(threadId) ?? '')
  const [words, setWords] = useState<readonly string[]>([])
  const [hits, setHits] = useState<readonly RecallHit[]>()
  const [whole, setWhole] = useState<Whole>()
  const looking = useTask()
  const search = async (query: string) => {
    const found = await client.recall(threadId, { query })
    setWords(query.split(/\s+/))
    setWhole(undefined)
    setHits(found.hits)
  }
  const read = async (ref: string, before = '', offset = 0) => {
    const { text, next } = await client.recall(threadId, { ref, offset })
    setWhole({ ref, text: before + text, ...(next !== undefined && { next }) })
  }
  const look = () => {
    const typed = asked.trim()
    if (typed === '') return
    lastAsked.set(threadId, typed)
    const ref = REF.exec(typed)?.[1]
    looking.run(() => (ref === undefined ? search(typed) : read(ref)))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for what was looked for before
  useEffect(look, [])
  return (
    <>
      <form
        className="ask"
        onSubmit={(event) => {
          event.preventDefault()
          look()
        }}
      >
        <input
          type="search"
          aria-label="Search query or ref"
          placeholder="Words, or a ref"
          value={asked}
          onChange={(event) => setAsked(event.target.value)}
        />
        <button type="submit" aria-disabled={looking.isRunning}>
          Recall
        </button>
      </form>
      {looking.error !== undefined && <p role="alert">{looking.error}</p>}
      {whole && (
        <article className="entry" aria-label={`All of ${whole.ref}`}>
          <div className="line">
            <h3>
              <code>{whole.ref}</code>
            </h3>
            {hits && (
              <button type="button" className="small" onClick={() => setWhole(undefined)}>
                Back to the results
              </button>
            )}
            {!whole.ref.includes('/') && <BringBack entry={whole.ref} />}
            <Quote threadId={threadId} found={whole} />
          </div>
          <Marked text={whole.text} words={words} />
          {whole.next !== undefined && (
            <button
              type="button"
              onClick={() => looking.run(() => read(whole.ref, whole.text, whole.next))}
            >
              More
            </button>
          )}
        </article>
      )}
      {!whole && hits && (
        <Hits
          threadId={threadId}
          hits={hits}
          words={words}
          onRead={(ref) => looking.run(() => read(ref))}
        />
      )}
      {!whole && !hits && (
        <p className="empty">
          Search everything in this thread, including content that compactions removed.
        </p>
      )}
    </>
  )
}

function Hits({
  threadId,
  hits,
  words,
  onRead,
}: {
  readonly threadId: string
  readonly hits: readonly RecallHit[]
  readonly words: readonly string[]
  readonly onRead: (ref: string) => void
}) {
  const { show } = useLinks()
  if (hits.length === 0) return <p className="empty">Nothing was found.</p>
  return (
    <ol className="hits" aria-label="Found">
      {hits.map(({ ref, speaker, timestamp, text }) => (
        <li key={ref} className="entry">
          <h3>
            {speakerWords(speaker)} · {timeText(timestamp)} <code>{ref}</code>
          </h3>
          <Marked text={text} words={words} />
          <div className="line">
            {!ref.includes('/') && <BringBack entry={ref} />}
            {!ref.includes('/') && (
              <button type="button" className="small" onClick={() => show(ref, 'told')}>
                Go there
              </button>
            )}
            <button type="button" className="small" onClick={() => onRead(ref)}>
              Show all
            </button>
            <Quote threadId={threadId} found={{ ref, text }} />
          </div>
        </li>
      ))}
    </ol>
  )
}

/** Quotes removed text in a message: the selection, or everything shown. */
function Quote({
  threadId,
  found,
}: {
  readonly threadId: string
  readonly found: Pick<Whole, 'ref' | 'text'>
}) {
  const quote = () => {
    const selected = window.getSelection()?.toString().trim() ?? ''
    // Only a selection within this entry counts.
    const isPart = spaced(found.text).includes(spaced(selected))
    addToDraft(threadId, `From ${found.ref}:\n${(isPart && selected) || found.text}\n`)
  }
  return (
    <button type="button" className="small" onClick={quote}>
      Put it into my message
    </button>
  )
}

/** Ignores case; words are literal. */
export function Marked({
  text,
  words,
}: {
  readonly text: string
  readonly words: readonly string[]
}) {
  const literal = words
    .filter((word) => word.length > 1)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const shown = visibleText(text)
  const parts =
    literal.length === 0 ? [shown] : shown.split(new RegExp(`(${literal.join('|')})`, 'gi'))
  return (
    <pre className="text">
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names of their own
        <Fragment key={at}>{at % 2 === 1 ? <mark>{part}</mark> : part}</Fragment>
      ))}
    </pre>
  )
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ')
}

const PINNED_BY: Readonly<Record<string, string>> = {
  user: 'Pinned by you',
  detected: 'Found in your messages',
  pattern: 'Kept by a rule',
}

export function PinsPanel({
  client,
  threadId,
  version,
}: {
  readonly client: Client
  readonly threadId: string
  readonly version: number
}) {
  const [changes, setChanges] = useState(0)
  const [text, setText] = useState('')
  const load = useCallback(() => client.pins(threadId), [client, threadId])
  const { value: pins, error } = useLoaded(load, version + changes)
  const acting = useTask()
  const act = (work: () => Promise<unknown>) =>
    acting.run(async () => {
      await work()
      setChanges((count) => count + 1)
    })
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    act(async () => {
      await client.pin(threadId, text)
      setText('')
    })
  }
  return (
    <>
      <form className="ask" onSubmit={add}>
        <input
          aria-label="Text to pin"
          placeholder="Keep this word for word"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" aria-disabled={acting.isRunning}>
          Pin
        </button>
      </form>
      {(error ?? acting.error) !== undefined && <p role="alert">{error ?? acting.error}</p>}
      <p className="quiet">
        {pins?.length === 0 && 'No pins yet. '}A pin survives every compaction, word for word.
      </p>
      <ul className="pins">
        {pins?.map((pin) => (
          <li key={pin.pinId} className="entry">
            <header className="block-head">
              <span>{PINNED_BY[pin.by] ?? `Pinned by ${pin.by}`}</span>
              <span className="tools">
                <button
                  type="button"
                  className="small"
                  aria-label={`Unpin ${pin.text.slice(0, 60)}`}
                  onClick={() => act(() => client.unpin(threadId, pin.pinId))}
                >
                  Unpin
                </button>
              </span>
            </header>
            <LongText text={pin.text} />
          </li>
        ))}
      </ul>
    </>
  )
}
