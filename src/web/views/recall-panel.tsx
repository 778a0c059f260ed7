// The recall panel: search with highlighted matches, and reading by ref
import { type FormEvent, Fragment, useCallback, useState } from 'react'
import type { Client, DiffEntry, RecallHit } from '../../protocol/index.ts'
import { timeText, tokensText, visibleText } from '../shown-text.ts'
import { useLoaded, useTask } from '../use-loaded.ts'
import { LongText } from './rows.tsx'

/** As it is written in summaries and markers, or alone. */
const REF = /^\[?(?:ref:\s*)?((?:[\w-]+\/)?(?:e\d+|c\d+\.\d+))\]?$/

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
  const [asked, setAsked] = useState('')
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
  const look = (event: FormEvent) => {
    event.preventDefault()
    const typed = asked.trim()
    if (typed === '') return
    const ref = REF.exec(typed)?.[1]
    looking.run(() => (ref === undefined ? search(typed) : read(ref)))
  }
  return (
    <>
      <form className="ask" onSubmit={look}>
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
          <h3>
            <code>{whole.ref}</code>
          </h3>
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
        <Hits hits={hits} words={words} onRead={(ref) => looking.run(() => read(ref))} />
      )}
      {!whole && !hits && (
        <p className="empty">
          Everything that was ever said in this thread can be found again, also what compactions
          have taken out.
        </p>
      )}
    </>
  )
}

function Hits({
  hits,
  words,
  onRead,
}: {
  readonly hits: readonly RecallHit[]
  readonly words: readonly string[]
  readonly onRead: (ref: string) => void
}) {
  if (hits.length === 0) return <p className="empty">Nothing was found.</p>
  return (
    <ol className="hits" aria-label="Found">
      {hits.map(({ ref, speaker, timestamp, text }) => (
        <li key={ref} className="entry">
          <h3>
            {speaker} · {timeText(timestamp)} <code>{ref}</code>
          </h3>
          <Marked text={text} words={words} />
          <button type="button" onClick={() => onRead(ref)}>
            Show all
          </button>
        </li>
      ))}
    </ol>
  )
}

/** Compared without regard to case; words are taken literally. */
function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
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

/** More are drawn when they are asked for. */
const SHOWN_ENTRIES = 40

/** One compaction: its report, and the context before and after it, side by side. */
export function CompactionPanel({
  client,
  threadId,
  compaction,
  onChange,
}: {
  readonly client: Client
  readonly threadId: string
  readonly compaction: number | undefined
  readonly onChange: () => void
}) {
  const load = useCallback(async () => {
    if (compaction === undefined) return undefined
    const [report, diff] = await Promise.all([
      client.report(threadId, compaction),
      client.diff(threadId, compaction),
    ])
    return { report, diff }
  }, [client, threadId, compaction])
  const { value, error } = useLoaded(load, compaction ?? 0)
  const undoing = useTask()
  if (compaction === undefined)
    return <p className="empty">Choose a compaction in the transcript or on the timeline.</p>
  if (error !== undefined) return <p role="alert">{error}</p>
  if (value?.diff.compaction !== compaction) return <p className="empty">Comparing…</p>
  const undo = () =>
    undoing.run(async () => {
      await client.undo(threadId, compaction)
      onChange()
    })
  return (
    <div className="compaction-panel">
      <div className="line">
        <h2>Compaction at event {compaction}</h2>
        <button type="button" aria-disabled={undoing.isRunning} onClick={undo}>
          Undo this one
        </button>
      </div>
      {undoing.error !== undefined && <p role="alert">{undoing.error}</p>}
      <section aria-label="Report" className="report">
        <LongText text={value.report.text} />
      </section>
      <div className="sides">
        <Side title="Before" entries={value.diff.before} />
        <Side title="After" entries={value.diff.after} />
      </div>
    </div>
  )
}

function Side({
  title,
  entries,
}: {
  readonly title: string
  readonly entries: readonly DiffEntry[]
}) {
  const [shown, setShown] = useState(SHOWN_ENTRIES)
  const changed = entries.filter(({ state }) => state !== 'kept')
  const kept = entries.length - changed.length
  const left = changed.length - shown
  return (
    <section aria-label={title}>
      <h3>
        {title}: {entries.length.toLocaleString()} entries,{' '}
        {tokensText(entries.reduce((sum, { tokens }) => sum + tokens, 0))} tokens
      </h3>
      <p className="quiet">{kept.toLocaleString()} are the same on both sides.</p>
      {changed.slice(0, shown).map(({ ref, role, text, tokens, state }) => (
        <article key={ref} className={`entry ${state}`}>
          <h4>
            {state === 'added' ? 'Put in' : 'Taken out'}: {role} · {tokensText(tokens)} tokens{' '}
            <code>{ref}</code>
          </h4>
          <LongText text={text} />
        </article>
      ))}
      {left > 0 && (
        <button type="button" onClick={() => setShown(shown + 10 * SHOWN_ENTRIES)}>
          {left.toLocaleString()} more
        </button>
      )}
    </section>
  )
}
