// Undo, redo and expand of a thread: load the originals, then append one event
import type { EntryId } from '../core/edit/change.ts'
import { expand, type ReversalDraft, redo, undo } from '../core/edit/reverse.ts'
import {
  abortedResult,
  EVENT_VERSION,
  type EventDraft,
  isChange,
  type ThreadEvent,
} from '../core/log/event.ts'
import { foldEvent } from '../core/view/context.ts'
import type { LiveThread } from './live-thread.ts'

export function undoThread(thread: LiveThread, target?: number): Promise<ThreadEvent> {
  return reverse(thread, () => {
    const seq = target ?? thread.context.stack.at(-1)
    const later = thread.context.stack.filter((change) => seq !== undefined && change >= seq)
    return { changes: later, draft: () => undo(thread.context, thread.rows.eventAt, target) }
  })
}

export function redoThread(thread: LiveThread, target?: number): Promise<ThreadEvent> {
  return reverse(thread, () => {
    const seq = target ?? thread.context.undone.at(-1)
    const later = thread.context.stack.filter((change) => seq !== undefined && change > seq)
    const changes = seq === undefined ? [] : [seq, ...later]
    return { changes, draft: () => redo(thread.context, thread.rows.eventAt, target) }
  })
}

export function expandThread(thread: LiveThread, ref: EntryId): Promise<ThreadEvent> {
  return reverse(thread, () => ({
    changes: [...new Set([...thread.context.active, ...thread.context.stack])],
    draft: () => expand(thread.context, thread.rows.eventAt, ref),
  }))
}

interface Reversing {
  readonly changes: readonly number[] // events that say what to bring back, and what might cover it
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

/** Calls that come back open will never be answered: they are closed in the same append. */
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
  return [...after.open].filter((call) => !thread.context.open.has(call)).map(abortedResult)
}
