// The transcript, block by block; loads earlier events on scrolling up
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { Client, Preview, ViewBlock } from '../../protocol/index.ts'
import { goTo } from '../route.ts'
import { tokensText, visibleText } from '../shown-text.ts'
import { useTask } from '../use-loaded.ts'
import { Block, type BlockActions } from './block.tsx'
import { LongText, Rows } from './rows.tsx'

const GUESS_PX = 90
/** Of an answer, as it is read out by a screen reader when it is complete. */
const READ_OUT_CHARS = 600

export function Transcript({
  blocks,
  hasEarlier,
  isCaughtUp,
  loadEarlier,
  actions,
}: {
  readonly blocks: readonly ViewBlock[]
  readonly hasEarlier: boolean
  readonly isCaughtUp: boolean
  readonly loadEarlier: () => Promise<void>
  readonly actions: BlockActions
}) {
  const { run, isRunning, error } = useTask()
  const keyOf = useCallback((index: number) => blocks[index]?.key ?? String(index), [blocks])
  const earlier = () => {
    if (hasEarlier) run(loadEarlier)
  }
  return (
    <>
      <p className="read-out" role="status">
        {lastAnswer(blocks)}
      </p>
      <Rows
        count={blocks.length}
        keyOf={keyOf}
        guessPx={GUESS_PX}
        label="Transcript"
        staysAtEnd
        isOpening={!isCaughtUp}
        onNearTop={earlier}
        before={
          <div className="earlier">
            {hasEarlier && (
              <button type="button" aria-disabled={isRunning} onClick={earlier}>
                {isRunning ? 'Reading…' : 'Earlier'}
              </button>
            )}
            {error !== undefined && <p role="alert">{error}</p>}
          </div>
        }
      >
        {(index) => {
          const block = blocks[index]
          return block && <Block block={block} actions={actions} />
        }}
      </Rows>
      {blocks.length === 0 && <p className="empty">Nothing was said yet.</p>}
    </>
  )
}

function lastAnswer(blocks: readonly ViewBlock[]): string {
  const last = blocks.at(-1)
  if (last?.kind !== 'answer' || last.isStreaming) return ''
  return visibleText(last.text.slice(0, READ_OUT_CHARS))
}

/** The preview of a compaction: report, editable texts, apply or drop */
export function PreviewDialog({
  client,
  threadId,
  preview,
  onClose,
}: {
  readonly client: Client
  readonly threadId: string
  readonly preview: Preview
  readonly onClose: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const acting = useTask()
  const isEmpty = preview.texts.length === 0 && preview.before.tokens === preview.after.tokens
  // Before it is taken out of the page: then it can still give the focus back to where it came from.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  const apply = () =>
    acting.run(async () => {
      const outcome = await client.applyPreview(threadId, preview.previewId, texts)
      if (!outcome.ok) throw new Error(outcome.text)
      onClose()
      if (outcome.threadId !== undefined) goTo(outcome.threadId)
    })
  const drop = () =>
    acting.run(async () => {
      onClose()
      await client.dropPreview(threadId, preview.previewId)
    })
  return (
    <dialog
      ref={dialog}
      aria-label="Preview of a compaction"
      onCancel={(event) => {
        event.preventDefault()
        drop()
      }}
    >
      <h2>
        {isEmpty
          ? `${preview.strategy}: nothing to compact`
          : `${preview.strategy}: ${tokensText(preview.before.tokens)} → ${tokensText(preview.after.tokens)} tokens`}
      </h2>
      <p className="quiet">
        {isEmpty
          ? 'Nothing is old or large enough to be taken out by this strategy now. Another one may find something.'
          : 'Nothing is changed yet. Edited texts are applied as shown.'}
      </p>
      <div className="texts">
        {preview.texts
          .filter(({ isEditable }) => isEditable)
          .map(({ key, label, text }) => (
            <label key={key} className="field">
              {label}
              <textarea
                className="edited"
                rows={10}
                value={texts[key] ?? text}
                onChange={(event) => setTexts({ ...texts, [key]: event.target.value })}
              />
            </label>
          ))}
        <Fixed texts={preview.texts.filter(({ isEditable }) => !isEditable)} />
        <details>
          <summary>Report</summary>
          <section className="report" aria-label="Report">
            <LongText text={preview.report} />
          </section>
        </details>
      </div>
      {acting.error !== undefined && <p role="alert">{acting.error}</p>}
      <div className="line">
        {!isEmpty && (
          <button type="button" className="main" aria-disabled={acting.isRunning} onClick={apply}>
            Apply
          </button>
        )}
        <button type="button" aria-disabled={acting.isRunning} onClick={drop}>
          {isEmpty ? 'Close' : 'Drop'}
        </button>
      </div>
    </dialog>
  )
}

/** What stands for the words of tools: to be read, not to be changed. */
function Fixed({ texts }: { readonly texts: Preview['texts'] }) {
  if (texts.length === 0) return null
  const count = texts.length === 1 ? 'One text' : `${texts.length.toLocaleString()} texts`
  return (
    <details>
      <summary>{count} in place of what tools said, as they are</summary>
      {texts.map(({ key, label, text }) => (
        <article key={key} className="entry" aria-label={label}>
          <LongText text={text} />
        </article>
      ))}
    </details>
  )
}
