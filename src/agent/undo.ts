// The way back: the last compaction that changed something undone, or the session before a fresh one opened.
import { readRow } from '../core/codec.ts'
import { PrecisError } from '../core/errors.ts'
import { isChange, type ThreadEvent } from '../core/event.ts'
import { pastThreadsOf } from '../threads/past-threads.ts'
import type { Threads } from '../threads/threads.ts'
import type { AgentCore } from './core.ts'

/**
 * Takes back the last compaction that changed something. Those above it which changed nothing go with it:
 * newest first, so that the context is what it was to the byte.
 */
export function undoLast(core: AgentCore, threadId: string): Promise<ThreadEvent> {
  const { threads } = core.ports
  return core.desks.of(threadId).request.run(async () => {
    for (const seq of await emptyAbove(core, threadId)) await threads.undo(threadId, seq)
    return threads.undo(threadId)
  })
}

/** The changes on top that changed nothing, newest first. Throws where there are no others. */
async function emptyAbove({ ports }: AgentCore, threadId: string): Promise<number[]> {
  const { stack } = await ports.threads.context(threadId)
  const empty: number[] = []
  for (const seq of stack.toReversed()) {
    const [row] = await ports.store.read(threadId, { from: seq, to: seq })
    const event = row && readRow(row)
    if (!event || !isChange(event) || event.data.edits.length > 0) return empty
    empty.push(seq)
  }
  if (empty.length === 0) return empty
  const message = 'There is no compaction to undo: none of them has changed anything.'
  throw new PrecisError('nothing-to-undo', message)
}

/** Nothing was written to it when the fresh one was opened: to go back is to open it (FRESH-23). */
export async function formerSession(
  { ports }: AgentCore,
  threadId: string,
): Promise<{ readonly text: string; readonly threadId: string } | undefined> {
  for await (const { threadId: former, upTo } of pastThreadsOf(ports.store, threadId)) {
    const version = await versionOf(ports.threads, former)
    if (version === undefined) return undefined
    const asItWas = version === upTo ? ', as it was before /compact' : ''
    const text = `Back in the former session ${former}${asItWas}; /resume ${threadId} returns.`
    return { text, threadId: former }
  }
  return undefined
}

/** Undefined where it was deleted. */
async function versionOf(threads: Threads, threadId: string): Promise<number | undefined> {
  try {
    return (await threads.context(threadId)).version
  } catch (error) {
    if (PrecisError.is(error) && error.code === 'unknown-thread') return undefined
    throw error
  }
}
