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
import { elapsedText } from '../shown-text.ts'
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
