// Restores the terminal at exit, on a signal or after an uncaught error
import type { EventEmitter } from 'node:events'

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** The process; in tests an object that ends nothing. */
export type EndingProcess = EventEmitter & { exit(code: number): void }

export interface Ending {
  /** Restores the terminal. May be called more than once. */
  restore(): void
  /** Prints the last message on the restored terminal. */
  report(error: unknown): void
  /** Closes resources; the process ends afterwards, or after a timeout. */
  close(): Promise<void>
}

/** Timeout for closing. */
const CLOSING_MS = 2_000

/** Returns the function that stops watching. */
export function restoreAtEnd(ending: Ending, host: EndingProcess): () => void {
  let isEnding = false
  const end = (code: number) => {
    ending.restore()
    if (isEnding) return
    isEnding = true
    const leave = () => host.exit(code)
    setTimeout(leave, CLOSING_MS).unref()
    ending.close().then(leave, leave)
  }
  const failed = (error: unknown) => {
    ending.restore()
    if (!isEnding) ending.report(error)
    end(1)
  }
  const listeners: [string, (error: unknown) => void][] = [
    ...Object.entries(SIGNALS).map(([signal, code]): [string, () => void] => [
      signal,
      () => end(code),
    ]),
    ['uncaughtException', failed],
    ['unhandledRejection', failed],
    ['exit', () => ending.restore()],
  ]
  for (const [event, listener] of listeners) host.on(event, listener)
  return () => {
    for (const [event, listener] of listeners) host.off(event, listener)
  }
}
