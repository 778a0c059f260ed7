// Pins: entries and texts that survive every compaction byte for byte.
import type { Edit, EntryId, NewEntry, Put, Run } from './change.ts'
import type { Context } from './context.ts'
import { type Item, isNew, isNewEntry, newEntryAt, putsOf } from './entry.ts'
import type { EventAt, PinData, ThreadEvent } from './event.ts'
import type { Json } from './json.ts'
import type { Reducer } from './ports.ts'
import { findRuns, runHas, runsOf } from './run.ts'
import { roundsOf } from './seam.ts'

export type Pins = readonly PinData[]

/** The pins in force, in the order in which they were set. */
export const pinsReducer: Reducer<Pins> = {
  name: 'pins',
  version: 1,
  init: () => [],
  step(pins: Pins, event: ThreadEvent): Pins {
    if (event.type === 'PIN')
      return [...pins.filter((pin) => pin.pinId !== event.data.pinId), event.data]
    if (event.type === 'UNPIN') return pins.filter((pin) => pin.pinId !== event.data.pinId)
    return pins
  },
  encode: (pins) => pins as unknown as Json,
  decode: (json) => json as unknown as Pins,
}

/** The pinned entries that are visible; a pin on any part of a tool round holds the whole round. */
export function pinnedEntries(
  items: readonly Item[],
  open: ReadonlySet<string>,
  pins: Pins,
): Set<EntryId> {
  const pinned = new Set(pins.flatMap((pin) => pin.entries ?? []))
  const held = new Set<EntryId>(items.filter((item) => pinned.has(item.id)).map((item) => item.id))
  if (held.size === 0) return held
  for (const round of roundsOf(items, open)) {
    const members = items.slice(round.start, round.end)
    if (members.some((item) => held.has(item.id))) for (const item of members) held.add(item.id)
  }
  return held
}

/** The text under which pinned texts stand in the context, or undefined where there are none. */
export function pinnedText(pins: Pins): string | undefined {
  const texts = pins.map((pin) => pin.text).filter((text) => text !== undefined)
  return texts.length === 0 ? undefined : texts.join('\n\n')
}

/**
 * Makes a proposal keep the pins, so that no strategy has to know of them: pinned entries stay right
 * after what replaces the rest, pinned texts follow as one user entry, and nothing pinned is rewritten.
 */
export function keepPins(
  edits: readonly Edit[],
  context: Context,
  pins: Pins,
  eventAt: EventAt,
): Edit[] {
  if (pins.length === 0) return [...edits]
  const items = context.items.toArray()
  const index = new Map(items.map((item, at) => [item.id, at] as const))
  const held = pinnedEntries(items, context.open, pins)
  const kept = edits
    .filter(
      (edit) =>
        !(isRewrite(edit) && edit.covers.some((run) => typeof run === 'string' && held.has(run))),
    )
    .map((edit) => {
      const place = isRewrite(edit) ? undefined : findRuns(edit.covers, items, index)
      return place ? keepHeld(edit, items.slice(place.start, place.end), held, eventAt) : edit
    })
  return withPinnedText(kept, items, pins, eventAt)
}

/** A rewrite stands alone in its edit: it covers one entry and puts one. */
export function isRewrite(edit: Edit): boolean {
  const put = edit.put[0]
  return edit.put.length === 1 && put !== undefined && isNewEntry(put) && put.of !== undefined
}

function keepHeld(
  edit: Edit,
  covered: readonly Item[],
  held: ReadonlySet<EntryId>,
  eventAt: EventAt,
): Edit {
  const isKept = (item: Item) => edit.put.some((put) => 'keep' in put && runHas(put.keep, item.id))
  if (!covered.some((item) => held.has(item.id) && !isKept(item))) return edit
  const stays = covered.filter((item) => held.has(item.id) || isKept(item))
  const kept = runsOf(stays, eventAt).map((keep): Put => ({ keep }))
  return { covers: edit.covers, put: beforeContinuation(putsOf(edit).filter(isNew), kept) }
}

/** What the user or the agent wants done next stays last. */
function beforeContinuation(put: readonly Put[], more: readonly Put[]): Put[] {
  const last = put.at(-1)
  return last && isNewEntry(last) && last.label === 'continuation'
    ? [...put.slice(0, -1), ...more, last]
    : [...put, ...more]
}

function withPinnedText(
  edits: Edit[],
  items: readonly Item[],
  pins: Pins,
  eventAt: EventAt,
): Edit[] {
  const text = pinnedText(pins)
  if (text === undefined) return edits
  const covered = (id: EntryId) =>
    edits.some((edit) => edit.covers.some((run: Run) => runHas(run, id)))
  const standing = items.filter((item) => newEntryAt(item.id, eventAt)?.label === 'pins')
  if (standing.some((item) => !covered(item.id) && newEntryAt(item.id, eventAt)?.data === text))
    return edits
  const at = edits.findLastIndex((edit) => !isRewrite(edit))
  const entry: NewEntry = { type: 'USER_MESSAGE', data: text, label: 'pins' }
  return edits.map((edit, index) =>
    index === at ? { ...edit, put: beforeContinuation(putsOf(edit), [entry]) } : edit,
  )
}
