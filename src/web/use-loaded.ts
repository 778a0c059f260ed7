// Hooks for work that takes a while: loading, one task at a time, importing session files.
import { useEffect, useState } from 'react'
import { messageOf } from './figures.ts'

export interface Loaded<T> {
  readonly value: T | undefined
  readonly error: string | undefined
}

/** What was read last stays until the next is there. `load` must be stable: wrap it in useCallback. */
export function useLoaded<T>(load: () => Promise<T>, changes: number): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, error: undefined })
  // biome-ignore lint/correctness/useExhaustiveDependencies: `changes` says that there is something new
  useEffect(() => {
    let isOver = false
    load().then(
      (value) => {
        if (!isOver) setLoaded({ value, error: undefined })
      },
      (thrown: unknown) => {
        if (!isOver) setLoaded(({ value }) => ({ value, error: messageOf(thrown) }))
      },
    )
    return () => {
      isOver = true
    }
  }, [load, changes])
  return loaded
}
