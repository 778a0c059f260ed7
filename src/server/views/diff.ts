// The view before and after one compaction, entry by entry and as a unified diff.

import { createTwoFilesPatch } from 'diff'
import type { PreviewedProposal } from '../../agent/compaction/preview.ts'
import type { EntryId } from '../../core/edit/change.ts'
import { type Pins, pinsReducer } from '../../core/edit/pins.ts'
import { reasonsIn, reportCompaction } from '../../core/edit/report.ts'
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
import { callInWords, partInWords } from '../../core/repair/result-content.ts'
import { type Context, foldEvent } from '../../core/view/context.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { blockCaption } from '../../core/view/images.ts'
import { reducedBy, threadFold } from '../../core/view/thread-state.ts'
import { cutHead } from '../../core/window/tokens/weigh.ts'
import type { DiffEntry, ReportFigures, ViewDiff } from '../../protocol/client.ts'
import { tokenScale } from './entry-places.ts'
import { findPieces, pairUp } from './paired.ts'
import { addedPins, figuresOf, inWindow } from './thread-summary.ts'

/** Texts that differ in more lines are told as taken out and put in. */
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
  /** Those that it added are the last. */
  readonly pins: Pins
  readonly addedPins: number
}

const PAGE_ROWS = 2_000
/** More pins than one compaction may find. */
const FOLLOWING_ROWS = 200

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
  const following = await store.read(threadId, { from: seq + 1, limit: FOLLOWING_ROWS })
  const added = addedPins(following.map(readRow), event.data.runId)
  const pins = [...reducedBy(before, pinsReducer), ...added]
  return { event, before: before.context, after, eventAt, pins, addedPins: added.length }
}

/** Its report in words, and in figures on the base of the window's own. */
export function buildReport(around: ViewsAround): { text: string; figures: ReportFigures } {
  const { event, before, after, eventAt, pins } = around
  const report = reportCompaction({ before, after, eventAt, change: event.data, pins })
  const figures = figuresOf({ before, after, report, pins, addedPins: around.addedPins })
  return { text: renderReport(inWindow(report, before, figures)), figures }
}

interface PreviewReport {
  readonly text: string
  readonly figures?: ReportFigures
}

export function previewReport(preview: PreviewedProposal): PreviewReport {
  const around = aroundPreview(preview)
  const { strategyId } = preview.prepared
  if (!around)
    return {
      text: `${strategyId}: the conversation continues in a new thread that starts with the summary.`,
    }
  const built = buildReport(around)
  return preview.change?.edits.length === 0
    ? { ...built, text: `${strategyId}: there is nothing to compact.` }
    : built
}

/** The two views around a compaction as it would be; undefined where a new thread would begin. */
export function aroundPreview(preview: PreviewedProposal): ViewsAround | undefined {
  const { prepared, context, eventAt, pins, change } = preview
  if (!change) return undefined
  const { runId } = prepared
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
  return {
    event,
    before: context,
    after,
    eventAt: withEvent,
    pins,
    addedPins: prepared.pins?.length ?? 0,
  }
}

function noCompaction(threadId: string, seq: number): PrecisError {
  return new PrecisError('not-found', `Event ${seq} of ${threadId} is not a compaction.`, {
    where: threadId,
    hint: 'Use the sequence number of a COMPACTION event.',
  })
}
