// Server shutdown: reject new requests, finish or record turns, end streams, close the store
import type { Composed } from '../../compose.ts'
import type { ComposedApp } from '../../compose-app.ts'
import type { Listening } from '../../server/http/listen.ts'
import { leaveUnfinished } from '../../server/live/unfinished.ts'
import type { Io } from '../process-io.ts'

interface ServerParts {
  readonly home: Composed
  readonly composed: ComposedApp
  readonly listening: Listening | undefined
  readonly graceMs: number
  /** Cuts the waiting short. */
  readonly hurry: AbortSignal
}

export async function endServer(parts: ServerParts): Promise<void> {
  const { home, composed, listening, graceMs, hurry } = parts
  const { app, agent } = composed
  listening?.stop()
  const left = new Set(await app.finish(graceMs, hurry))
  // A turn may just have begun with what waited in the inbox.
  agent.on((frame) => {
    if (frame.type === 'turn-end' && frame.end === 'aborted') left.add(frame.threadId)
  })
  await composed.close()
  await leaveUnfinished(home, [...left])
  await listening?.close()
}

interface Signals {
  /** The first that asks to stop. */
  readonly first: Promise<void>
  /** Fires at the second: the caller again does not want to wait. */
  readonly hurry: AbortSignal
  end(): void
}

export function signals(source: Io['host']): Signals {
  const first = Promise.withResolvers<void>()
  const hurry = new AbortController()
  let count = 0
  const hear = () => {
    count += 1
    if (count === 1) first.resolve()
    else hurry.abort()
  }
  source.on('SIGINT', hear).on('SIGTERM', hear)
  return {
    first: first.promise,
    hurry: hurry.signal,
    end: () => void source.off('SIGINT', hear).off('SIGTERM', hear),
  }
}
