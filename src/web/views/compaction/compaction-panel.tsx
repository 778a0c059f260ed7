// The compactions of a thread: the newest open, each with its figures, and before and after side by side
import { Maximize2, Undo2 } from 'lucide-react'
import { useCallback, useState } from 'react'
import type { Client } from '../../../protocol/index.ts'
import { savedText, tokensText } from '../../shown-text.ts'
import { useLoaded, useTask } from '../../use-loaded.ts'
import { StateIcon } from '../state-mark.tsx'
import { LongText } from '../texts.tsx'
import type { LastCompaction } from '../window-strip.tsx'
import { Aligned } from './aligned.tsx'
import { Figures } from './compaction-figures.tsx'
import { WideDialog } from './wide-dialog.tsx'

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
  const [isWide, setWide] = useState(false)
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
      <button type="button" className="with-icon small wider" onClick={() => setWide(true)}>
        <Maximize2 size={14} aria-hidden /> Before and after side by side
      </button>
      <Aligned diff={value.diff} />
      {isWide && (
        <WideDialog
          title={`${value.report.figures.strategy} at event ${seq.toLocaleString()}`}
          onClose={() => setWide(false)}
        >
          <Aligned diff={value.diff} />
        </WideDialog>
      )}
      <details>
        <summary>Report as text</summary>
        <div className="report">
          <LongText text={value.report.text} />
        </div>
      </details>
    </div>
  )
}
