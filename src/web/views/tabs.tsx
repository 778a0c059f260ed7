// Tab panels, with the mouse or the standard tab keys
import { type KeyboardEvent, type ReactNode, useRef } from 'react'

export function Tabs<Name extends string>({
  names,
  chosen,
  label,
  onChoose,
  children,
}: {
  readonly names: readonly Name[]
  readonly chosen: Name
  readonly label: string
  readonly onChoose: (name: Name) => void
  readonly children: ReactNode
}) {
  const list = useRef<HTMLDivElement>(null)
  const pressed = (event: KeyboardEvent) => {
    const at = names.indexOf(chosen)
    const target = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: names.length - 1,
    }[event.key]
    if (target === undefined) return
    event.preventDefault()
    const next = (target + names.length) % names.length
    const name = names[next]
    if (name === undefined) return
    onChoose(name)
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus()
  }
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} onKeyDown={pressed}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            aria-controls="panel"
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="panel" role="tabpanel" aria-label={chosen}>
        {children}
      </div>
    </>
  )
}
