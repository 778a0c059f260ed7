// The original events of a ref, read from the store
import type { EntryId } from '../core/edit/change.ts'
import { PrecisError } from '../core/errors.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import { isEntryId, parseEntryId } from '../core/view/entry.ts'
import { walkCovered } from '../core/view/refs.ts'
import type { LiveThread } from './live-thread.ts'

const ORIGINALS = 10_000
/** Rows are loaded by themselves: what follows an entry belongs to a context, not to a ref. */
const WITHOUT_TAIL = 0

export async function originalsOf(
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

/** Loads what it comes to, and no further than the limit. */
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

function unknownRef(ref: string): PrecisError {
  return new PrecisError('unknown-entry', `There is nothing under the ref ${ref}.`, {
    where: ref,
    hint: 'Refs mark removed content: [ref:e12]. A search also finds that content.',
  })
}
