// The view before and after one compaction, entry by entry and as a unified diff.
import { createTwoFilesPatch } from 'diff'
import type { EventAt } from '../../core/log/event.ts'
import type { Context } from '../../core/view/context.ts'
import type { CompactionDiff, DiffEntry } from '../../protocol/client.ts'
import { entryText } from './entry-text.ts'
import type { ViewsAround } from './reports.ts'

/** Texts that differ in more lines are told as taken out and put in. */
const MOST_CHANGES = 4_000

export function diffOf(around: ViewsAround): CompactionDiff {
  const { event, eventAt } = around
  const left = new Set(idsOf(around.after))
  const kept = new Set(idsOf(around.before).filter((id) => left.has(id)))
  const before = entriesOf(around.before, eventAt, kept, 'removed')
  const after = entriesOf(around.after, eventAt, kept, 'added')
  return { compaction: event.seq, before, after, unified: unified(before, after) }
}

function idsOf({ items }: Context): string[] {
  return items.toArray().map(({ id }) => id)
}

function entriesOf(
  { items }: Context,
  eventAt: EventAt,
  kept: ReadonlySet<string>,
  otherwise: 'removed' | 'added',
): DiffEntry[] {
  return items
    .toArray()
    .filter(({ kind }) => kind !== 'gap')
    .map((item) => ({
      ref: item.id,
      role: item.kind,
      text: entryText(item.id, eventAt),
      tokens: item.tokens,
      state: kept.has(item.id) ? 'kept' : otherwise,
    }))
}

function unified(before: readonly DiffEntry[], after: readonly DiffEntry[]): string {
  const [was, is] = [rendered(before), rendered(after)]
  return (
    createTwoFilesPatch('before', 'after', was, is, undefined, undefined, {
      maxEditLength: MOST_CHANGES,
    }) ?? byEntries(before, after)
  )
}

function rendered(entries: readonly DiffEntry[]): string {
  return entries.map((entry) => `${headOf(entry)}\n${entry.text}\n\n`).join('')
}

function headOf({ ref, role }: DiffEntry): string {
  return `[${ref} ${role}]`
}

/** Where the texts differ in too much to look for the least difference. Kept entries stay in order. */
function byEntries(before: readonly DiffEntry[], after: readonly DiffEntry[]): string {
  const lines: string[] = ['--- before', '+++ after', '@@ entries @@']
  let at = 0
  const put = (sign: string, entry: DiffEntry) => {
    for (const line of `${headOf(entry)}\n${entry.text}`.split('\n')) lines.push(`${sign}${line}`)
  }
  for (const entry of before) {
    if (entry.state === 'removed') {
      put('-', entry)
      continue
    }
    for (; at < after.length && after[at]?.ref !== entry.ref; at += 1) put('+', after[at] ?? entry)
    lines.push(` ${headOf(entry)}`)
    at += 1
  }
  for (const entry of after.slice(at)) put('+', entry)
  return `${lines.join('\n')}\n`
}
