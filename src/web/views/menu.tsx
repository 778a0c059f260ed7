// A menu under a button; closes on a choice, on Escape, or when it loses the focus. The divider between two
// columns: dragged, or moved with the arrow keys.
import type { LucideIcon } from 'lucide-react'
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'

export function Menu({
  label,
  icon: Icon,
  children,
}: {
  readonly label: string
  readonly icon: LucideIcon
  readonly children: ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isOpen) {
      event.stopPropagation()
      setOpen(false)
      opener.current?.focus()
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || !isOpen) return
    event.preventDefault()
    const items = [...(list.current?.querySelectorAll<HTMLElement>('button, select') ?? [])]
    const at = items.indexOf(document.activeElement as HTMLElement)
    items[(at + step + items.length) % items.length]?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the elements inside
    <div
      className="menu"
      onKeyDown={pressed}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(false)
      }}
    >
      <button
        ref={opener}
        type="button"
        className="icon"
        aria-label={label}
        title={label}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon size={18} aria-hidden />
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a choice bubbles up to here
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys make clicks on buttons
        <div
          ref={list}
          id={id}
          className="menu-list"
          onClick={({ target }) => {
            if (target instanceof Element && target.closest('button[data-closes]')) setOpen(false)
          }}
        >
          {children}
        </div>
      )}
    </div>
  )
}

export function MenuItem({
  icon: Icon,
  label,
  idle,
  onChoose,
}: {
  readonly icon: LucideIcon
  readonly label: string
  /** Why it is disabled. */
  readonly idle?: string | undefined
  readonly onChoose: () => void
}) {
  return (
    <button
      type="button"
      className="menu-item"
      data-closes={idle === undefined}
      aria-disabled={idle !== undefined}
      title={idle}
      onClick={idle === undefined ? onChoose : undefined}
    >
      <Icon size={16} aria-hidden /> {label}
    </button>
  )
}

const LEAST = 30
const MOST = 70
const START = 52
const STEP = 2

export function Splitter() {
  const [share, setShare] = useState(START)
  useEffect(() => {
    document.documentElement.style.setProperty('--told', `${share}%`)
  }, [share])
  const set = (to: number) => setShare(Math.min(MOST, Math.max(LEAST, to)))
  const dragged = ({ buttons, currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const whole = currentTarget.parentElement?.getBoundingClientRect()
    if (buttons !== 1 || !whole) return
    set((100 * (clientX - whole.left)) / whole.width)
  }
  const pressed = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
    if (by === undefined) return
    event.preventDefault()
    set(share + by)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr takes no keys
    <div
      className="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the conversation"
      aria-valuenow={Math.round(share)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={dragged}
      onDoubleClick={() => set(START)}
      onKeyDown={pressed}
    />
  )
}
