// The compactions of a thread, newest open, each with figures and before and after. A compaction in the
// transcript: state, savings, actions.
import { Maximize2, Undo2 } from 'lucide-react'
import { useCallback, useState } from 'react'
import type { Client, EditBlock } from '../../../protocol/index.ts'
import { savedText, shortTime, tokensText, visibleText } from '../../shown-text.ts'
import { strategyName, strategyWords } from '../../strategy-words.ts'
import { useLoaded } from '../../use-loaded.ts'
import type { BlockActions } from '../../use-thread-parts.ts'
import { SummaryText } from '../markdown.tsx'
import { Clock, LongText, StateIcon, type WorkState } from '../texts.tsx'
import type { PastChange } from '../window-strip.tsx'
import { Aligned } from './aligned.tsx'
import { Figures, Sizes } from './compaction-figures.tsx'
import { WideDialog } from './comparison.tsx'

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
  /** Newest first. */
  readonly compactions: readonly PastChange[]
  /** The newest if none was chosen. */
  readonly chosen: number | undefined
  readonly onChoose: (seq: number) => void
  readonly onUndo: (seq: number) => void
}) {
  const seq = chosen ?? compactions[0]?.seq
  if (seq === undefined)
    return (
      <p className="empty">
        <StateIcon state="nothing" /> Nothing was compacted here. Compact… shows a preview first.
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
                {strategyName(each.strategy)}
                {each.isUndone && ', undone'}
              </span>
              <span className="figure">
                {tokensText(each.before)} → {tokensText(each.after)}
              </span>
              <span className="figure">{savedText(each.before, each.after)}</span>
              <span className="quiet">
                {each.time ? (
                  <time dateTime={each.time.toISOString()}>{shortTime(each.time)}</time>
                ) : (
                  `event ${each.seq.toLocaleString()}`
                )}
              </span>
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
        // Undo in the header reverts the newest one; only earlier ones need their own button.
        isNewest={compactions.find(({ isUndone }) => !isUndone)?.seq === seq}
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
  isNewest,
  onUndo,
}: {
  readonly client: Client
  readonly threadId: string
  readonly seq: number
  readonly isUndone: boolean
  readonly isNewest: boolean
  readonly onUndo: (seq: number) => void
}) {
  const loadReport = useCallback(() => client.report(threadId, seq), [client, threadId, seq])
  const loadDiff = useCallback(() => client.diff(threadId, seq), [client, threadId, seq])
  const { value: report, error: noReport } = useLoaded(loadReport, seq)
  const { value: diff, error: noDiff } = useLoaded(loadDiff, seq)
  const error = noReport ?? noDiff
  const [isWide, setWide] = useState(false)
  if (error !== undefined)
    return (
      <p role="alert" className="failure">
        {error}
      </p>
    )
  if (!report) return <Waiting words="Reading…" />
  const title = `By ${strategyName(report.figures.strategy)} at event ${seq.toLocaleString()}`
  return (
    <div className="compaction-panel">
      <div className="line">
        <h2>{title}</h2>
        {isUndone && (
          <span className="quiet">
            <StateIcon state="undone" /> Undone
          </span>
        )}
        {!isUndone && !isNewest && (
          <button type="button" className="with-icon small" onClick={() => onUndo(seq)}>
            <Undo2 size={14} aria-hidden /> Undo only this one
          </button>
        )}
      </div>
      <section aria-label="Report">
        <Figures figures={report.figures} />
      </section>
      {diff ? (
        <>
          <button type="button" className="with-icon small wider" onClick={() => setWide(true)}>
            <Maximize2 size={14} aria-hidden /> Before and after side by side
          </button>
          <Aligned diff={diff} canBringBack={!isUndone} />
        </>
      ) : (
        <Waiting words="Comparing…" />
      )}
      {isWide && diff && (
        <WideDialog title={title} onClose={() => setWide(false)}>
          <Aligned diff={diff} canBringBack={!isUndone} />
        </WideDialog>
      )}
      <details>
        <summary>Report as text</summary>
        <div className="report">
          <LongText text={report.text} />
        </div>
      </details>
    </div>
  )
}

function Waiting({ words }: { readonly words: string }) {
  return (
    <p className="empty">
      <StateIcon state="running" /> {words}
    </p>
  )
}

export function CompactionCard({
  block,
  actions,
  sizeOf,
}: {
  readonly block: EditBlock
  readonly actions: BlockActions
  readonly sizeOf: (seq: number) => { before?: number; after?: number } | undefined
}) {
  const { seq, state, strategy, freshThreadId, time, fellBack = [], summary } = block
  const shown = readState(block)
  const { before, after } = (seq === undefined ? undefined : sizeOf(seq)) ?? {}
  return (
    <section className={`block compaction ${shown}`} aria-label="Compaction">
      <header className="block-head">
        <StateIcon state={shown} />
        <h3>{printState(block)}</h3>
        {time && <Clock time={time} />}
      </header>
      {before !== undefined && after !== undefined && shown !== 'nothing' && (
        <Sizes before={before} after={after} />
      )}
      {(shown === 'stopped' || (shown === 'nothing' && block.hint === undefined)) && (
        <p className="quiet">The context is as it was.</p>
      )}
      {shown === 'running' && <p className="quiet">{strategyWords(strategy)}</p>}
      {fellBack.map(({ from, reason }) => (
        <p key={from} className="warning">
          <StateIcon state="fell-back" /> {from} came to nothing: {visibleText(reason)}
        </p>
      ))}
      {block.error !== undefined && shown !== 'stopped' && (
        <p role={shown === 'failed' ? 'alert' : undefined}>{visibleText(block.error)}</p>
      )}
      {block.hint !== undefined && <p className="hint">{visibleText(block.hint)}</p>}
      {block.note !== undefined && fellBack.length === 0 && <p>{visibleText(block.note)}</p>}
      {summary !== undefined && (
        <details>
          <summary>Summary</summary>
          <SummaryText text={summary} />
        </details>
      )}
      <div className="line">
        {seq !== undefined && state !== 'running' && shown !== 'nothing' && (
          <button type="button" className="small" onClick={() => actions.openCompaction(seq)}>
            What was removed
          </button>
        )}
        {freshThreadId !== undefined && (
          <button type="button" className="small" onClick={() => actions.goTo(freshThreadId)}>
            Continue in the new thread
          </button>
        )}
      </div>
    </section>
  )
}

/** A stop by the user is not a failure. A note means a fallback or no gain. */
function readState({ state, isEmpty, isStopped, note }: EditBlock): WorkState {
  if (state === 'failed') return isStopped ? 'stopped' : 'failed'
  if (state === 'done' && isEmpty) return 'nothing'
  if (state === 'done' && note !== undefined) return 'fell-back'
  return state
}

function printState(block: EditBlock): string {
  const name = strategyName(block.strategy)
  switch (readState(block)) {
    case 'running':
      return `Compacting by ${name}`
    case 'nothing':
      return `Nothing to compact by ${name}`
    case 'failed':
      return `Not compacted: ${name} failed`
    case 'stopped':
      return `Not compacted: you stopped ${name}`
    case 'undone':
      return `Undone: compacted by ${name}`
    default:
      return `${block.isFresh ? 'Continued with a summary' : 'Compacted'} by ${name}`
  }
}
