// The view before and after one compaction, entry by entry and as a unified diff.
import { createTwoFilesPatch } from 'diff'
import type { CompactionPreview } from '../../agent/compaction/preview.ts'
import type { EntryId } from '../../core/edit/change.ts'
import { type Pins, pinsReducer } from '../../core/edit/pins.ts'
import { reportCompaction } from '../../core/edit/report.ts'
import { renderReport } from '../../core/edit/report-text.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import {
  EVENT_VERSION,
  type EventAt,
  type EventOf,
  type ThreadEvent,
} from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import { blockCaption, callInWords, partInWords } from '../../core/repair/result-content.ts'
import { type Context, foldEvent } from '../../core/view/context.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { reducedBy, threadFold } from '../../core/view/thread-state.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import type { CompactionDiff, DiffEntry } from '../../protocol/client.ts'

/** Texts that differ in more lines are told as taken out and put in. */
const MOST_CHANGES = 4_000

export function computeDiff(around: ViewsAround): CompactionDiff {
  const { event, eventAt } = around
  const left = new Set(readIds(around.after))
  const kept = new Set(readIds(around.before).filter((id) => left.has(id)))
  const before = readEntries(around.before, eventAt, kept, 'removed')
  const after = readEntries(around.after, eventAt, kept, 'added')
  return { compaction: event.seq, before, after, unified: unified(before, after) }
}

function readIds({ items }: Context): string[] {
  return items.toArray().map(({ id }) => id)
}

function readEntries(
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
  return entries.map((entry) => `${readHead(entry)}\n${entry.text}\n\n`).join('')
}

function readHead({ ref, role }: DiffEntry): string {
  return `[${ref} ${role}]`
}

/** Where the texts differ in too much to look for the least difference. Kept entries stay in order. */
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

/** Of one entry; the whole can be read by its ref. */
const ENTRY_CHARS = 20_000

/** The text of a context entry, for people */
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

// The report of a compaction, computed from the log on demand

/** The two views that stand around one compaction. */
interface ViewsAround {
  readonly event: EventOf<'COMPACTION'>
  readonly before: Context
  readonly after: Context
  readonly eventAt: EventAt
  readonly pins: Pins
}

const PAGE_ROWS = 2_000

/** Folds the log up to it. Throws if there is no compaction of this number. */
export async function aroundCompaction(
  store: Pick<Store, 'read'>,
  threadId: string,
  seq: number,
): Promise<ViewsAround> {
  const fold = threadFold([pinsReducer as Parameters<typeof threadFold>[0][number]])
  const events: ThreadEvent[] = []
  const eventAt: EventAt = (at) => events[at - 1]
  let state = fold.init()
  let before = state
  for (;;) {
    const from = events.length + 1
    const rows = await store.read(threadId, { from, to: seq, limit: PAGE_ROWS })
    for (const event of rows.map(readRow)) {
      events.push(event)
      before = state
      state = fold.step(state, event, eventAt)
    }
    if (rows.length < PAGE_ROWS) break
  }
  const event = eventAt(seq)
  if (event?.type !== 'COMPACTION') throw noCompaction(threadId, seq)
  const { context: after } = state
  const pins = reducedBy(before, pinsReducer)
  return { event, before: before.context, after, eventAt, pins }
}

export function buildReport({ event, before, after, eventAt, pins }: ViewsAround): string {
  return renderReport(reportCompaction({ before, after, eventAt, change: event.data, pins }))
}

export function previewReport(preview: CompactionPreview): string {
  const { prepared, context, eventAt, pins, change } = preview
  const { strategyId, runId } = prepared
  if (!change)
    return `${strategyId}: the conversation goes on in a new thread, opened by the summary.`
  if (change.edits.length === 0) return `${strategyId}: there is nothing to compact.`
  const seq = context.version + 1
  const event: EventOf<'COMPACTION'> = {
    v: EVENT_VERSION,
    id: runId,
    threadId: '',
    seq,
    timestamp: new Date(0),
    type: 'COMPACTION',
    data: { ...change, originalEventCount: 0, compactedEventCount: 0 },
  }
  const withEvent: EventAt = (at) => (at === seq ? event : eventAt(at))
  const after = foldEvent(context, event, withEvent)
  return renderReport(
    reportCompaction({ before: context, after, eventAt: withEvent, change: event.data, pins }),
  )
}

function noCompaction(threadId: string, seq: number): PrecisError {
  return new PrecisError('not-found', `Event ${seq} of ${threadId} is not a compaction.`, {
    where: threadId,
    hint: 'Use the sequence number of a COMPACTION event.',
  })
}
