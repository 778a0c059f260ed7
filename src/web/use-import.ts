// Session files of other agents, dropped or chosen: each becomes a thread, and the last one is opened.
import { useCallback } from 'react'
import type { Client } from '../protocol/index.ts'
import { useTask } from './use-task.ts'

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
