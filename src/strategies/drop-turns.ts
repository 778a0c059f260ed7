// `drop-turns`: removes the oldest whole turns and leaves a note on how to recall them. No model.
import type { Edit, Put } from '../core/edit/change.ts'
import { ownTarget } from '../core/edit/irreducible.ts'
import { type Pins, pinnedEntries } from '../core/edit/pins.ts'
import { immediate, type Strategy } from '../core/edit/strategy.ts'
import type { EventAt } from '../core/log/event.ts'
import { type Context, weightOf } from '../core/view/context.ts'
import type { Item } from '../core/view/entry.ts'
import { runsOf } from '../core/view/entry-range.ts'
import { requestNote } from '../core/view/keep-request.ts'
import { isSaidByUser } from '../core/view/last-request.ts'
import { carriedEntry } from '../core/view/request-note.ts'
import { lastRoundStart, openRoundStart, seamsOf } from '../core/view/seam.ts'
import { weighUser } from '../core/window/tokens/weigh.ts'
import { dropNote, isCarrier, isDropNote, lastSaid } from './drop-note.ts'

/** The default target is half of the context. */
const SHARE = 2
const NOTE_TOKENS = 2_000
/** The note's share of the target: an eighth, of a tiny one a third. */
const NOTE_SHARE = 8
const TINY_NOTE_TOKENS = 200
const TINY_SHARE = 3
/** The note on requests grows with what is dropped. */
const TRIES = 2

/**
 * Whole turns first; then the newest turn's oldest rounds. Keeps the newest user message, the last round, and
 * compactions' texts.
 */
export const dropTurns: Strategy = immediate({
  id: 'drop-turns',
  proposeNow({ context, eventAt, targetTokens, pins = [] }) {
    const target = targetTokens ?? Math.floor(weightOf(context) / SHARE)
    const noteTokens = noteRoom(target)
    const items = context.items.toArray()
    const choice = { context, eventAt, pins, room: target - noteTokens }
    let gone = chooseDrops(choice)
    for (let tried = 0; tried < TRIES; tried += 1) {
      const spoken = spokenNote(items, gone, eventAt, target)
      if (spoken !== undefined)
        gone = chooseDrops({ ...choice, room: choice.room - weighUser(spoken) })
    }
    const spoken = spokenNote(items, gone, eventAt, target)
    const edits = dropEdits({ items, gone, eventAt, noteTokens, spoken })
    return {
      edits,
      metadata: { entriesDropped: gone.size, ...ownTarget({ targetTokens }, target) },
    }
  },
})

/** What to say about requests if these items go. */
export function spokenNote(
  items: readonly Item[],
  gone: ReadonlySet<number>,
  eventAt: EventAt,
  targetTokens: number,
): string | undefined {
  const goes = new Set(items.flatMap(({ id }, at) => (gone.has(at) ? [id] : [])))
  return requestNote({ items, eventAt, goes, counted: goes, targetTokens })?.text
}

function noteRoom(target: number): number {
  const tiny = Math.min(TINY_NOTE_TOKENS, Math.floor(target / TINY_SHARE))
  return Math.max(tiny, Math.min(NOTE_TOKENS, Math.floor(target / NOTE_SHARE)))
}

interface Choice {
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins: Pins
  /** The limit for everything but the note. */
  readonly room: number
}

/** The fewest possible items to drop, as indices. */
function chooseDrops({ context, eventAt, pins, room }: Choice): Set<number> {
  const items = context.items.toArray()
  const held = pinnedEntries(items, context.open, pins)
  const gone = new Set<number>()
  let weight = weightOf(context)
  if (weight <= room) return gone
  for (const step of findSteps(items, context, eventAt)) {
    if (weight <= room) break
    for (const at of step) {
      gone.add(at)
      const { id, tokens } = items[at] as Item
      if (!held.has(id)) weight -= tokens
    }
  }
  return gone
}

/** What may be dropped, in order: turns, then rounds of the newest turn. */
function findSteps(items: readonly Item[], context: Context, eventAt: EventAt): number[][] {
  const newest = lastSaid(items, eventAt)
  const seams = seamsOf(items, context.open)
  const last = Math.min(lastUnit(items, seams), openRoundStart(items, context.open))
  const end = Math.min(last, lastRoundStart(items))
  const steps: number[][] = []
  let step: number[] = []
  items.forEach((item, at) => {
    const begins = at <= newest ? isSaidByUser(item, eventAt) : seams[at]
    if (begins && step.length > 0) {
      steps.push(step)
      step = []
    }
    if (at < end && at !== newest && !isCarrier(item, eventAt)) step.push(at)
  })
  return [...steps, step].filter((each) => each.length > 0)
}

/** The start of the last inseparable unit: a message or a round. */
function lastUnit(items: readonly Item[], seams: readonly boolean[]): number {
  let at = items.length - 1
  while (at > 0 && !seams[at]) at -= 1
  return Math.max(0, at)
}

interface Drops {
  readonly items: readonly Item[]
  readonly gone: ReadonlySet<number>
  readonly eventAt: EventAt
  readonly noteTokens: number
  /** What to say about requests. */
  readonly spoken: string | undefined
  readonly state?: readonly string[]
}

/** One edit per stretch. The first one's note stands for all. */
export function dropEdits({ items, gone, eventAt, noteTokens, spoken, state = [] }: Drops): Edit[] {
  const dropped = items.filter((_, at) => gone.has(at))
  const note = dropNote({ items: dropped, eventAt, maxTokens: noteTokens, state })
  // Only earlier notes, which say the same already.
  if (!note || dropped.every((item) => item.kind === 'gap' || isDropNote(item, eventAt))) return []
  return findStretches(items, gone).map((stretch, at) => {
    const put: Put[] =
      at === 0 ? [note, ...(spoken === undefined ? [] : [carriedEntry(spoken)])] : []
    return { covers: runsOf(stretch, eventAt), put }
  })
}

function findStretches(items: readonly Item[], gone: ReadonlySet<number>): Item[][] {
  const stretches: Item[][] = []
  let before = -2
  for (const at of [...gone].sort((a, b) => a - b)) {
    if (at !== before + 1) stretches.push([])
    stretches.at(-1)?.push(items[at] as Item)
    before = at
  }
  return stretches
}
