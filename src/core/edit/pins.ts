// Pins: entries and texts that survive every compaction unchanged.
import type { EventAt, PinData, ThreadEvent } from '../log/event.ts'
import type { Reducer } from '../ports.ts'
import type { Json } from '../text/json.ts'
import type { Context } from '../view/context.ts'
import {
  collectPuts,
  type Item,
  isNew,
  isNewEntry,
  newEntryAt,
  parseEntryId,
} from '../view/entry.ts'
import { findRuns, runHas, runsOf } from '../view/entry-range.ts'
import { openRoundStart, roundsOf, seamsOf } from '../view/seam.ts'
import type { Edit, EntryId, NewEntry, Put, Run } from './change.ts'

export type Pins = readonly PinData[]

/** The pins in effect, in the order they were set. */
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
  decode(json) {
    if (!Array.isArray(json) || !json.every(isPin)) throw new TypeError('no list of pins')
    return json as unknown as Pins
  },
}

function isPin(json: Json): boolean {
  return typeof json === 'object' && json !== null && 'pinId' in json
}

/** The visible pinned entries; a pin on part of a tool round keeps the whole round. */
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

/** The context text that lists pinned texts; undefined without any. */
export function pinnedText(pins: Pins): string | undefined {
  const isAnySet = pins.some((pin) => pin.text !== undefined && isSet(pin))
  const lines = pins.flatMap((pin) =>
    pin.text === undefined ? [] : [`- ${pin.text}${marks(pin, isAnySet)}`],
  )
  if (lines.length === 0) return undefined
  return [isAnySet ? SET_NOTE : PINS_NOTE, ...lines].join('\n')
}

/** Set by a flag, a setting or a command, not said in the conversation. */
function isSet({ by, saidAt, wasSet }: PinData): boolean {
  return (by === 'user' || wasSet === true) && saidAt === undefined
}

function marks(pin: PinData, isAnySet: boolean): string {
  if (pin.saidAt !== undefined) return ` (said ${pin.saidAt})`
  if (isSet(pin)) return SET_MARK
  return isAnySet && pin.text?.endsWith(SET_MARK) ? ' (said)' : ''
}

/** So that no pinned sentence reads as a new request. */
const PINS_NOTE =
  '[Context note, not a request: what the user said that still holds, in the order in which it was said.]'
/** Shows whose words they are. */
const SET_NOTE =
  '[Context note, not a request: what the user said that still holds, in the order in which it was said; lines with (pinned) were pinned by whoever runs this agent.]'
const SET_MARK = ' (pinned)'
const LISTED = /^- (?<text>[\s\S]*?)(?: \(said (?<saidAt>\d{4}-\d\d-\d\d \d\d:\d\d)\))?$/
const SET_LISTED =
  /^- (?<text>[\s\S]*?)(?: \(said(?: (?<saidAt>\d{4}-\d\d-\d\d \d\d:\d\d))?\)|(?<set> \(pinned\)))?$/

/**
 * The pins in such a text read from a file; undefined for other texts. Anyone can write `wasSet`, so it
 * counts only if the author is known.
 */
export function readPinnedText(
  text: string,
): Pick<PinData, 'text' | 'saidAt' | 'wasSet'>[] | undefined {
  const note = [PINS_NOTE, SET_NOTE].find((each) => text.startsWith(`${each}\n`))
  if (note === undefined) return undefined
  const listed = note === SET_NOTE ? SET_LISTED : LISTED
  const items = text
    .slice(note.length + 1)
    .trimEnd()
    .split(/\n(?=- )/)
  return items.map((item) => {
    const { text, saidAt, set } = listed.exec(item)?.groups ?? {}
    return {
      ...(text !== undefined && { text }),
      ...(saidAt !== undefined && { saidAt }),
      ...(set !== undefined && { wasSet: true }),
    }
  })
}

/** The note and the list of pins in one text; the text itself without a note. */
export function notesIn(text: string): string[] {
  if (!text.startsWith('[Context note')) return [text]
  const at = Math.max(...[PINS_NOTE, SET_NOTE].map((note) => text.lastIndexOf(`\n\n${note}\n`)))
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 2)]
}

/**
 * Makes a proposal keep the pins, so that strategies need not know them: pinned entries stay right after the
 * replacement, pinned texts follow as one user entry, and nothing pinned is rewritten. If nothing is
 * replaced, the user's messages still contain what was said; texts that nobody said are then added. A
 * proposal without an edit stays so, unless someone requested it.
 */
export function keepPins(
  edits: readonly Edit[],
  context: Context,
  pins: Pins,
  eventAt: EventAt,
  { isAsked = false }: { readonly isAsked?: boolean } = {},
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
  if (kept.length === 0 && !isAsked) return kept
  return withPinnedText(kept, context, pins, held, eventAt)
}

/** A rewrite covers one entry and puts one; only pinned texts may follow. */
export function isRewrite(edit: Edit): boolean {
  const [put, ...others] = edit.put
  if (put === undefined || !isNewEntry(put) || put.of === undefined) return false
  return others.every((other) => isNewEntry(other) && other.label === 'pins')
}

function keepHeld(
  edit: Edit,
  covered: readonly Item[],
  held: ReadonlySet<EntryId>,
  eventAt: EventAt,
): Edit {
  const keeps = edit.put.flatMap((put) => ('keep' in put ? [put.keep] : []))
  const isKept = keptIn(keeps)
  if (!covered.some((item) => held.has(item.id) && !isKept(item))) return edit
  const stays = covered.filter((item) => held.has(item.id) || isKept(item))
  const kept = runsOf(stays, eventAt).map((keep): Put => ({ keep }))
  return { covers: edit.covers, put: beforeContinuation(collectPuts(edit).filter(isNew), kept) }
}

/** Uses a set for single entries: an edit may keep thousands. */
function keptIn(keeps: readonly Run[]): (item: Item) => boolean {
  const single = new Set<Run>(keeps.filter((run) => typeof run === 'string'))
  const ranges = keeps.filter((run) => typeof run !== 'string')
  return ({ id }) => single.has(id) || ranges.some((run) => runHas(run, id))
}

/** What the user or agent wants next stays last. */
export function beforeContinuation(put: readonly Put[], more: readonly Put[]): Put[] {
  const last = put.at(-1)
  return last && isNewEntry(last) && last.label === 'continuation'
    ? [...put.slice(0, -1), ...more, last]
    : [...put, ...more]
}

/** One entry for all pinned texts: a covered one is replaced, kept or not. */
function withPinnedText(
  edits: Edit[],
  context: Context,
  pins: Pins,
  held: ReadonlySet<EntryId>,
  eventAt: EventAt,
): Edit[] {
  const text = pinnedText(pins)
  if (text === undefined) return edits
  const items = context.items.toArray()
  const isPins = (id: EntryId) => newEntryAt(id, eventAt)?.label === 'pins' && !held.has(id)
  const covered = (id: EntryId) =>
    edits.some((edit) => edit.covers.some((run: Run) => runHas(run, id)))
  const standing = items.filter((item) => isPins(item.id) && !covered(item.id))
  const bare = edits.map((edit) => ({
    ...edit,
    put: edit.put.filter((put) => !('keep' in put && isPins(findFirst(put.keep)))),
  }))
  if (standing.some((item) => newEntryAt(item.id, eventAt)?.data === text)) return bare
  const at = edits.findLastIndex((edit) => !isRewrite(edit))
  const entry: NewEntry = { type: 'USER_MESSAGE', data: text, label: 'pins' }
  if (at < 0) {
    const untouched = items.filter(({ id }) => !covered(id))
    const said = untouched.filter(({ kind }) => kind === 'user')
    return saysAll(said, pins, eventAt)
      ? bare
      : withEntry(bare, entry, context, { standing, untouched })
  }
  const added = bare.map((edit, index) =>
    index === at ? { ...edit, put: beforeContinuation(collectPuts(edit), [entry]) } : edit,
  )
  // An uncovered old list would repeat most of the new one.
  return [...added, ...standing.map(({ id }): Edit => ({ covers: [id], put: [] }))]
}

/** Whether the user's messages contain every pinned text. */
export function saysAll(items: readonly Item[], pins: Pins, eventAt: EventAt): boolean {
  const said = items.flatMap(({ id }) => userTexts(id, eventAt))
  return pins.every(({ text }) => text === undefined || said.some((each) => each.includes(text)))
}

/**
 * In place of the former one, before the last user message or answer, or after a rewrite, but never between a
 * call and its result.
 */
function withEntry(
  edits: readonly Edit[],
  entry: NewEntry,
  { items, open }: Context,
  { standing, untouched }: { standing: readonly Item[]; untouched: readonly Item[] },
): Edit[] {
  const former = standing.at(-1)
  if (former) return [...edits, { covers: [former.id], put: [entry] }]
  const place =
    untouched.findLast(({ kind }) => kind === 'user') ??
    untouched.find(({ kind, calls = [] }) => kind === 'answer' && calls.length === 0)
  if (place) return [...edits, { covers: [place.id], put: [entry, { keep: place.id }] }]
  const all = items.toArray()
  const seams = seamsOf(all, open)
  const end = openRoundStart(all, open)
  const places = new Map<Run, number>(all.map(({ id }, at) => [id, at]))
  const behind = edits.findLastIndex(({ covers: [run] }) => {
    const at = (run && places.get(run)) ?? end
    return at < end && seams[at + 1]
  })
  const [first] = all
  if (behind < 0 && first && first === untouched[0])
    return [...edits, { covers: [first.id], put: [entry, { keep: first.id }] }]
  const index = behind < 0 ? edits.length - 1 : behind
  return edits.map((edit, at) => (at === index ? { ...edit, put: [...edit.put, entry] } : edit))
}

function userTexts(id: EntryId, eventAt: EventAt): readonly string[] {
  const { original, seq } = parseEntryId(id)
  const said = original ? eventAt(seq) : newEntryAt(id, eventAt)
  if (said?.type !== 'USER_MESSAGE') return []
  if (typeof said.data === 'string') return [said.data]
  return said.data.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

/** New entries never form ranges, so a run with one has only that. */
function findFirst(run: Run): EntryId {
  return typeof run === 'string' ? run : run[0]
}

/** Texts whose pins were removed: they are not detected again. */
export const releasedPinsReducer: Reducer<readonly string[]> = {
  name: 'released-pins',
  version: 1,
  init: () => [],
  step(released, event: ThreadEvent) {
    const text = event.type === 'UNPIN' ? event.data.text : undefined
    return text === undefined || released.includes(text) ? released : [...released, text]
  },
  encode: (released): Json => [...released],
  decode(json) {
    if (!Array.isArray(json) || !json.every((text) => typeof text === 'string'))
      throw new TypeError('no list of texts')
    return json as readonly string[]
  },
}
