// Choosing session files by hand, where dropping does not work.
import { type ReactNode, useId } from 'react'
import type { Importing } from '../use-loaded.ts'

export function FileChoice({
  importing,
  className,
  children,
}: {
  readonly importing: Importing
  readonly className: string
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <>
      <input
        id={id}
        className="read-out file-choice"
        type="file"
        multiple
        disabled={importing.isRunning}
        onChange={(event) => {
          importing.take([...(event.target.files ?? [])])
          event.target.value = '' // allows choosing the same file again
        }}
      />
      <label className={className} htmlFor={id}>
        {children}
      </label>
    </>
  )
}
