// One block of a transcript.
import { memo } from 'react'
import type { CompactionBlock, ToolBlock, UserBlock, ViewBlock } from '../../protocol/index.ts'
import { tokensText, visibleText } from '../shown-text.ts'
import { Markdown } from './markdown.tsx'
import { LongText } from './rows.tsx'

export interface BlockActions {
  openCompaction(seq: number): void
  goTo(threadId: string): void
  /** Keeps a text through every compaction. */
  pin(text: string): void
  /** A new thread that shares everything up to that event. */
  fork(seq: number): void
}

export const Block = memo(function Block({
  block,
  actions,
}: {
  readonly block: ViewBlock
  readonly actions: BlockActions
}) {
  switch (block.kind) {
    case 'user':
      return <Said block={block} actions={actions} />
    case 'answer':
      return (
        <article className="block answer" aria-label="Agent" aria-busy={block.isStreaming}>
          <Markdown text={block.text} />
          {block.cut !== undefined && <p className="quiet">({block.cut})</p>}
        </article>
      )
    case 'thinking':
      return (
        <details className="block thinking">
          <summary>Thinking{block.isStreaming ? '…' : ''}</summary>
          <LongText text={block.text} />
        </details>
      )
    case 'tool':
      return <Tool block={block} />
    case 'compaction':
      return <Compaction block={block} actions={actions} />
    case 'notice':
      return (
        <p
          className={`block notice ${block.level}`}
          role={block.level === 'error' ? 'alert' : 'note'}
        >
          {block.command !== undefined && <code>{visibleText(block.command)}</code>}{' '}
          {visibleText(block.text)}
        </p>
      )
  }
})

function Said({ block, actions }: { readonly block: UserBlock; readonly actions: BlockActions }) {
  const seq = Number(block.key.split('/').at(-1))
  return (
    <article className="block user" aria-label={block.isAutomatic ? 'Said by précis' : 'You'}>
      <LongText text={block.text} />
      {block.attachments.map((name) => (
        <span key={name} className="attachment">
          {visibleText(name)}
        </span>
      ))}
      {!block.isAutomatic && Number.isInteger(seq) && (
        <div className="line tools">
          <button
            type="button"
            title="Keep it word for word through every compaction"
            onClick={() => actions.pin(block.text)}
          >
            Pin
          </button>
          <button
            type="button"
            title="Fork: a new thread from here"
            onClick={() => actions.fork(seq)}
          >
            Fork here
          </button>
        </div>
      )}
    </article>
  )
}

function Tool({ block }: { readonly block: ToolBlock }) {
  return (
    <details className={`block tool ${block.state}`}>
      <summary>
        <span className="state">{block.state}</span> <code>{visibleText(block.name)}</code>{' '}
        {visibleText(block.subject)}
      </summary>
      {block.input !== undefined && <LongText text={JSON.stringify(block.input, undefined, 2)} />}
      {block.progress !== undefined && block.result === undefined && (
        <LongText text={block.progress} />
      )}
      {block.result !== undefined && <LongText text={block.result} />}
    </details>
  )
}

function Compaction({
  block,
  actions,
}: {
  readonly block: CompactionBlock
  readonly actions: BlockActions
}) {
  const { seq, state, strategy, beforeTokens, afterTokens, freshThreadId } = block
  const isKnown = beforeTokens !== undefined && afterTokens !== undefined
  const isSame = isKnown && state === 'done' && beforeTokens === afterTokens
  const sizes = isKnown ? ` · ${tokensText(beforeTokens)} → ${tokensText(afterTokens)} tokens` : ''
  const chunk =
    state === 'running' && block.done !== undefined && block.total !== undefined
      ? ` · chunk ${Math.min(block.done + 1, block.total)} of ${block.total}`
      : ''
  return (
    <section className={`block compaction ${state}`} aria-label="Compaction">
      <h3>
        {isSame ? 'Nothing to compact' : WORDS[state]} by {strategy}
        {!isSame && sizes}
        {chunk}
      </h3>
      {state === 'running' && <p role="status">{block.message ?? 'Compacting…'}</p>}
      {block.error !== undefined && <p role="alert">{visibleText(block.error)}</p>}
      {block.hint !== undefined && <p>{visibleText(block.hint)}</p>}
      {block.note !== undefined && <p role="status">{visibleText(block.note)}</p>}
      {block.summary !== undefined && (
        <details>
          <summary>Summary</summary>
          <Markdown text={block.summary} />
        </details>
      )}
      {seq !== undefined && state !== 'running' && (
        <button type="button" onClick={() => actions.openCompaction(seq)}>
          Report and difference
        </button>
      )}
      {freshThreadId !== undefined && (
        <button type="button" onClick={() => actions.goTo(freshThreadId)}>
          Go on in the new thread
        </button>
      )}
    </section>
  )
}

const WORDS = {
  running: 'Compacting',
  done: 'Compacted',
  failed: 'Not compacted',
  undone: 'Undone: compacted',
} as const
