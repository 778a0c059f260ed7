// A compaction that another tool recorded, as a proposal for the context it was made in.
import type { Edit, EntryId, Put } from '../core/change.ts'
import type { Context } from '../core/context.ts'
import type { Item } from '../core/entry.ts'
import { contentOf } from '../core/entry-content.ts'
import type { EventAt } from '../core/event.ts'
import { runsOf } from '../core/run.ts'
import { openRoundStart, roundsOf } from '../core/seam.ts'
import type { Proposal } from '../core/strategy.ts'
import type { RecordedCompaction } from './session-format.ts'

/**
 * One edit over everything: what the tool put, then what it kept. A tool may have kept half a round; the
 * whole round is kept then, since a call and its result cannot be parted.
 */
export function recordedProposal(
  recorded: RecordedCompaction,
  context: Context,
  eventAt: EventAt,
  idOf: (name: string) => EntryId | undefined,
): Proposal {
  const { usage, metadata } = recorded
  const facts = { metadata, ...(usage && { usage }) }
  const items = context.items.toArray()
  if (recorded.blanks) return { edits: blanked(recorded.blanks, items, eventAt), ...facts }
  const kept = keptItems(recorded, items, context, idOf)
  const openStart = openRoundStart(items, context.open)
  // A round that goes on is not touched if it stays, and is over if it does not.
  const staysOpen = openStart < items.length && kept.has(openStart)
  const end = staysOpen ? openStart : items.length
  const covered = items.slice(0, end)
  if (covered.length === 0) return { edits: [], ...facts }
  const edit = {
    covers: runsOf(covered, eventAt),
    put: putsOf(recorded, items, end, kept, idOf, eventAt),
  }
  return {
    edits: [edit],
    ...(!staysOpen && context.open.size > 0 && { closes: [...context.open] }),
    ...facts,
  }
}

/** What stands for a result that a tool cleared without a word of its own. */
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

/** The indices of what stays, with whole rounds. */
function keptItems(
  { put, keepFrom }: RecordedCompaction,
  items: readonly Item[],
  context: Context,
  idOf: (name: string) => EntryId | undefined,
): Set<number> {
  const at = new Map(items.map((item, index) => [item.id, index]))
  const kept = new Set<number>()
  for (const entry of put) {
    if (!('keep' in entry)) continue
    const index = indexOf(entry.keep, at, idOf)
    if (index !== undefined) kept.add(index)
  }
  const from = keepFrom === undefined ? undefined : indexOf(keepFrom, at, idOf)
  for (let index = from ?? items.length; index < items.length; index += 1) kept.add(index)
  for (const { start, results } of roundsOf(items, context.open)) {
    const round = [start, ...[...results.values()].flat()]
    if (round.some((index) => kept.has(index))) for (const index of round) kept.add(index)
  }
  return kept
}

function indexOf(
  name: string,
  at: ReadonlyMap<EntryId, number>,
  idOf: (name: string) => EntryId | undefined,
): number | undefined {
  const id = idOf(name)
  return id === undefined ? undefined : at.get(id)
}

/** New entries stand before the next kept one that the tool named behind them. */
function putsOf(
  { put }: RecordedCompaction,
  items: readonly Item[],
  end: number,
  kept: ReadonlySet<number>,
  idOf: (name: string) => EntryId | undefined,
  eventAt: EventAt,
): Put[] {
  const at = new Map(items.map((item, index) => [item.id, index]))
  const puts: Put[] = []
  let next = 0
  const keepUpTo = (limit: number) => {
    const staying = items.slice(next, limit).filter((_, offset) => kept.has(next + offset))
    for (const run of runsOf(staying, eventAt)) puts.push({ keep: run })
    next = Math.max(next, limit)
  }
  for (const entry of put) {
    const index = 'keep' in entry ? indexOf(entry.keep, at, idOf) : undefined
    const instead = 'keep' in entry ? entry.or : entry
    if (index !== undefined) keepUpTo(Math.min(end, index + 1))
    else if (instead) puts.push(instead)
  }
  keepUpTo(end)
  const isAll = kept.size === end && puts.every((entry) => 'keep' in entry)
  return isAll || puts.some((entry) => !('keep' in entry)) ? puts : [{ gap: true }, ...puts]
}
