// One compaction: its report, and the context before and after it, side by side.
import { useCallback, useState } from 'react'
import type { Client, DiffEntry } from '../../protocol/index.ts'
import { tokensText } from '../figures.ts'
import { useLoaded } from '../use-loaded.ts'
import { useTask } from '../use-task.ts'
import { LongText } from './long-text.tsx'

/** More are drawn when they are asked for. */
const SHOWN_ENTRIES = 40

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
