// The line between the two columns: dragged, or moved with the arrow keys
import { type KeyboardEvent, type PointerEvent, useEffect, useState } from 'react'

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
