// A dialog as wide as the window, for what a panel has no room for; and what makes any dialog a modal one
import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'

export function WideDialog({
  title,
  onClose,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const place = useModal()
  const id = useId()
  return (
    <dialog
      ref={place}
      className="wide"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="icon" aria-label="Close" onClick={onClose}>
          <X size={18} aria-hidden />
        </button>
      </div>
      <div className="dialog-body">{children}</div>
    </dialog>
  )
}

export function useModal() {
  const place = useRef<HTMLDialogElement>(null)
  // Before it is taken out of the page: then it can still give the focus back to where it came from.
  useLayoutEffect(() => {
    const element = place.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return place
}
