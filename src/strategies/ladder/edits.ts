// Combines several rungs' changes into one: the difference of base and draft.
import { applyChange } from '../../core/edit/apply.ts'
import type { Edit, NewEntry, Put } from '../../core/edit/change.ts'
import { checkCarriers, checkPairing, checkSeams } from '../../core/edit/gate-checks.ts'
import type { EventAt } from '../../core/log/event.ts'
import { type Item, isNewEntry } from '../../core/view/entry.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import type { LadderDraft, Standing, Stretch } from './draft.ts'

/**
 * Undefined if edits cannot express it: a rung added something between entries another one rewrote, or a
 * result would move to another call with the same id.
 */
export function findEdits(draft: LadderDraft): Edit[] | undefined {
  const { stretches, eventAt } = draft
  const edits: Edit[] = []
  for (const stretch of stretches) {
    const own = readParts(stretch).map((part) => buildEdit(part, eventAt))
    for (const edit of own) {
      if (edit === 'unsayable') return undefined
      if (edit) edits.push(edit)
    }
  }
  // Pinned texts follow the last edit's content, which should be the brief.
  const isBrief = ({ put }: Edit) =>
    put.some((one) => isNewEntry(one) && (one.label === 'brief' || one.label === 'summary'))
  const ordered = [...edits.filter((edit) => !isBrief(edit)), ...edits.filter(isBrief)]
  return keepsPairs(ordered, draft) ? ordered : undefined
}

/** Each rung keeps results with calls, but the difference of base and draft may not. */
function keepsPairs(edits: readonly Edit[], { stretches, eventAt, context }: LadderDraft): boolean {
  const before = stretches.flatMap(({ base }) => base)
  const change = { edits, hide: [] }
  const applied = applyChange(before, change, context.version + 1, 'forward', eventAt)
  if (!applied.ok) return false
  const joined = { before, after: applied.items, placed: applied.placed, open: context.open }
  return (checkCarriers(joined) ?? checkSeams(joined) ?? checkPairing(joined)) === undefined
}

/** Rewrites are alone in their edits, so stretches are split there. */
function readParts({ base, stands }: Stretch): Stretch[] {
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

function buildEdit(part: Stretch, eventAt: EventAt): Edit | undefined | 'unsayable' {
  const { base, stands } = withoutKeptEnds(part)
  const [first] = stands
  if (base.length === 0) return stands.length === 0 ? undefined : 'unsayable'
  if (first && 'entry' in first && first.of !== undefined)
    return { covers: [first.of], put: [{ ...first.entry, of: first.of }] }
  const put = buildPuts(stands, eventAt)
  // Their replacement was separated from them, so add a gap.
  const isBare = put.length > 0 && put.every((one) => 'keep' in one)
  return { covers: runsOf(base, eventAt), put: isBare ? [{ gap: true }, ...put] : put }
}

/** Only the changed part: unchanged ends are not in an edit, except parts of a round. */
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

function buildPuts(stands: readonly Standing[], eventAt: EventAt): Put[] {
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
      if ('entry' in one) put.push(withoutOrigin(one.entry))
      else if (!last || !('gap' in last)) put.push({ gap: true })
    }
  }
  flush()
  return put
}

/** It rewrote a draft item that is not in the base. */
function withoutOrigin({ of: _, ...entry }: NewEntry): NewEntry {
  return entry as NewEntry
}
