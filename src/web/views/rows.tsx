// A virtual list: draws only visible rows.
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react'

/** Counts as being at an end. */
const NEAR_PX = 80
const NEAR_TOP_PX = 600
const OVERSCAN = 6
const AIM_MS = [60, 180]
/** After these delays opened parts have their final height. */
const REVEAL_MS = [240, 360]

interface Target {
  readonly index: number
  /** The entry in that row: opens the folds around it and focuses it. */
  readonly entry?: string | undefined
}

interface RowsProps {
  readonly count: number
  /** A stable key per row. Pass the same function while the rows are the same. */
  readonly keyOf: (index: number) => string
  readonly guessPx: number
  readonly label: string
  /** Follows new rows unless the reader has scrolled up. */
  readonly staysAtEnd?: boolean
  /** Each new number scrolls to the end, wherever the reader is. */
  readonly toEnd?: number
  /** While existing rows are loading, stays at the end until all have their size. */
  readonly isOpening?: boolean
  readonly before?: ReactNode
  readonly onNearTop?: () => void
  readonly onSight?: (first: number, last: number) => void
  /** A row to scroll to; each new object scrolls once. */
  readonly target?: Target | undefined
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
    // The visible rows stay in place while more rows appear.
    anchorTo: staysAtEnd ? 'end' : 'start',
    followOnAppend: staysAtEnd,
    scrollEndThreshold: NEAR_PX,
    useFlushSync: false,
  })
  const inSight = rows.getVirtualItems()
  const first = inSight[0]?.index ?? 0
  const last = inSight.at(-1)?.index ?? 0
  useEffect(() => onSight?.(first, last), [onSight, first, last])
  const stopAiming = useTarget(place, rows, props.target)
  const isOpening = staysAtEnd && (props.isOpening ?? false)
  const lastTop = useRef(0)
  const isHeld = useHeldEnd(place, staysAtEnd, rows.getTotalSize())
  useEffect(() => {
    if (props.target) isHeld.current = false
  }, [props.target, isHeld])
  // By height: rows added meanwhile come after the current last row.
  const holdEnd = () => {
    isHeld.current = staysAtEnd
    if (place.current) place.current.scrollTop = place.current.scrollHeight
  }
  const { toEnd = 0 } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each number
  useEffect(() => (toEnd === 0 ? undefined : repeat(holdEnd)), [toEnd])
  const scrolled = () => {
    if (!place.current) return
    const { scrollTop, scrollHeight, clientHeight } = place.current
    const leftPx = scrollHeight - scrollTop - clientHeight
    const isAtEnd = leftPx < NEAR_PX
    // The first scroll step up ends following: browsers scroll in many steps.
    const isGoingUp = scrollTop < lastTop.current && leftPx > 2
    lastTop.current = scrollTop
    if (isGoingUp && !isOpening) isHeld.current = false
    else if (isAtEnd) isHeld.current = staysAtEnd
    if (scrollTop < NEAR_TOP_PX && !isAtEnd) onNearTop?.()
  }
  // A browser would stop as soon as rows get their final heights.
  const pressed = (event: KeyboardEvent) => {
    stopAiming()
    if (event.target !== place.current || (event.key !== 'Home' && event.key !== 'End')) return
    event.preventDefault()
    if (event.key === 'End') repeat(holdEnd)
    else {
      isHeld.current = false
      aimAt(rows, 0, 'start')
    }
  }
  return (
    <section
      className="scroller"
      ref={place}
      onScroll={scrolled}
      onKeyDown={pressed}
      onWheel={stopAiming}
      onTouchMove={stopAiming}
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

type Scroller = Pick<ReturnType<typeof useVirtualizer<HTMLElement, Element>>, 'scrollToIndex'>

/** A distant row gets its height only when it is drawn: aim again until it has. */
function aimAt(rows: Scroller, index: number, align: 'start' | 'center'): () => void {
  return repeat(() => rows.scrollToIndex(index, { align }))
}

function repeat(aim: () => void, delays = AIM_MS): () => void {
  aim()
  const timers = delays.map((ms) => setTimeout(aim, ms))
  return () => timers.forEach(clearTimeout)
}

function useTarget(
  place: RefObject<HTMLElement | null>,
  rows: Scroller,
  target: RowsProps['target'],
): () => void {
  const stop = useRef<() => void>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each target
  useEffect(() => {
    if (!target) return
    const { index, entry } = target
    const stopAiming = aimAt(rows, index, 'center')
    const show = () =>
      entry === undefined ? showBeginning(place.current, index) : reveal(place.current, entry)
    const stopRevealing = repeat(show, REVEAL_MS)
    stop.current = () => {
      stopAiming()
      stopRevealing()
    }
    return stop.current
  }, [target])
  // Stops when the user scrolls.
  return useCallback(() => stop.current?.(), [])
}

/** For a row taller than the view, show its start instead of its middle. */
function showBeginning(place: HTMLElement | null, index: number): void {
  const row = place?.querySelector<HTMLElement>(`.row[data-index="${index}"]`)
  if (row && row.offsetHeight > (place?.clientHeight ?? 0)) row.scrollIntoView({ block: 'start' })
}

/** Opens the folds around an entry, scrolls to its start and focuses it. */
function reveal(place: HTMLElement | null, entry: string): void {
  const found = place?.querySelector<HTMLElement>(`[data-entry="${entry}"]`)
  if (!found) return
  for (let around: Element | null = found; around; around = around.parentElement)
    if (around instanceof HTMLDetailsElement) around.open = true
  const isTall = found.offsetHeight > (place?.clientHeight ?? 0)
  found.scrollIntoView({ block: isTall ? 'start' : 'center' })
  const focused = found.querySelector<HTMLElement>(':scope > summary') ?? found
  focused.focus({ preventScroll: true })
}

/** Whether the list follows its end, until the reader scrolls up. */
function useHeldEnd(
  place: RefObject<HTMLElement | null>,
  isHeldAtFirst: boolean,
  heightPx: number,
): RefObject<boolean> {
  const isHeld = useRef(isHeldAtFirst)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height says that there is more to see
  useLayoutEffect(() => {
    if (isHeld.current && place.current) place.current.scrollTop = place.current.scrollHeight
  }, [place, heightPx])
  // Elements above or below may grow and leave it less room.
  useEffect(() => {
    const element = place.current
    if (!element) return
    const watched = new ResizeObserver(() => {
      if (isHeld.current) element.scrollTop = element.scrollHeight
    })
    watched.observe(element)
    return () => watched.disconnect()
  }, [place])
  return isHeld
}
