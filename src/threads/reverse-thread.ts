// Undo, redo and expand of threads: load the originals, then append one event; a fresh session leads back and forth
import type { EntryId } from '../core/edit/change.ts'
import { expandAlone, expandWhole } from '../core/edit/expand-alone.ts'
import { expand, type ReversalDraft, redo, undo } from '../core/edit/reverse.ts'
import { PrecisError } from '../core/errors.ts'
import {
  EVENT_VERSION,
  type EventDraft,
  isChange,
  type NewEventOf,
  type ThreadEvent,
  undoneResult,
} from '../core/log/event.ts'
import { foldEvent } from '../core/view/context.ts'
import { isEntryId, parseEntryId } from '../core/view/entry.ts'
import { walkCovered } from '../core/view/refs.ts'
import { wholeAppend } from './draft-checks.ts'
import type { LiveThread } from './live-thread.ts'
import type { OpenThreads } from './open-threads.ts'
import { listFreshThreads, listPastThreads } from './past-threads.ts'

function undoThread(thread: LiveThread, target?: number): Promise<ThreadEvent> {
  return reverse(thread, () => {
    const seq = target ?? thread.context.stack.at(-1)
    const later = thread.context.stack.filter((change) => seq !== undefined && change >= seq)
    return { changes: later, draft: () => undo(thread.context, thread.rows.eventAt, target) }
  })
}

function redoThread(thread: LiveThread, target?: number): Promise<ThreadEvent> {
  return reverse(thread, () => {
    const seq = target ?? thread.context.undone.at(-1)
    const later = thread.context.stack.filter((change) => seq !== undefined && change > seq)
    const changes = seq === undefined ? [] : [seq, ...later]
    return { changes, draft: () => redo(thread.context, thread.rows.eventAt, target) }
  })
}

export interface ExpandOptions {
  /** Restores an original without the others the same text replaced. */
  readonly isAlone?: boolean
}

function expandThread(
  thread: LiveThread,
  ref: EntryId,
  { isAlone = false }: ExpandOptions,
): Promise<ThreadEvent> {
  const isMade = isEntryId(ref) && !parseEntryId(ref).original
  const draft = isMade ? expandWhole : isAlone ? expandAlone : expand
  return reverse(thread, () => ({
    changes: [...new Set([...thread.context.active, ...thread.context.stack])],
    draft: () => draft(thread.context, thread.rows.eventAt, ref),
  }))
}

interface Reversing {
  readonly changes: readonly number[] // events that say what to restore, and what may cover it
  draft(): ReversalDraft
}

async function reverse(thread: LiveThread, plan: () => Reversing): Promise<ThreadEvent> {
  const events = await thread.append(async () => {
    await thread.refresh()
    await thread.loadContext()
    const { changes, draft } = plan()
    await loadChanges(thread, changes)
    const reversal = draft()
    await thread.rows.loadEdits(reversal.data.edits, thread.context.version)
    return [reversal, ...reopened(thread, reversal)]
  }, 'leave')
  return events[0] as ThreadEvent
}

async function loadChanges(thread: LiveThread, seqs: readonly number[]): Promise<void> {
  const { rows, context } = thread
  await rows.loadSeqs(seqs, 0)
  const known = seqs.map(rows.eventAt).filter((event) => event !== undefined && isChange(event))
  for (const event of known) {
    if (!event || !isChange(event)) continue
    await rows.loadEdits(event.data.inverse, context.version)
    const root = 'of' in event.data ? event.data.of : undefined
    if (root !== undefined) await rows.loadSeqs([root], 0)
  }
}

/** Restored open calls will never be answered, so the same append closes them. */
function reopened(thread: LiveThread, reversal: ReversalDraft): EventDraft[] {
  const seq = thread.context.version + 1
  const event = {
    ...reversal,
    v: EVENT_VERSION,
    id: 'preview',
    threadId: thread.id,
    seq,
    timestamp: new Date(0),
  } as ThreadEvent
  const after = foldEvent(thread.context, event, thread.rows.eventAt)
  return [...after.open].filter((call) => !thread.context.open.has(call)).map(undoneResult)
}

const ORIGINALS = 10_000
/** Loads only the rows themselves: following events belong to a context, not to a ref. */
const WITHOUT_TAIL = 0

/** The original events of a ref, read from the store. */
export async function readOriginals(
  thread: LiveThread,
  ref: EntryId,
  limit = ORIGINALS,
): Promise<ThreadEvent[]> {
  if (!isEntryId(ref) || parseEntryId(ref).seq > thread.context.version) throw unknownRef(ref)
  const seqs = await coveredSeqs(thread, ref, limit)
  await thread.rows.loadSeqs(seqs, WITHOUT_TAIL)
  const events = seqs.map(thread.rows.eventAt).filter((event) => event !== undefined)
  if (events.length === 0 && seqs.length > 0 && parseEntryId(ref).original) throw unknownRef(ref)
  return events
}

/** Loads what it covers, up to the limit. */
async function coveredSeqs(thread: LiveThread, ref: EntryId, limit: number): Promise<number[]> {
  const seqs: number[] = []
  if (limit <= 0) return seqs
  for (const step of walkCovered(ref, thread.rows.eventAt)) {
    if (typeof step === 'string') {
      seqs.push(parseEntryId(step).seq)
      if (seqs.length >= limit) break
    } else {
      const rows = Array.from({ length: step.to - step.from + 1 }, (_, at) => step.from + at)
      await thread.rows.loadSeqs(rows, WITHOUT_TAIL)
    }
  }
  return seqs
}

export function unknownRef(ref: string): PrecisError {
  return new PrecisError('unknown-entry', `There is nothing under the ref ${ref}.`, {
    where: ref,
    hint: 'Refs mark removed content: [ref:e12]. A search also finds that content.',
  })
}

/** Forking and deleting threads. */
export function branching(threads: OpenThreads) {
  const { store, ids, clock, fold } = threads.ports
  return {
    fork: (threadId: string, seq?: number): Promise<string> =>
      threads.on(threadId, async (thread) => {
        const at = await wholeAppend(store, threadId, seq ?? thread.context.version)
        const forkId = ids.next('thr')
        const started: NewEventOf<'THREAD_STARTED'> = {
          v: EVENT_VERSION,
          id: ids.next('evt'),
          threadId: forkId,
          timestamp: clock.now(),
          type: 'THREAD_STARTED',
          data: { from: { threadId, seq: at }, reason: 'fork' },
        }
        // A fork of the present copies its context; one of the past is replayed when opened.
        const state =
          at === thread.context.version
            ? fold.step(thread.state, { ...started, seq: at + 1 }, thread.rows.eventAt)
            : undefined
        await store.fork(threadId, at, forkId, [started], {
          ...(state && { snapshot: fold.encode(state) }),
        })
        return forkId
      }),
    async delete(threadId: string): Promise<boolean> {
      threads.forget(threadId)
      return store.delete(threadId)
    },
  }
}

export function reversing(threads: OpenThreads) {
  return {
    undo: (threadId: string, target?: number) =>
      threads
        .on(threadId, (thread) => undoThread(thread, target))
        .catch((thrown: unknown) => pointBack(threads, threadId, thrown)),
    redo: (threadId: string, target?: number) =>
      threads
        .on(threadId, (thread) => redoThread(thread, target))
        .catch((thrown: unknown) => pointForth(threads, threadId, thrown)),
    expand: (threadId: string, ref: EntryId, options: ExpandOptions = {}) =>
      threads.on(threadId, (thread) => expandThread(thread, ref, options)),
  }
}

/** A fresh session has nothing to undo: its origin is unchanged. */
async function pointBack(
  { ports }: OpenThreads,
  threadId: string,
  thrown: unknown,
): Promise<never> {
  if (!PrecisError.is(thrown) || thrown.code !== 'nothing-to-undo') throw thrown
  for await (const { threadId: former } of listPastThreads(ports.store, threadId))
    throw new PrecisError(
      'nothing-to-undo',
      `There is no compaction to undo: this thread began with a summary of ${former}, which has not changed.`,
      { where: former, hint: `Continue there: /resume ${former}, or precis chat ${former}.` },
    )
  throw thrown
}

/** Nothing was written to the former session, so redo leads forth to the fresh one. */
async function pointForth(
  { ports }: OpenThreads,
  threadId: string,
  thrown: unknown,
): Promise<never> {
  if (!PrecisError.is(thrown) || thrown.code !== 'nothing-to-redo') throw thrown
  for await (const { threadId: next } of listFreshThreads(ports.store, threadId))
    throw new PrecisError(
      'nothing-to-redo',
      `There is no compaction to redo: thread ${next} continues this one with a summary.`,
      { where: next, hint: `Continue there: /resume ${next}, or precis chat ${next}.` },
    )
  throw thrown
}
