// The changes of several rungs as one change: the difference of base and draft
import type { Edit, NewEntry, Put } from '../../core/edit/change.ts'
import type { EventAt } from '../../core/log/event.ts'
import { type Item, isNewEntry } from '../../core/view/entry.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import type { LadderDraft, Standing, Stretch } from './draft.ts'

/**
 * Undefined if it cannot be said in edits: a rung has put something between two entries that another
 * one rewrote.
 */
export function editsOf({ stretches, eventAt }: LadderDraft): Edit[] | undefined {
  const edits: Edit[] = []
  for (const stretch of stretches) {
    const own = partsOf(stretch).map((part) => editOf(part, eventAt))
    for (const edit of own) {
      if (edit === 'unsayable') return undefined
      if (edit) edits.push(edit)
    }
  }
  // Pinned texts follow what the last edit puts: that is to be the brief, before what the user said last.
  const isBrief = ({ put }: Edit) =>
    put.some((one) => isNewEntry(one) && (one.label === 'brief' || one.label === 'summary'))
  return [...edits.filter((edit) => !isBrief(edit)), ...edits.filter(isBrief)]
}

/** Rewrites stand alone: a stretch is parted if one is in it. */
function partsOf({ base, stands }: Stretch): Stretch[] {
  if (!stands.some((one) => 'entry' in one && one.of !== undefined)) return [{ base, stands }]
  const places = new Map(base.map((item, at) => [item.id, at]))
  const parts: Stretch[] = []
  let from = 0
  let since: Standing[] = []
  for (const one of stands) {
    const at = 'entry' in one && one.of !== undefined ? places.get(one.of) : undefined
    if (at === undefined) since.push(one)
    else {
      parts.push(
        { base: base.slice(from, at), stands: since },
        { base: [base[at] as Item], stands: [one] },
      )
      from = at + 1
      since = []
    }
  }
  parts.push({ base: base.slice(from), stands: since })
  return parts
}

function editOf(part: Stretch, eventAt: EventAt): Edit | undefined | 'unsayable' {
  const { base, stands } = withoutKeptEnds(part)
  const [first] = stands
  if (base.length === 0) return stands.length === 0 ? undefined : 'unsayable'
  if (first && 'entry' in first && first.of !== undefined)
    return { covers: [first.of], put: [{ ...first.entry, of: first.of }] }
  const put = putOf(stands, eventAt)
  // What stood for these was separated from them: a gap does now.
  const isBare = put.length > 0 && put.every((one) => 'keep' in one)
  return { covers: runsOf(base, eventAt), put: isBare ? [{ gap: true }, ...put] : put }
}

/** Only the part that changed: entries that stay at either end are in no edit, except for parts of a round. */
function withoutKeptEnds({ base, stands }: Stretch): Stretch {
  const isKept = (one: Standing | undefined, item: Item | undefined) =>
    one !== undefined && 'base' in one && one.base.id === item?.id
  let start = 0
  while (start < base.length && isKept(stands[start], base[start])) start += 1
  let end = 0
  while (
    end < Math.min(base.length, stands.length) - start &&
    isKept(stands.at(-1 - end), base.at(-1 - end))
  )
    end += 1
  while (start > 0 && base[start]?.kind === 'result') start -= 1
  while (end > 0 && base.at(-end)?.kind === 'result') end -= 1
  return {
    base: base.slice(start, base.length - end),
    stands: stands.slice(start, stands.length - end),
  }
}

function putOf(stands: readonly Standing[], eventAt: EventAt): Put[] {
  const put: Put[] = []
  let kept: Item[] = []
  const flush = () => {
    for (const keep of runsOf(kept, eventAt)) put.push({ keep })
    kept = []
  }
  for (const one of stands) {
    if ('base' in one) kept.push(one.base)
    else {
      flush()
      const last = put.at(-1)
      if ('entry' in one) put.push(withoutOf(one.entry))
      else if (!last || !('gap' in last)) put.push({ gap: true })
    }
  }
  flush()
  return put
}

/** It rewrote something of the draft that is not in the base. */
function withoutOf({ of: _, ...entry }: NewEntry): NewEntry {
  return entry as NewEntry
}
