// A virtual list: draws only visible rows
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { visibleText } from '../shown-text.ts'

/** Nearer to an end than this counts as being there. */
const NEAR_PX = 80
const NEAR_TOP_PX = 600
const OVERSCAN = 6
/** Rows get their true height one frame after they are drawn. */
const SETTLE_MS = 250

interface RowsProps {
  readonly count: number
  /** Of one row, the same wherever it stands. The same function as long as the rows are the same. */
  readonly keyOf: (index: number) => string
  readonly guessPx: number
  readonly label: string
  /** What is added is seen, unless the reader has gone up. */
  readonly staysAtEnd?: boolean
  /** What was there before is still coming in: the end is in sight until all of it has its size. */
  readonly isOpening?: boolean
  readonly before?: ReactNode
  readonly onNearTop?: () => void
  readonly onSight?: (first: number, last: number) => void
  readonly children: (index: number) => ReactNode
}

export function Rows(props: RowsProps) {
  const { count, keyOf, guessPx, label, staysAtEnd = false, onNearTop, onSight, children } = props
  const place = useRef<HTMLElement>(null)
  const rows = useVirtualizer({
    count,
    getScrollElement: () => place.current,
    estimateSize: () => guessPx,
    getItemKey: keyOf,
    overscan: OVERSCAN,
    // What is read stays where it is while more comes in above it, or at the end.
    anchorTo: staysAtEnd ? 'end' : 'start',
    followOnAppend: staysAtEnd,
    scrollEndThreshold: NEAR_PX,
    useFlushSync: false,
  })
  const inSight = rows.getVirtualItems()
  const first = inSight[0]?.index ?? 0
  const last = inSight.at(-1)?.index ?? 0
  useEffect(() => onSight?.(first, last), [onSight, first, last])
  const isOpening = staysAtEnd && (props.isOpening ?? false)
  const letGo = useEndWhileOpening(place, isOpening, rows.getTotalSize())
  const scrolled = () => {
    if (!place.current) return
    const { scrollTop, scrollHeight, clientHeight } = place.current
    const isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_PX
    if (!isAtEnd && !isOpening) letGo()
    if (scrollTop < NEAR_TOP_PX && !isAtEnd) onNearTop?.()
  }
  return (
    <section
      className="scroller"
      ref={place}
      onScroll={scrolled}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
      tabIndex={0}
      aria-label={label}
    >
      {props.before}
      <div className="rows" style={{ height: rows.getTotalSize() }}>
        {inSight.map((row) => (
          <div
            key={row.key}
            className="row"
            data-index={row.index}
            ref={rows.measureElement}
            style={{ transform: `translateY(${row.start}px)` }}
          >
            {children(row.index)}
          </div>
        ))}
      </div>
    </section>
  )
}

/** Gives back how to let go of the end: the reader has gone up. */
function useEndWhileOpening(
  place: RefObject<HTMLElement | null>,
  isOpening: boolean,
  heightPx: number,
): () => void {
  const [isSettled, setSettled] = useState(!isOpening)
  useEffect(() => {
    if (isOpening) return undefined
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [isOpening])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height says that there is more to see
  useLayoutEffect(() => {
    if (!isSettled && place.current) place.current.scrollTop = place.current.scrollHeight
  }, [place, isSettled, heightPx])
  return () => setSettled(true)
}

const SHOWN_CHARS = 4_000
/** What is added at a time: a text of megabytes would stop the page. */
const MORE_CHARS = 100_000

/** A text of any length, of which the beginning is shown until more is asked for. */
export function LongText({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(SHOWN_CHARS)
  const left = text.length - shown
  return (
    <>
      <pre className="text">{visibleText(left > 0 ? text.slice(0, shown) : text)}</pre>
      {left > 0 && (
        <button type="button" onClick={() => setShown(shown + MORE_CHARS)}>
          {`${left.toLocaleString()} more characters`}
        </button>
      )}
    </>
  )
}
