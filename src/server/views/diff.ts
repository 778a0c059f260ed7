// The view before and after one compaction, entry by entry and as a unified diff.

import { createTwoFilesPatch } from 'diff'
import type { EntryId } from '../../core/edit/change.ts'
import { reasonsIn } from '../../core/edit/report.ts'
import type { EventAt } from '../../core/log/event.ts'
import { callInWords, partInWords } from '../../core/repair/result-content.ts'
import type { Context } from '../../core/view/context.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { blockCaption } from '../../core/view/image-caption.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import type { DiffEntry, ViewDiff } from '../../protocol/client.ts'
import { tokenScale } from './entry-places.ts'
import { findPieces, pairUp } from './paired.ts'
import type { ViewsAround } from './reports.ts'

/** Texts with more differing lines are shown as removed and added. */
const MOST_CHANGES = 4_000

export function computeDiff(around: ViewsAround): ViewDiff {
  const { event, eventAt } = around
  const left = new Set(readIds(around.after))
  const kept = new Set(readIds(around.before).filter((id) => left.has(id)))
  const counted = tokenScale(around.before)
  const known = { eventAt, kept, counted }
  const reasons = reasonsIn(event.data.metadata)
  const before = readEntries(around.before, known, 'removed').map((entry) =>
    entry.state === 'kept'
      ? entry
      : { ...entry, why: reasons.get(entry.ref as EntryId) ?? event.data.strategyId },
  )
  const after = readEntries(around.after, known, 'added')
  const changes = pairUp(before, after, findPieces(event.data.edits, event.seq))
  return { compaction: event.seq, before, after, changes, unified: unified(before, after) }
}

function readIds({ items }: Context): string[] {
  return items.toArray().map(({ id }) => id)
}

interface DiffSource {
  readonly eventAt: EventAt
  readonly kept: ReadonlySet<string>
  counted(tokens: number): number
}

function readEntries(
  { items }: Context,
  { eventAt, kept, counted }: DiffSource,
  otherwise: 'removed' | 'added',
): DiffEntry[] {
  return items
    .toArray()
    .filter(({ kind }) => kind !== 'gap')
    .map((item) => ({
      ref: item.id,
      role: item.kind,
      text: entryText(item.id, eventAt),
      tokens: counted(item.tokens),
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
  return entries.map((entry) => `${readHead(entry)}\n${entry.text}\n\n`).join('')
}

function readHead({ ref, role }: DiffEntry): string {
  return `[${ref} ${role}]`
}

/** For texts that differ too much for a minimal diff. Kept entries stay in order. */
function byEntries(before: readonly DiffEntry[], after: readonly DiffEntry[]): string {
  const lines: string[] = ['--- before', '+++ after', '@@ entries @@']
  let at = 0
  const put = (sign: string, entry: DiffEntry) => {
    for (const line of `${readHead(entry)}\n${entry.text}`.split('\n')) lines.push(`${sign}${line}`)
  }
  for (const entry of before) {
    if (entry.state === 'removed') {
      put('-', entry)
      continue
    }
    for (; at < after.length && after[at]?.ref !== entry.ref; at += 1) put('+', after[at] ?? entry)
    lines.push(` ${readHead(entry)}`)
    at += 1
  }
  for (const entry of after.slice(at)) put('+', entry)
  return `${lines.join('\n')}\n`
}

/** Limit for one entry; read the whole by its ref. */
const ENTRY_CHARS = 20_000

/** The readable text of a context entry. */
export function entryText(id: EntryId, eventAt: EventAt, mostChars = ENTRY_CHARS): string {
  const text = wholeText(id, eventAt)
  return text.length <= mostChars ? text : `${cutHead(text, mostChars)}\n[… ref:${id}]`
}

function wholeText(id: EntryId, eventAt: EventAt): string {
  const content = contentOf(id, eventAt)
  switch (content?.kind) {
    case 'user':
      if (typeof content.content === 'string') return content.content
      return content.content
        .map((part) => (part.type === 'tool_call' ? '' : partInWords(part)))
        .join('\n')
    case 'answer': {
      const calls = content.calls.map(({ id: callId, name, arguments: given }) =>
        callInWords({ type: 'tool_call', id: callId, name, arguments: given }),
      )
      return [content.answer.content, ...calls].filter(Boolean).join('\n')
    }
    case 'result':
      return content.result.content.map((block) => block.text ?? blockCaption(block)).join('\n')
    case 'reminder':
      return content.text
    case 'checkpoint':
      return content.id
    default:
      return ''
  }
}
