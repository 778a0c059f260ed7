// A compaction recorded by another tool, as a proposal for the context it was made in.
import type { Edit, EntryId, NewEntry, Put } from '../../core/edit/change.ts'
import type { Proposal } from '../../core/edit/strategy.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { Context } from '../../core/view/context.ts'
import { type Item, parseEntryId } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import { openRoundStart, roundsOf } from '../../core/view/seam.ts'
import type { RecordedChange } from '../session-format.ts'

/**
 * One edit over everything: what the tool added, then what it kept. If a tool kept half a round, the whole
 * round is kept, since a call and its result must stay together.
 */
export function recordedProposal(
  recorded: RecordedChange,
  context: Context,
  eventAt: EventAt,
  idOf: (name: string) => EntryId | undefined,
): Proposal {
  const { usage, metadata } = recorded
  const facts = { metadata, ...(usage && { usage }) }
  const items = context.items.toArray()
  if (recorded.blanks) return { edits: blanked(recorded.blanks, items, eventAt), ...facts }
  const indexOf = indexItems(items, idOf)
  const puts = placedPuts(recorded, items, indexOf, eventAt)
  const kept = keptItems(puts, recorded, items, context, indexOf)
  const openStart = openRoundStart(items, context.open)
  // An open round stays unchanged, or ends if it is removed.
  const staysOpen = openStart < items.length && kept.has(openStart)
  const end = staysOpen ? openStart : items.length
  const covered = items.slice(0, end)
  if (covered.length === 0) return { edits: [], ...facts }
  const edit = {
    covers: runsOf(covered, eventAt),
    put: collectPuts(puts, items, end, kept, eventAt),
  }
  return {
    edits: [edit],
    ...(!staysOpen && context.open.size > 0 && { closes: [...context.open] }),
    ...facts,
  }
}

/** Replaces a result a tool cleared without a note. */
const CLEARED = '[cleared: an old tool result]'

function blanked(calls: readonly string[], items: readonly Item[], eventAt: EventAt): Edit[] {
  const wanted = new Set(calls)
  return items.flatMap((item): Edit[] => {
    const call = item.kind === 'result' ? item.calls?.[0] : undefined
    if (call === undefined || !wanted.has(call)) return []
    const was = contentOf(item.id, eventAt)
    if (was?.kind !== 'result') return []
    const data = { ...was.result, content: [{ type: 'text' as const, text: CLEARED }] }
    const put = { type: 'TOOL_RESULT' as const, data, label: 'masked' as const, of: item.id }
    return [{ covers: [item.id], put: [put] }]
  })
}

type IndexOf = (name: string) => number | undefined

/** The place of an entry in the context, by the file's name for it. */
function indexItems(items: readonly Item[], idOf: (name: string) => EntryId | undefined): IndexOf {
  const at = new Map(items.map((item, index) => [item.id, index]))
  return (name) => {
    const id = idOf(name)
    return id === undefined ? undefined : at.get(id)
  }
}

/** A new entry, or the index of a kept one. */
type PutOrPlace = NewEntry | { readonly at: number }

function placedPuts(
  { put }: RecordedChange,
  items: readonly Item[],
  indexOf: IndexOf,
  eventAt: EventAt,
): PutOrPlace[] {
  return put.flatMap((entry): PutOrPlace[] => {
    const at = 'keep' in entry ? indexOf(entry.keep) : indexOfWords(entry, items, eventAt)
    if (at !== undefined) return [{ at }]
    const made = 'keep' in entry ? entry.or : entry
    return made ? [made] : []
  })
}

/**
 * Several formats start a context with a summary. If it starts with a user message instead, that is written
 * in the summary's place and is the user's again when read.
 */
function indexOfWords(
  { type, data, label }: NewEntry,
  items: readonly Item[],
  eventAt: EventAt,
): number | undefined {
  if (type !== 'USER_MESSAGE' || label !== 'summary') return undefined
  const at = items.findIndex((item) => {
    const id = item.kind === 'user' ? parseEntryId(item.id) : undefined
    return id?.original && eventAt(id.seq)?.data === data
  })
  return at < 0 ? undefined : at
}

/** Indices of what stays, extended to whole rounds. */
function keptItems(
  puts: readonly PutOrPlace[],
  { keepFrom }: RecordedChange,
  items: readonly Item[],
  context: Context,
  indexOf: IndexOf,
): Set<number> {
  const kept = new Set(puts.flatMap((put) => ('at' in put ? [put.at] : [])))
  const from = keepFrom === undefined ? undefined : indexOf(keepFrom)
  for (let index = from ?? items.length; index < items.length; index += 1) kept.add(index)
  for (const { start, results } of roundsOf(items, context.open)) {
    const round = [start, ...[...results.values()].flat()]
    if (round.some((index) => kept.has(index))) for (const index of round) kept.add(index)
  }
  return kept
}

/** New entries precede the next kept one the tool named after them. */
function collectPuts(
  placed: readonly PutOrPlace[],
  items: readonly Item[],
  end: number,
  kept: ReadonlySet<number>,
  eventAt: EventAt,
): Put[] {
  const puts: Put[] = []
  let next = 0
  const keepUpTo = (limit: number) => {
    const staying = items.slice(next, limit).filter((_, offset) => kept.has(next + offset))
    for (const run of runsOf(staying, eventAt)) puts.push({ keep: run })
    next = Math.max(next, limit)
  }
  for (const put of placed) {
    if ('at' in put) keepUpTo(Math.min(end, put.at + 1))
    else puts.push(put)
  }
  keepUpTo(end)
  const isAll = kept.size === end && puts.every((entry) => 'keep' in entry)
  return isAll || puts.some((entry) => !('keep' in entry)) ? puts : [{ gap: true }, ...puts]
}
