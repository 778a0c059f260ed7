// The compactions of a thread: the newest open, each with its figures, and before and after side by side
import { Undo2 } from 'lucide-react'
import { useCallback, useState } from 'react'
import type { Client, CompactionDiff, DiffEntry } from '../../../protocol/index.ts'
import { useLinks } from '../../links.ts'
import { countText, savedText, tokensText } from '../../shown-text.ts'
import { useLoaded, useTask } from '../../use-loaded.ts'
import { reasonWords, roleWords, splitEnvelope } from '../../words.ts'
import { Markdown } from '../markdown.tsx'
import { StateIcon } from '../state-mark.tsx'
import { LongText } from '../texts.tsx'
import type { LastCompaction } from '../window-strip.tsx'
import { Figures } from './compaction-figures.tsx'
import { DiffText } from './diff-text.tsx'

/** More are drawn when they are asked for. */
const SHOWN_CHANGES = 20
const SHOWN_ENTRIES = 6

export function CompactionPanel({
  client,
  threadId,
  compactions,
  chosen,
  onChoose,
  onUndo,
}: {
  readonly client: Client
  readonly threadId: string
  /** The newest first. */
  readonly compactions: readonly LastCompaction[]
  /** The newest where none was chosen. */
  readonly chosen: number | undefined
  readonly onChoose: (seq: number) => void
  readonly onUndo: (seq: number) => void
}) {
  const seq = chosen ?? compactions[0]?.seq
  if (seq === undefined)
    return (
      <p className="empty">
        <StateIcon state="nothing" /> Nothing was compacted here. Compact… shows what it would do
        before it does it.
      </p>
    )
  return (
    <>
      <ol className="compactions" aria-label="Compactions">
        {compactions.map((each) => (
          <li key={each.seq}>
            <button
              type="button"
              aria-current={each.seq === seq}
              onClick={() => onChoose(each.seq)}
            >
              <StateIcon state={each.isUndone ? 'undone' : 'done'} />
              <span>
                {each.strategy}
                {each.isUndone && ', undone'}
              </span>
              <span className="figure">
                {tokensText(each.before)} → {tokensText(each.after)}
              </span>
              <span className="figure">−{savedText(each.before, each.after)}</span>
              <span className="quiet">event {each.seq.toLocaleString()}</span>
            </button>
          </li>
        ))}
      </ol>
      <OneCompaction
        key={seq}
        client={client}
        threadId={threadId}
        seq={seq}
        isUndone={compactions.find((each) => each.seq === seq)?.isUndone ?? false}
        onUndo={onUndo}
      />
    </>
  )
}

function OneCompaction({
  client,
  threadId,
  seq,
  isUndone,
  onUndo,
}: {
  readonly client: Client
  readonly threadId: string
  readonly seq: number
  readonly isUndone: boolean
  readonly onUndo: (seq: number) => void
}) {
  const load = useCallback(async () => {
    const [report, diff] = await Promise.all([
      client.report(threadId, seq),
      client.diff(threadId, seq),
    ])
    return { report, diff }
  }, [client, threadId, seq])
  const { value, error } = useLoaded(load, seq)
  const undoing = useTask()
  if (error !== undefined)
    return (
      <p role="alert" className="failure">
        {error}
      </p>
    )
  if (!value)
    return (
      <p className="empty">
        <StateIcon state="running" /> Comparing…
      </p>
    )
  return (
    <div className="compaction-panel">
      <div className="line">
        <h2>
          {value.report.figures.strategy} at event {seq.toLocaleString()}
        </h2>
        {isUndone ? (
          <span>
            <StateIcon state="undone" /> Undone
          </span>
        ) : (
          <button
            type="button"
            className="with-icon small"
            aria-disabled={undoing.isRunning}
            onClick={() => onUndo(seq)}
          >
            <Undo2 size={14} aria-hidden /> Undo this one
          </button>
        )}
      </div>
      <section aria-label="Report">
        <Figures figures={value.report.figures} />
      </section>
      <Aligned diff={value.diff} />
      <details>
        <summary>Report as text</summary>
        <div className="report">
          <LongText text={value.report.text} />
        </div>
      </details>
    </div>
  )
}

/** One row for each place where something became something else. */
function Aligned({ diff }: { readonly diff: CompactionDiff }) {
  const [shown, setShown] = useState(SHOWN_CHANGES)
  const before = new Map(diff.before.map((entry) => [entry.ref, entry]))
  const after = new Map(diff.after.map((entry) => [entry.ref, entry]))
  const kept = diff.before.filter(({ state }) => state === 'kept').length
  const left = diff.changes.length - shown
  return (
    <section aria-label="Before and after" className="aligned">
      <h3>Before and after</h3>
      <p className="quiet">{countText(kept, 'entry is', 'entries are')} the same on both sides.</p>
      {diff.changes.slice(0, shown).map(({ removed, added }) => (
        <Changed
          key={removed[0] ?? added[0]}
          removed={removed.flatMap((ref) => before.get(ref) ?? [])}
          added={added.flatMap((ref) => after.get(ref) ?? [])}
        />
      ))}
      {left > 0 && (
        <button
          type="button"
          className="small"
          onClick={() => setShown(shown + 10 * SHOWN_CHANGES)}
        >
          {left.toLocaleString()} more
        </button>
      )}
    </section>
  )
}

function Changed({
  removed,
  added,
}: {
  readonly removed: readonly DiffEntry[]
  readonly added: readonly DiffEntry[]
}) {
  const [shown, setShown] = useState(SHOWN_ENTRIES)
  const [was] = removed
  const [is] = added
  const sum = (entries: readonly DiffEntry[]) =>
    entries.reduce((total, { tokens }) => total + tokens, 0)
  const isRewrite = removed.length === 1 && added.length === 1 && was?.role === is?.role
  return (
    <article className="changed">
      <header>
        <span className="figure">
          {countText(removed.length, 'entry', 'entries')}, {tokensText(sum(removed))} →{' '}
          {added.length === 0 ? 'nothing' : `${tokensText(sum(added))} tokens`}
        </span>
        {was?.why !== undefined && <span className="quiet">{reasonWords(was.why)}</span>}
      </header>
      {isRewrite && was && is ? (
        <div className="rewrite">
          <EntryHead entry={was} />
          <DiffText before={was.text} after={is.text} />
        </div>
      ) : (
        <div className="sides">
          <section aria-label="Before">
            {removed.slice(0, shown).map((entry) => (
              <details key={entry.ref} className="entry removed">
                <summary>
                  <EntryHead entry={entry} />{' '}
                  <span className="start">{entry.text.slice(0, 160)}</span>
                </summary>
                <LongText text={entry.text} />
              </details>
            ))}
            {removed.length > shown && (
              <button type="button" className="small" onClick={() => setShown(removed.length)}>
                {countText(removed.length - shown, 'more entry', 'more entries')}
              </button>
            )}
          </section>
          <section aria-label="After">
            {added.length === 0 && <p className="quiet">Nothing stands for it.</p>}
            {added.map((entry) => (
              <article key={entry.ref} className="entry added">
                <EntryHead entry={entry} />
                <Markdown text={splitEnvelope(entry.text).body} />
              </article>
            ))}
          </section>
        </div>
      )}
    </article>
  )
}

function EntryHead({ entry: { ref, role, tokens, state } }: { readonly entry: DiffEntry }) {
  const { show } = useLinks()
  const sign = { added: '+', removed: '−', kept: '' }[state]
  return (
    <span className="entry-head">
      {sign} {roleWords(role, undefined).shown} · {tokensText(tokens)}{' '}
      <button
        type="button"
        className="ref"
        title={`Show ${ref}`}
        onClick={(event) => {
          event.preventDefault()
          show(ref, 'told')
        }}
      >
        {ref}
      </button>
    </span>
  )
}
