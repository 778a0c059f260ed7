// The header of a thread: title, model, connection
import { type ReactNode, useState } from 'react'
import type { ThreadDetail } from '../../protocol/index.ts'
import { useReachable } from '../connection.ts'
import { titleText } from '../visible-text.ts'

export function ThreadHead({
  detail,
  children,
  actions,
  onSettings,
}: {
  readonly detail: ThreadDetail
  readonly onSettings: () => void
  readonly children: ReactNode
  readonly actions: ReactNode
}) {
  const isReachable = useReachable()
  const [isOpen, setOpen] = useState(false)
  const { model, preset, strategy } = detail
  return (
    <header className="head" data-open={isOpen}>
      <div className="line">
        <a className="back" href="#/" aria-label="All threads">
          ←
        </a>
        <h1>{titleText(detail.title)}</h1>
        <button
          type="button"
          className="chosen"
          title="Model, preset and strategy of this thread"
          onClick={onSettings}
        >
          {[model ?? 'no model', preset, strategy].filter(Boolean).join(' · ')}
        </button>
        <button
          type="button"
          className="opener"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Actions
        </button>
      </div>
      {!isReachable && (
        <p className="warning" role="status">
          The connection is lost. It comes back by itself, and nothing is missed.
        </p>
      )}
      {children}
      {actions}
    </header>
  )
}
