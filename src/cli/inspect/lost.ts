// What each compaction in a log replaced, with the files it no longer names
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { ledgerFiles } from '../../core/ledger/ledger-lines.ts'
import type { EventAt, EventOf, ThreadEvent } from '../../core/log/event.ts'
import type { Json } from '../../core/text/json.ts'
import { buildMessages } from '../../core/view/build.ts'
import { type Context, emptyContext, foldEvent, weightOf } from '../../core/view/context.ts'
import type { EntryKind } from '../../core/view/entry.ts'
import { compare, sideAt } from '../threads/difference.ts'

export interface Losses {
  readonly seq: number
  readonly at: string
  readonly strategyId: string
  readonly by: string // the tool that recorded it, or précis
  readonly inForce: boolean
  readonly before: number // estimated tokens
  readonly after: number
  /** Entries that are no longer there as they were, by kind. */
  readonly replaced: Readonly<Partial<Record<EntryKind, number>>>
  /** Files that the session had read or changed by then, and how many the context still names. */
  readonly files: {
    readonly known: number
    readonly named: number
    readonly lost: readonly string[]
  }
}

const LOST_FILES = 20

/**
 * `ownStrategy` made the file what it is, where that was précis. The record of it is the last one, and
 * what the file says behind it is what the compaction kept.
 */
export function lostByCompactions(events: readonly ThreadEvent[], ownStrategy?: string): Losses[] {
  const eventAt: EventAt = (seq) => events[seq - 1]
  if (!events.some(({ type }) => type === 'COMPACTION')) return []
  const last = events.reduce((context, event) => foldEvent(context, event, eventAt), emptyContext())
  const written = ownStrategy === undefined ? undefined : events.findLast(isCompaction)?.seq
  const lost: Losses[] = []
  let context = emptyContext()
  let ledger = ledgerReducer.init()
  for (const event of events) {
    const before = context
    context = foldEvent(context, event, eventAt)
    ledger = ledgerReducer.step(ledger, event)
    if (!isCompaction(event)) continue
    const isOurs = event.seq === written
    const after = isOurs ? last : context
    const paths = ledgerFiles(ledger).map(({ path }) => path)
    lost.push({
      seq: event.seq,
      at: event.timestamp.toISOString(),
      strategyId: (isOurs && ownStrategy) || event.data.strategyId,
      by: isOurs ? 'precis' : recorderOf(event),
      inForce: last.active.includes(event.seq),
      before: weightOf(before),
      after: weightOf(after),
      replaced: isOurs ? reworded(events, event.seq) : replacedIn(before, after),
      files: filesIn(paths, after, eventAt),
    })
  }
  return lost
}

function isCompaction(event: ThreadEvent): event is EventOf<'COMPACTION'> {
  return event.type === 'COMPACTION'
}

function recorderOf({ data }: EventOf<'COMPACTION'>): string {
  const { metadata, trigger } = data
  const format = trigger === 'import' ? fieldOf(metadata, 'format') : undefined
  return typeof format === 'string' ? format : 'precis'
}

function fieldOf(json: Json | undefined, name: string): Json | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  return (json as { readonly [key: string]: Json })[name]
}

function replacedIn(before: Context, after: Context): Partial<Record<EntryKind, number>> {
  const there = new Set([...after.items].map(({ id }) => id))
  const counts: Partial<Record<EntryKind, number>> = {}
  for (const { id, kind } of before.items)
    if (kind !== 'gap' && !there.has(id)) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** A file repeats what stays: what counts is what it says, not where. */
function reworded(events: readonly ThreadEvent[], seq: number): Losses['replaced'] {
  const counts: Partial<Record<EntryKind, number>> = {}
  const { lines } = compare(sideAt(events, seq - 1, 'before'), sideAt(events, events.length, 'now'))
  for (const { sign, kind } of lines) if (sign === '-') counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function filesIn(paths: readonly string[], context: Context, eventAt: EventAt): Losses['files'] {
  const text = JSON.stringify(buildMessages(context, eventAt).messages)
  const lost = paths.filter((path) => !text.includes(nameIn(path)))
  return { known: paths.length, named: paths.length - lost.length, lost: lost.slice(0, LOST_FILES) }
}

/** A summary may call a file by the end of its path. */
function nameIn(path: string): string {
  const [file = path] = path.split('/').slice(-1)
  return JSON.stringify(file).slice(1, -1)
}
