// A compaction where it happened: its state with icon, colour and words, what it saved, and what can be done
import type { EditBlock } from '../../../protocol/index.ts'
import type { BlockActions } from '../../links.ts'
import { visibleText } from '../../shown-text.ts'
import { strategyName, strategyWords } from '../../words.ts'
import { SummaryText } from '../markdown.tsx'
import { StateIcon, type WorkState } from '../state-mark.tsx'
import { Clock } from '../texts.tsx'
import { Sizes } from './compaction-figures.tsx'

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
  const shown = stateOf(block)
  const { before, after } = (seq === undefined ? undefined : sizeOf(seq)) ?? {}
  return (
    <section className={`block compaction ${shown}`} aria-label="Compaction">
      <header className="block-head">
        <StateIcon state={shown} />
        <h3>{wordsOf(block)}</h3>
        {time && <Clock time={time} />}
      </header>
      {before !== undefined && after !== undefined && shown !== 'nothing' && (
        <Sizes before={before} after={after} />
      )}
      {(shown === 'nothing' || shown === 'stopped') && (
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
      {block.hint !== undefined && <p>{visibleText(block.hint)}</p>}
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

/** A stop by the user is no failure. What has a note fell back, or gained nothing. */
function stateOf({ state, isEmpty, isStopped, note }: EditBlock): WorkState {
  if (state === 'failed') return isStopped ? 'stopped' : 'failed'
  if (state === 'done' && isEmpty) return 'nothing'
  if (state === 'done' && note !== undefined) return 'fell-back'
  return state
}

function wordsOf(block: EditBlock): string {
  const name = strategyName(block.strategy)
  switch (stateOf(block)) {
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
