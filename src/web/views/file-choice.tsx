// Session files chosen by hand, where they cannot be dropped
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
          event.target.value = '' // the same file may be chosen again
        }}
      />
      <label className={className} htmlFor={id}>
        {children}
      </label>
    </>
  )
}
