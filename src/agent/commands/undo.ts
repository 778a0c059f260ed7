// The way back: the last compaction that changed something undone, or the session before a fresh one opened.
import { countRestored } from '../../core/edit/reverse.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import { isChange, type ThreadEvent } from '../../core/log/event.ts'
import { isEntryId, parseEntryId } from '../../core/view/entry.ts'
import { freshThreadsOf, pastThreadsOf } from '../../threads/open-threads.ts'
import { unknownRef } from '../../threads/reverse-thread.ts'
import type { Threads } from '../../threads/threads.ts'
import type { AgentCore } from '../core.ts'

/**
 * Takes back the last compaction that changed something. Those above it which changed nothing go with it:
 * newest first, so that the context is what it was to the byte.
 */
export function undoLast(core: AgentCore, threadId: string): Promise<ThreadEvent> {
  const { threads } = core.ports
  return core.desks.of(threadId).request.run(async () => {
    const { stack } = await threads.context(threadId)
    const empty = await emptyOnTop(core, threadId, stack)
    if (empty.length > 0 && empty.length === stack.length) {
      const message = 'There is no compaction to undo: no compaction has changed anything.'
      throw new PrecisError('nothing-to-undo', message)
    }
    for (const seq of empty) await threads.undo(threadId, seq)
    return threads.undo(threadId)
  })
}

/** Takes back one compaction, and before it whatever was brought back of what it removed. */
export function undoCompaction(
  core: AgentCore,
  threadId: string,
  seq: number,
): Promise<ThreadEvent> {
  return core.desks.of(threadId).request.run(async () => {
    await undoExpansions(core, threadId, seq)
    return core.ports.threads.undo(threadId, seq)
  })
}

/** What was brought back of one compaction goes out again, the newest first. */
async function undoExpansions(
  { ports: { threads, store } }: AgentCore,
  threadId: string,
  seq: number,
): Promise<void> {
  const { stack } = await threads.context(threadId)
  for (const later of stack.filter((change) => change > seq).reverse()) {
    const [row] = await store.read(threadId, { from: later, to: later })
    const event = row && readRow(row)
    if (event?.type === 'CONTENT_EXPANDED' && event.data.of === seq)
      await threads.undo(threadId, later)
  }
}

/**
 * Puts a removed entry back into the context, alone; an entry that a compaction put there gives way to all that
 * it stands for. Says how many came back.
 */
export async function expandEntry(core: AgentCore, threadId: string, ref: string): Promise<number> {
  const { threads } = core.ports
  if (!isEntryId(ref)) throw unknownRef(ref)
  const { original, seq } = parseEntryId(ref)
  return core.desks.of(threadId).request.run(async () => {
    const isShown = async () =>
      (await threads.context(threadId)).items.toArray().some(({ id }) => id === ref)
    if (original && (await isShown()))
      throw new PrecisError('invalid-input', `${ref} is in the context already.`, { where: ref })
    if (!original) await undoExpansions(core, threadId, seq)
    let count = 0
    do {
      const event = await threads.expand(threadId, ref, { isAlone: original })
      if (isChange(event)) count += countRestored(event.data.edits)
    } while (original && !(await isShown()))
    return count
  })
}

/** Whether there is a compaction to take back that changed something. */
export async function canUndo(core: AgentCore, threadId: string): Promise<boolean> {
  const { stack } = await core.ports.threads.context(threadId)
  return (await emptyOnTop(core, threadId, stack)).length < stack.length
}

/** Of the changes that undo would take back those on top that changed nothing, newest first. */
async function emptyOnTop(
  { ports }: AgentCore,
  threadId: string,
  stack: readonly number[],
): Promise<number[]> {
  const empty: number[] = []
  for (const seq of stack.toReversed()) {
    const [row] = await ports.store.read(threadId, { from: seq, to: seq })
    const event = row && readRow(row)
    if (!event || !isChange(event) || event.data.edits.length > 0) return empty
    empty.push(seq)
  }
  return empty
}

/** Nothing was written to it when the fresh one was opened: to go back is to open it (FRESH-23). */
export async function formerSession(
  { ports }: AgentCore,
  threadId: string,
): Promise<{ readonly text: string; readonly threadId: string } | undefined> {
  for await (const { threadId: former, upTo } of pastThreadsOf(ports.store, threadId)) {
    const version = await readVersion(ports.threads, former)
    if (version === undefined) return undefined
    const asItWas = version === upTo ? ', as it was before /compact' : ''
    const text = `Back in the previous thread ${former}${asItWas}. /resume ${threadId} goes forward again.`
    return { text, threadId: former }
  }
  return undefined
}

/** The way forth again: the latest fresh session that was opened from this one. */
export async function nextSession(
  { ports }: AgentCore,
  threadId: string,
): Promise<{ readonly text: string; readonly threadId: string } | undefined> {
  for await (const { threadId: next } of freshThreadsOf(ports.store, threadId))
    return { text: `Now in the thread ${next}. /undo goes back.`, threadId: next }
  return undefined
}

/** Undefined where it was deleted. */
async function readVersion(threads: Threads, threadId: string): Promise<number | undefined> {
  try {
    return (await threads.context(threadId)).version
  } catch (error) {
    if (PrecisError.is(error) && error.code === 'unknown-thread') return undefined
    throw error
  }
}
