// What a ref stands for: the original events, read from the store.
import type { EntryId } from '../core/change.ts'
import { isEntryId, parseEntryId } from '../core/entry.ts'
import { PrecisError } from '../core/errors.ts'
import { isChange, type ThreadEvent } from '../core/event.ts'
import { covered } from '../core/refs.ts'
import type { LiveThread } from './live-thread.ts'

const ORIGINALS = 10_000

export async function originalsOf(
  thread: LiveThread,
  ref: EntryId,
  limit = ORIGINALS,
): Promise<ThreadEvent[]> {
  if (!isEntryId(ref) || parseEntryId(ref).seq > thread.context.version) throw unknownRef(ref)
  await loadCovered(thread, [ref])
  const events = covered(ref, thread.rows.eventAt)
    .slice(0, limit)
    .map((id) => thread.rows.eventAt(parseEntryId(id).seq))
    .filter((event) => event !== undefined)
  if (events.length === 0 && parseEntryId(ref).original) throw unknownRef(ref)
  return events
}

/** Level by level: a summary may cover summaries. Each level is older than the one before. */
async function loadCovered(thread: LiveThread, refs: readonly EntryId[]): Promise<void> {
  const { rows, context } = thread
  let level = refs
  while (level.length > 0) {
    await rows.loadEntries(level, context.version)
    const next: EntryId[] = []
    for (const id of level) {
      const event = id.startsWith('c') ? rows.eventAt(parseEntryId(id).seq) : undefined
      if (!event || !isChange(event)) continue
      await rows.loadEdits(event.data.edits, context.version)
      const runs = event.data.edits.flatMap((edit) => edit.covers)
      next.push(
        ...runs.filter((run) => typeof run === 'string').filter((run) => run.startsWith('c')),
      )
    }
    level = next
  }
}

function unknownRef(ref: string): PrecisError {
  return new PrecisError('unknown-entry', `There is nothing under the ref ${ref}.`, { where: ref })
}
