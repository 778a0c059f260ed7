// The transcript by rows: search, jumps to compactions, loads earlier events on scrolling up.
import { ChevronDown, ChevronUp, Search, X } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Client, RecallHit, ViewBlock } from '../../protocol/index.ts'
import { useLinks } from '../links.ts'
import { countText, dayText, readMessage, visibleText } from '../shown-text.ts'
import { useTask } from '../use-loaded.ts'
import type { BlockActions } from '../use-thread-parts.ts'
import { speakerWords } from '../words.ts'
import { Block, type TranscriptRow } from './block.tsx'
import { Marked } from './panels/recall-panel.tsx'
import { Rows } from './rows.tsx'
import { BringBack, StateIcon } from './texts.tsx'
import { groupRows } from './tool-round.tsx'

const GUESS_PX = 90
/** The search starts after this pause in typing. */
const TYPING_MS = 200
/** How much of a complete answer is announced to screen readers. */
const READ_OUT_CHARS = 600

export function Transcript({
  blocks,
  sent,
  hasEarlier,
  isCaughtUp,
  loadEarlier,
  actions,
  target,
  onSight,
  sizeOf,
}: {
  readonly blocks: readonly ViewBlock[]
  /** Messages sent from here; each one scrolls to the end. */
  readonly sent: number
  readonly hasEarlier: boolean
  readonly isCaughtUp: boolean
  readonly loadEarlier: () => Promise<void>
  readonly actions: BlockActions
  /** An entry to scroll to, or the number of a compaction. */
  readonly target: { readonly entry?: string; readonly seq?: number } | undefined
  /** The numbers of the visible events. */
  readonly onSight: (first: number, last: number) => void
  readonly sizeOf: (seq: number) => { before?: number; after?: number } | undefined
}) {
  const { run, isRunning, error } = useTask()
  const rows = useMemo(() => groupRows(blocks), [blocks])
  const keyOf = useCallback((index: number) => rows[index]?.key ?? String(index), [rows])
  const earlier = () => {
    if (hasEarlier) run(loadEarlier)
  }
  const seen = useCallback(
    (first: number, last: number) => {
      const seqs = rows.slice(first, last + 1).flatMap(listSeqs)
      if (seqs.length > 0) onSight(Math.min(...seqs), Math.max(...seqs))
    },
    [rows, onSight],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each target, where it is loaded
  const aim = useMemo(() => {
    const index = target === undefined ? -1 : rows.findIndex((row) => isAt(row, target))
    return index === -1 ? undefined : { index, entry: target?.entry }
  }, [target])
  return (
    <>
      <p className="read-out" role="status">
        {lastAnswer(blocks)}
      </p>
      <Rows
        count={rows.length}
        keyOf={keyOf}
        guessPx={GUESS_PX}
        label="Transcript"
        staysAtEnd
        toEnd={sent}
        isOpening={!isCaughtUp}
        onNearTop={earlier}
        onSight={seen}
        target={aim}
        before={
          (hasEarlier || error !== undefined) && (
            <div className="earlier">
              {hasEarlier && (
                <button type="button" className="small" aria-disabled={isRunning} onClick={earlier}>
                  {isRunning ? 'Reading…' : 'Earlier'}
                </button>
              )}
              {error !== undefined && <p role="alert">{error}</p>}
            </div>
          )
        }
      >
        {(index) => {
          const block = rows[index]
          if (!block) return
          const day = newDay(rows, index)
          return (
            <>
              {day !== undefined && <p className="day">{day}</p>}
              <Block block={block} actions={actions} sizeOf={sizeOf} />
            </>
          )
        }}
      </Rows>
      {blocks.length === 0 && <p className="empty">Nothing was said yet.</p>}
    </>
  )
}

/** The day of a row, if it differs from the row before. */
function newDay(rows: readonly TranscriptRow[], index: number): string | undefined {
  const time = readTime(rows[index])
  if (!time) return undefined
  const day = dayText(time)
  let at = index - 1
  while (at >= 0 && readTime(rows[at]) === undefined) at -= 1
  const last = readTime(rows[at])
  return last && dayText(last) === day ? undefined : day
}

function readTime(row: TranscriptRow | undefined): Date | undefined {
  if (row?.kind === 'round') return row.blocks[0]?.time
  return row && 'time' in row ? row.time : undefined
}

function listSeqs(row: TranscriptRow): number[] {
  const entries = row.kind === 'round' ? row.blocks : [row]
  return entries.flatMap(({ entry }) => (entry === undefined ? [] : [Number(entry.slice(1))]))
}

function isAt(
  row: TranscriptRow,
  { entry, seq }: { readonly entry?: string; readonly seq?: number },
): boolean {
  if (seq !== undefined) return row.kind === 'compaction' && row.seq === seq
  return listSeqs(row).includes(Number(entry?.slice(1)))
}

function lastAnswer(blocks: readonly ViewBlock[]): string {
  const last = blocks.at(-1)
  if (last?.kind !== 'answer' || last.isStreaming) return ''
  return visibleText(last.text.slice(0, READ_OUT_CHARS))
}

/** Searches the whole log, and steps through compactions. */
export function TranscriptTools({
  client,
  threadId,
  compactions,
  onCompaction,
}: {
  readonly client: Client
  readonly threadId: string
  /** Their numbers, newest first. */
  readonly compactions: readonly number[]
  readonly onCompaction: (seq: number) => void
}) {
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<{ query: string; hits: readonly RecallHit[] }>()
  const [at, setAt] = useState(-1)
  const [error, setError] = useState<string>()
  const query = typed.trim()
  useEffect(() => {
    let isOver = false
    setError(undefined)
    if (query === '') return setFound(undefined)
    const timer = setTimeout(() => {
      client.recall(threadId, { query }).then(
        ({ hits }) => {
          if (!isOver) setFound({ query, hits })
        },
        (thrown: unknown) => {
          if (!isOver) setError(readMessage(thrown))
        },
      )
    }, TYPING_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, threadId, query])
  const step = (by: number) => {
    const next = Math.min(compactions.length - 1, Math.max(0, at + by))
    const seq = compactions[next]
    setAt(next)
    if (seq !== undefined) onCompaction(seq)
  }
  return (
    <div className="transcript-tools">
      <form className="find" onSubmit={(event) => event.preventDefault()}>
        <Search size={15} aria-hidden />
        <input
          type="search"
          aria-label="Find in this thread"
          placeholder="Find in this thread, also what was removed"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </form>
      {compactions.length > 0 && (
        <div className="jump">
          <span className="quiet">
            {countText(compactions.length, 'compaction', 'compactions')}
          </span>
          <button
            type="button"
            className="icon"
            aria-label="Jump to an earlier compaction"
            title="Jump to an earlier compaction"
            onClick={() => step(1)}
          >
            <ChevronUp size={16} aria-hidden />
          </button>
          <button
            type="button"
            className="icon"
            aria-label="Jump to a later compaction"
            title="Jump to a later compaction"
            onClick={() => step(-1)}
          >
            <ChevronDown size={16} aria-hidden />
          </button>
        </div>
      )}
      {error !== undefined && <p role="alert">{error}</p>}
      {found && <FoundList {...found} onClose={() => setTyped('')} />}
    </div>
  )
}

function FoundList({
  query,
  hits,
  onClose,
}: {
  readonly query: string
  readonly hits: readonly RecallHit[]
  readonly onClose: () => void
}) {
  const { show } = useLinks()
  return (
    <section className="found" aria-label={`Found: ${query}`}>
      <div className="line">
        <span>
          {hits.length === 0 ? (
            <>
              <StateIcon state="nothing" /> Nothing was found.
            </>
          ) : (
            countText(hits.length, 'place', 'places')
          )}
        </span>
        <button type="button" className="icon" aria-label="Close the search" onClick={onClose}>
          <X size={15} aria-hidden />
        </button>
      </div>
      <ol>
        {hits.map(({ ref, speaker, text }) => (
          <li key={ref}>
            <button type="button" className="place" onClick={() => show(ref, 'told')}>
              <span className="quiet">
                {speakerWords(speaker)} {ref}
              </span>
              <Marked text={text} words={query.split(/\s+/)} />
            </button>
            {!ref.includes('/') && <BringBack entry={ref} />}
          </li>
        ))}
      </ol>
    </section>
  )
}
