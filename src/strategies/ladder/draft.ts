// A context changed by several strategies in a row, without a commit.
import type { PlacedEdit } from '../../core/edit/apply.ts'
import type { Edit, EntryId, NewEntry } from '../../core/edit/change.ts'
import { type Refusal, tryGate } from '../../core/edit/gate.ts'
import { isRewrite, type Pins } from '../../core/edit/pins.ts'
import { EVENT_VERSION, type EventAt, type EventOf } from '../../core/log/event.ts'
import { type Context, foldGated } from '../../core/view/context.ts'
import { collectPuts, type Item, isNew, isNewEntry } from '../../core/view/entry.ts'

/** An item of a draft: a base entry, or one added by a rung. */
export type Standing =
  | { readonly base: Item }
  /** `of` is the base entry it rewrites, if any. */
  | { readonly entry: NewEntry; readonly of?: EntryId }
  | { readonly gap: true }

/** A non-empty stretch of the base and its replacement. */
export interface Stretch {
  readonly base: readonly Item[]
  readonly stands: readonly Standing[]
}

export interface LadderDraft {
  /** As if every rung so far had been committed. */
  readonly context: Context
  readonly eventAt: EventAt
  readonly stretches: readonly Stretch[]
  /** Removed or rewritten base entries, with the last rung that touched them. */
  readonly reasons: ReadonlyMap<EntryId, string>
}

export function beginDraft(context: Context, eventAt: EventAt): LadderDraft {
  const stretches = context.items.toArray().map((base) => ({ base: [base], stands: [{ base }] }))
  return { context, eventAt, stretches, reasons: new Map() }
}

export interface RungEdits {
  readonly edits: readonly Edit[]
  /** Why an entry is touched; default: the rung's name. */
  readonly reasonOf: ReadonlyMap<EntryId, string>
  readonly name: string
  readonly pins: Pins
}

export type RungResult =
  | { readonly ok: true; readonly draft: LadderDraft }
  | { readonly ok: false; readonly refusal: Refusal }

/** The draft after one more rung. Each passes the gate, so nothing builds on a broken state. */
export function advance(draft: LadderDraft, rung: RungEdits): RungResult {
  const { context, eventAt, stretches } = draft
  const gated = tryGate({
    context,
    eventAt,
    proposal: { edits: rung.edits },
    basedOn: context.version,
    strategyId: rung.name,
    trigger: 'command',
    runId: rung.name,
    // Pinned texts are added once, when the whole passes the gate.
    pins: rung.pins.map(({ text: _, ...pin }) => pin),
    minTokens: Number.POSITIVE_INFINITY, // sizes are judged for the whole
  })
  if (!gated.ok) return gated
  const event: EventOf<'COMPACTION'> = {
    v: EVENT_VERSION,
    id: rung.name,
    threadId: '',
    seq: context.version + 1,
    timestamp: NO_TIME,
    type: 'COMPACTION',
    // Never logged, so it needs no inverse.
    data: { ...gated.data, inverse: [], originalEventCount: 0, compactedEventCount: 0 },
  }
  const withEvent: EventAt = (seq) => (seq === event.seq ? event : eventAt(seq))
  const items = context.items.toArray()
  const { applied } = gated
  const reasons = new Map(draft.reasons)
  const next = joinStretches(stretches, applied.placed, items, (id, base) => {
    reasons.set(base, rung.reasonOf.get(id) ?? rung.name)
  })
  return {
    ok: true,
    draft: {
      context: foldGated(context, event, applied, withEvent),
      eventAt: withEvent,
      stretches: next,
      reasons,
    },
  }
}

const NO_TIME = new Date(0)

type OnTouched = (id: EntryId, base: EntryId) => void

/** Merges the stretches an edit touches. Positions of the draft are counted through their content. */
function joinStretches(
  stretches: readonly Stretch[],
  placed: readonly PlacedEdit[],
  items: readonly Item[],
  onTouched: OnTouched,
): Stretch[] {
  const joined: Stretch[] = []
  let place = 0
  let next = 0
  for (let at = 0; at < stretches.length; ) {
    let end = place + (stretches[at] as Stretch).stands.length
    let to = at + 1
    const edits: PlacedEdit[] = []
    for (let edit = placed[next]; edit && edit.start < end; edit = placed[next]) {
      for (; end < edit.end; to += 1) end += (stretches[to] as Stretch).stands.length
      edits.push(edit)
      next += 1
    }
    joined.push(
      edits.length === 0
        ? (stretches[at] as Stretch)
        : joinGroup(stretches.slice(at, to), edits, place, items, onTouched),
    )
    place = end
    at = to
  }
  return joined
}

function joinGroup(
  group: readonly Stretch[],
  edits: readonly PlacedEdit[],
  place: number,
  items: readonly Item[],
  onTouched: OnTouched,
): Stretch {
  const stood = group.flatMap(({ stands }) => stands)
  const stands: Standing[] = []
  let from = 0
  for (const edit of edits) {
    for (; from < edit.start - place; from += 1) stands.push(stood[from] as Standing)
    for (const one of standingAfter(edit, stood, place, items, onTouched)) stands.push(one)
    from = edit.end - place
  }
  for (; from < stood.length; from += 1) stands.push(stood[from] as Standing)
  return { base: group.flatMap(({ base }) => base), stands }
}

/** The result of an edit: kept items unchanged, and new ones. */
function standingAfter(
  placed: PlacedEdit,
  stood: readonly Standing[],
  place: number,
  items: readonly Item[],
  onTouched: OnTouched,
): Standing[] {
  const { edit, start, end } = placed
  const kept = new Set(placed.items.map(({ id }) => id))
  const before = new Map<EntryId, Standing>()
  for (let at = start; at < end; at += 1) {
    const { id } = items[at] as Item
    const standing = stood[at - place] as Standing
    before.set(id, standing)
    const base = findOriginal(standing)
    if (base !== undefined && !kept.has(id)) onTouched(id, base)
  }
  const rewritten = isRewrite(edit) ? findOriginal(stood[start - place]) : undefined
  const put = collectPuts(edit).filter(isNew)
  let next = 0
  return placed.items.map(({ id }): Standing => {
    const standing = before.get(id)
    if (standing) return standing
    const entry = put[next]
    next += 1
    if (!entry || !isNewEntry(entry)) return { gap: true }
    return rewritten === undefined ? { entry } : { entry, of: rewritten }
  })
}

function findOriginal(standing: Standing | undefined): EntryId | undefined {
  if (!standing || 'gap' in standing) return undefined
  return 'base' in standing ? standing.base.id : standing.of
}
