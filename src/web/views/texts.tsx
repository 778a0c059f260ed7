// Texts of any length, shown in part, with refs as links. States of work, each with icon, colour and words;
// small marks.

import {
  Ban,
  Check,
  CircleAlert,
  CircleSlash,
  LoaderCircle,
  type LucideIcon,
  Redo2,
  TriangleAlert,
  Undo2,
} from 'lucide-react'
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { REF_IN_TEXT, useLinks } from '../links.ts'
import {
  clockText,
  countText,
  elapsedText,
  timeText,
  tokensText,
  visibleText,
} from '../shown-text.ts'
import { findCategory, labelWords } from '../words.ts'

const SHOWN_CHARS = 4_000
/** Added per step: megabytes of text would freeze the page. */
const MORE_CHARS = 100_000

/** Shows the beginning of a text until the reader asks for more. */
export function LongText({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(SHOWN_CHARS)
  // A button for a few more lines would need as much room as they do.
  const left = text.length < shown + SHOWN_CHARS / 4 ? 0 : text.length - shown
  return (
    <>
      <pre className="text">
        <WithRefs text={visibleText(left > 0 ? text.slice(0, shown) : text)} />
      </pre>
      {left > 0 && (
        <button type="button" className="small" onClick={() => setShown(shown + MORE_CHARS)}>
          {`${left.toLocaleString()} more characters`}
        </button>
      )}
    </>
  )
}

export function Clock({ time }: { readonly time: Date }) {
  return (
    <time dateTime={time.toISOString()} title={timeText(time)}>
      {clockText(time)}
    </time>
  )
}

/** A ref links to its entry. Refs of other threads are plain text. */
export function WithRefs({ text }: { readonly text: string }): ReactNode {
  const { show } = useLinks()
  if (!text.includes('[ref:')) return text
  return text.split(REF_IN_TEXT).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names of their own
    <Fragment key={at}>
      {at % 2 === 0 ? (
        part
      ) : part.includes(':') ? (
        <code>{part}</code>
      ) : (
        <button
          type="button"
          className="ref"
          title={`Show ${part}`}
          onClick={(event) => {
            event.stopPropagation()
            show(part, 'told')
          }}
        >
          {part}
        </button>
      )}
    </Fragment>
  ))
}

/** The model no longer sees it: what replaces it, and how to restore it. */
export function Gone({ entry }: { readonly entry: string | undefined }) {
  const { placeOf, show } = useLinks()
  const place = entry === undefined ? undefined : placeOf(entry)
  if (!place || entry === undefined) return null
  const { by, label, together = 1 } = place
  if (by === undefined && place.place !== undefined) return null
  return (
    <div className="gone">
      {by === undefined || label === undefined ? (
        <span>No longer in the context; nothing stands for it.</span>
      ) : (
        <span>
          No longer in the context.{' '}
          <button type="button" className="link" onClick={() => show(entry, 'seen')}>
            {labelWords(label)} {by}
          </button>{' '}
          stands for it{together > 1 && ` and ${countText(together - 1, 'other', 'others')}`}.
        </span>
      )}
      <BringBack entry={entry} />
    </div>
  )
}

/** Restores a removed entry; if it is still in the context, says where. */
export function BringBack({ entry }: { readonly entry: string }) {
  const { placeOf, wantPlace, bringBack } = useLinks()
  useEffect(() => wantPlace(entry), [wantPlace, entry])
  const place = placeOf(entry)
  if (!place) return null
  if (place.by === undefined && place.place !== undefined)
    return <span className="quiet">In the context</span>
  return (
    <button type="button" className="small" onClick={() => bringBack(entry)}>
      Bring it back
    </button>
  )
}

export type WorkState =
  | 'running'
  | 'done'
  | 'nothing'
  | 'fell-back'
  | 'failed'
  | 'stopped'
  | 'undone'
  | 'warning'

const MARKS: Readonly<Record<WorkState, LucideIcon>> = {
  running: LoaderCircle,
  done: Check,
  nothing: CircleSlash,
  'fell-back': Redo2,
  failed: CircleAlert,
  stopped: Ban,
  undone: Undo2,
  warning: TriangleAlert,
}

/** The text next to it says the same, so the icon is hidden from screen readers. */
export function StateIcon({ state }: { readonly state: WorkState }) {
  const Icon = MARKS[state]
  return <Icon className={`state-icon ${state}`} size={15} aria-hidden />
}

export function Swatch({ name }: { readonly name: string }) {
  return <span className={`swatch cat-${findCategory(name).id}`} aria-hidden />
}

const TICK_MS = 1_000

/** Updates itself. */
export function Elapsed({ since }: { readonly since: Date }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return <span className="figure">{elapsedText(now - since.getTime())}</span>
}

/** The headings of a table: the first one and the figures; the rest is for screen readers only. */
export function TableHead({
  first,
  figures,
  readOut,
}: {
  readonly first: string
  readonly figures: readonly string[]
  readonly readOut?: string
}) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {figures.map((figure) => (
          <th key={figure} scope="col" className="figure">
            {figure}
          </th>
        ))}
        {readOut !== undefined && (
          <th scope="col">
            <span className="read-out">{readOut}</span>
          </th>
        )}
      </tr>
    </thead>
  )
}

/** Tokens by category as one bar; without a label it repeats figures next to it. */
export function CategoryBar({
  parts,
  whole,
  label,
}: {
  readonly parts: readonly { readonly name: string; readonly tokens: number }[]
  readonly whole: number
  readonly label?: string
}) {
  let at = 0
  return (
    <svg
      className="bar"
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      aria-hidden={label === undefined || undefined}
    >
      {parts.map(({ name, tokens }) => {
        const start = at
        at += (tokens / whole) * 100
        const { id, shown } = findCategory(name)
        return (
          <rect
            key={name}
            x={start}
            y={0}
            width={Math.max(0, at - start)}
            height={10}
            className={`cat-${id}`}
          >
            {label !== undefined && <title>{`${shown}: ${tokensText(tokens)} tokens`}</title>}
          </rect>
        )
      })}
    </svg>
  )
}
