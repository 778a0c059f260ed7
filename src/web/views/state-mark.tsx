// The states of work, always with an icon, a colour and words; and small marks used everywhere.
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
import { useEffect, useState } from 'react'
import { elapsedText, tokensText } from '../shown-text.ts'
import { categoryOf } from '../words.ts'

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

/** The words beside it say the same: the icon is not read out. */
export function StateIcon({ state }: { readonly state: WorkState }) {
  const Icon = MARKS[state]
  return <Icon className={`state-icon ${state}`} size={15} aria-hidden />
}

export function Swatch({ name }: { readonly name: string }) {
  return <span className={`swatch cat-${categoryOf(name).id}`} aria-hidden />
}

const TICK_MS = 1_000

/** Counts on by itself. */
export function Elapsed({ since }: { readonly since: Date }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return <span className="figure">{elapsedText(now - since.getTime())}</span>
}

/** The headings of a table: what each row is, then its figures; the rest is said to readers alone. */
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

/** Tokens by category as one bar; without a label it is a picture of figures that stand beside it. */
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
        const { id, shown } = categoryOf(name)
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
