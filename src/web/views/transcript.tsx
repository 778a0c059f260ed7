// The transcript, block by block; loads earlier events on scrolling up
import { useCallback } from 'react'
import type { ViewBlock } from '../../protocol/index.ts'
import { useTask } from '../use-task.ts'
import { visibleText } from '../visible-text.ts'
import { Block, type BlockActions } from './block.tsx'
import { Rows } from './rows.tsx'

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
