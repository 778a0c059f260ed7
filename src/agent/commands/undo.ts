// Undo: the last compaction that changed something, or back to the session before a fresh one.
import { countRestored } from '../../core/edit/reverse.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import { isChange, type ThreadEvent } from '../../core/log/event.ts'
import { isEntryId, parseEntryId } from '../../core/view/entry.ts'
import { listFreshThreads, listPastThreads } from '../../threads/past-threads.ts'
import { unknownRef } from '../../threads/reverse-thread.ts'
import type { Threads } from '../../threads/threads.ts'
import type { AgentCore } from '../core.ts'

/**
 * Undoes the last compaction that changed something, with later ones that changed nothing, newest first, so
 * that the context is exactly what it was.
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

/** Undoes one compaction, after undoing what was restored of it. */
export function undoCompaction(
  core: AgentCore,
  threadId: string,
  seq: number,
): Promise<ThreadEvent> {
  return core.desks.of(threadId).request.run(async () => {
    const { threads } = core.ports
    const { stack } = await threads.context(threadId)
    for (const later of stack.filter((change) => change > seq).reverse()) {
      const event = await readEvent(core, threadId, later)
      if (event?.type === 'CONTENT_EXPANDED' && event.data.of === seq)
        await threads.undo(threadId, later)
    }
    return threads.undo(threadId, seq)
  })
}

/**
 * Puts a removed entry back into the context, alone. An entry that a compaction added gives way to everything
 * it replaced. Says how many entries came back.
 */
export async function expandEntry(core: AgentCore, threadId: string, ref: string): Promise<number> {
  const { threads } = core.ports
  if (!isEntryId(ref)) throw unknownRef(ref)
  const isAlone = parseEntryId(ref).original
  return core.desks.of(threadId).request.run(async () => {
    const { items } = await threads.context(threadId)
    if (isAlone && items.toArray().some(({ id }) => id === ref))
      throw new PrecisError('invalid-input', `${ref} is in the context already.`, { where: ref })
    const event = await threads.expand(threadId, ref, { isAlone })
    return isChange(event) ? countRestored(event.data.edits) : 0
  })
}

/** What undo would revert, in words; undefined if nothing was changed. */
export async function undoneNext(core: AgentCore, threadId: string): Promise<string | undefined> {
  const { stack } = await core.ports.threads.context(threadId)
  const seq = stack[stack.length - (await emptyOnTop(core, threadId, stack)).length - 1]
  const event = seq === undefined ? undefined : await readEvent(core, threadId, seq)
  if (!event || !isChange(event)) return undefined
  if (event.type === 'COMPACTION') return `compaction by ${event.data.strategyId}`
  if (event.type !== 'CONTENT_EXPANDED') return `change at event ${event.seq}`
  const count = countRestored(event.data.edits)
  const put = event.data.edits.flatMap((edit) => edit.put)
  const back = put.flatMap((each) =>
    'keep' in each && typeof each.keep === 'string' ? [each.keep] : [],
  )
  const ref = back.find((id) => parseEntryId(id).original)
  if (count === 1 && ref !== undefined) return `bring back of ${ref}`
  return `bring back of ${count.toLocaleString('en-US')} entries`
}

/** The topmost undoable changes that changed nothing, newest first. */
async function emptyOnTop(
  core: AgentCore,
  threadId: string,
  stack: readonly number[],
): Promise<number[]> {
  const empty: number[] = []
  for (const seq of stack.toReversed()) {
    const event = await readEvent(core, threadId, seq)
    if (!event || !isChange(event) || event.data.edits.length > 0) return empty
    empty.push(seq)
  }
  return empty
}

async function readEvent(
  { ports: { store } }: AgentCore,
  threadId: string,
  seq: number,
): Promise<ThreadEvent | undefined> {
  const [row] = await store.read(threadId, { from: seq, to: seq })
  return row && readRow(row)
}

/** Opening the fresh one wrote nothing here, so going back means opening this one (FRESH-23). */
export async function formerSession(
  { ports }: AgentCore,
  threadId: string,
): Promise<{ readonly text: string; readonly threadId: string } | undefined> {
  for await (const { threadId: former, upTo } of listPastThreads(ports.store, threadId)) {
    const version = await readVersion(ports.threads, former)
    if (version === undefined) return undefined
    const asItWas = version === upTo ? ', as it was before /compact' : ''
    const text = `Back in the previous thread ${former}${asItWas}. /resume ${threadId} goes forward again.`
    return { text, threadId: former }
  }
  return undefined
}

/** Redo: the latest fresh session opened from this one. */
export async function nextSession(
  { ports }: AgentCore,
  threadId: string,
): Promise<{ readonly text: string; readonly threadId: string } | undefined> {
  for await (const { threadId: next } of listFreshThreads(ports.store, threadId))
    return { text: `Now in the thread ${next}. /undo goes back.`, threadId: next }
  return undefined
}

/** Undefined if it was deleted. */
async function readVersion(threads: Threads, threadId: string): Promise<number | undefined> {
  try {
    return (await threads.context(threadId)).version
  } catch (error) {
    if (PrecisError.is(error) && error.code === 'unknown-thread') return undefined
    throw error
  }
}
