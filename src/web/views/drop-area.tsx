// The whole page takes session files: dropped anywhere, they are imported.
import { type DragEvent, type ReactNode, useState } from 'react'
import type { Importing } from '../use-import.ts'

export function DropArea({
  importing,
  children,
}: {
  readonly importing: Importing
  readonly children: ReactNode
}) {
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    setOver(false)
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    importing.take([...event.dataTransfer.files])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the same can be done by the file field, with keys
    <div
      className="drop-area"
      data-over={isOver}
      onDragOver={over}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setOver(false)
      }}
      onDrop={drop}
    >
      {children}
      {isOver && <p className="drop-hint">Drop the session file to open it as a thread.</p>}
      {importing.isRunning && (
        <p className="toast" role="status">
          Importing…
        </p>
      )}
      {importing.error !== undefined && (
        <p className="toast" role="alert">
          {importing.error}
        </p>
      )}
    </div>
  )
}
