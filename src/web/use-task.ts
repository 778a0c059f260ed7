// One user action at a time: whether it runs, and its error
import { useCallback, useRef, useState } from 'react'
import { messageOf } from './figures.ts'

export interface Task {
  readonly isRunning: boolean
  readonly error: string | undefined
  /** Does nothing while the one before still runs. */
  run(work: () => Promise<void>): void
  /** What went wrong is no longer of interest. */
  forget(): void
}

export function useTask(): Task {
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<string>()
  const busy = useRef(false)
  const run = useCallback((work: () => Promise<void>) => {
    if (busy.current) return
    busy.current = true
    setRunning(true)
    setError(undefined)
    work()
      .catch((thrown: unknown) => setError(messageOf(thrown)))
      .finally(() => {
        busy.current = false
        setRunning(false)
      })
  }, [])
  const forget = useCallback(() => setError(undefined), [])
  return { isRunning, error, run, forget }
}
