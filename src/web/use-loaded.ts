// What was loaded, and whether it is current.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Client } from '../protocol/index.ts'
import { readMessage } from './shown-text.ts'

export interface Task {
  readonly isRunning: boolean
  readonly error: string | undefined
  /** Does nothing while the previous task runs. */
  run(work: () => Promise<void>): void
  /** Clears the error. */
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
      .catch((thrown: unknown) => setError(readMessage(thrown)))
      .finally(() => {
        busy.current = false
        setRunning(false)
      })
  }, [])
  const forget = useCallback(() => setError(undefined), [])
  return { isRunning, error, run, forget }
}

/** What was loaded, and whether it is current. */
interface LoadedSession<T> {
  readonly value: T | undefined
  readonly error: string | undefined
}

/** Keeps the last value until the next is loaded. `load` must be stable: wrap it in useCallback. */
export function useLoaded<T>(load: () => Promise<T>, changes: number): LoadedSession<T> {
  const [loaded, setLoaded] = useState<LoadedSession<T>>({ value: undefined, error: undefined })
  // biome-ignore lint/correctness/useExhaustiveDependencies: `changes` says that there is something new
  useEffect(() => {
    let isOver = false
    load().then(
      (value) => {
        if (!isOver) setLoaded({ value, error: undefined })
      },
      (thrown: unknown) => {
        if (!isOver) setLoaded(({ value }) => ({ value, error: readMessage(thrown) }))
      },
    )
    return () => {
      isOver = true
    }
  }, [load, changes])
  return loaded
}

/**
 * Imports session files of other agents, dropped or chosen: each becomes a thread, and the last one opens.
 */
export interface Importing {
  readonly isRunning: boolean
  readonly error: string | undefined
  take(files: Iterable<File>): void
}

export function useImport(client: Client, onImported: (threadId: string) => void): Importing {
  const { run, isRunning, error } = useTask()
  const take = useCallback(
    (files: Iterable<File>) =>
      run(async () => {
        for (const file of files) {
          const thread = await client.importThread(await file.text())
          onImported(thread.threadId)
        }
      }),
    [client, onImported, run],
  )
  return { isRunning, error, take }
}
