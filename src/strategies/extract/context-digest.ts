// A digest of what a context shows, for those who have no log at hand.
import { bearsEntry, type EventAt } from '../../core/log/event.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import type { Context } from '../../core/view/context.ts'
import { newEntryAt, parseEntryId, rootOf } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { Digest } from './digest.ts'

/** Entries that were rewritten count as they were; of an earlier summary its text is all there is. */
export function contextDigest(context: Context, eventAt: EventAt): Digest {
  const digest = new Digest()
  for (const { id } of context.items) {
    const root = parseEntryId(rootOf(id, eventAt))
    if (!root.original) {
      const content = newEntryAt(id, eventAt)?.label === 'pins' ? undefined : contentOf(id, eventAt)
      if (content?.kind === 'user') digest.addSummary(textOfUserContent(content.content), id)
      if (content?.kind === 'answer') digest.addSummary(content.answer.content, id)
      continue
    }
    for (let seq = root.seq; ; seq += 1) {
      const event = eventAt(seq)
      if (event === undefined || (seq > root.seq && bearsEntry(event))) break
      digest.add(event)
    }
  }
  return digest
}
