// Validates drafts, pins and forks before they reach the log; reads a whole log.
import type { EntryId } from '../core/edit/change.ts'
import { PrecisError } from '../core/errors.ts'
import { readRow } from '../core/log/codec.ts'
import { type EventDraft, isChangeType, type PinData, type ThreadEvent } from '../core/log/event.ts'
import type { Store } from '../core/ports.ts'
import type { Context } from '../core/view/context.ts'

const IMPORT_DRAFTS = 1_000

const CALL_ROWS = 64

const READ_ROWS = 2_000

/** Only the gate and undo change a context: callers cannot append such events. */
export function requireOrdinary(drafts: readonly EventDraft[]): void {
  if (!Array.isArray(drafts))
    throw new PrecisError('invalid-input', 'Drafts must be an array.', {
      hint: 'Nothing was appended. Pass an array, also for a single draft: [{ type, data }].',
    })
  for (const draft of drafts) requireDraft(draft)
}

function requireDraft(draft: EventDraft): void {
  if (typeof draft !== 'object' || draft === null)
    throw new PrecisError('invalid-input', 'A draft is an object with `type` and `data`.', {
      hint: 'Nothing was appended. Types of events and their data: docs/log-format.md.',
    })
  if (isChangeType(draft.type))
    throw new PrecisError('invalid-input', `A ${draft.type} cannot be appended by hand.`, {
      where: draft.type,
      hint: 'Use compact, undo, redo or expand: they pass the gate.',
    })
}

export function requirePin({ entries = [], text }: Omit<PinData, 'pinId'>): void {
  if (entries.length > 0 || (text ?? '').trim() !== '') return
  throw new PrecisError('invalid-input', 'A pin needs entries or a text.', {
    hint: 'Name entries of the context, or give the text to keep.',
  })
}

export function requireVisible(context: Context, entries: readonly EntryId[]): void {
  const visible = new Set(context.items.toArray().map((item) => item.id))
  const missing = entries.find((id) => !visible.has(id))
  if (missing !== undefined)
    throw new PrecisError(
      'unknown-entry',
      `${missing} is not in the context, so it cannot be pinned.`,
      {
        where: missing,
        hint: 'Expand it first, or pin its text.',
      },
    )
}

/** An answer and its calls were appended together: a cut between them moves after the last call. */
export async function wholeAppend(store: Store, threadId: string, seq: number): Promise<number> {
  let at = seq
  for (;;) {
    const rows = await store.read(threadId, { from: at + 1, limit: CALL_ROWS })
    const others = rows.findIndex((row) => row.type !== 'TOOL_CALL')
    if (others >= 0) return at + others
    at += rows.length
    if (rows.length < CALL_ROWS) return at
  }
}

export function* batches(drafts: readonly EventDraft[]): Generator<readonly EventDraft[]> {
  let from = 0
  while (from < drafts.length) {
    let to = Math.min(from + IMPORT_DRAFTS, drafts.length)
    while (drafts[to]?.type === 'TOOL_CALL') to += 1
    yield drafts.slice(from, to)
    from = to
  }
}

export async function readAll(store: Store, threadId: string): Promise<ThreadEvent[]> {
  const events: ThreadEvent[] = []
  for (;;) {
    const rows = await store.read(threadId, { from: events.length + 1, limit: READ_ROWS })
    for (const row of rows) events.push(readRow(row))
    if (rows.length < READ_ROWS) return events
  }
}
