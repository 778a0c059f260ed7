// `checkpoint-range`: the agent replaces ranges between checkpoints with its own summaries.
import type { Edit, Put } from '../../core/edit/change.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { Context } from '../../core/view/context.ts'
import type { Item } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { runsOf, type Stretch } from '../../core/view/entry-range.ts'
import { openRoundStart } from '../../core/view/seam.ts'
import { type ClosingCall, closeAsText, findClosingCall } from './closing-call.ts'

/**
 * From after checkpoint `from` up to and including `to`. Defaults: the start and end of the thread. A blank
 * summary deletes the range.
 */
export interface RangeReplacement {
  readonly from?: string
  readonly to?: string
  readonly summary: string
}

export interface RangesInput {
  readonly context: Context
  readonly eventAt: EventAt
  readonly replacements: readonly RangeReplacement[]
  readonly closes?: string // the open call to `compact` that asked for this
}

/** Edits for the gate. If `closes` was given and is absent here, the call still needs a result. */
export type RangeEdits =
  | { readonly ok: true; readonly edits: readonly Edit[]; readonly closes?: readonly string[] }
  | { readonly ok: false; readonly error: PrecisError }

/** Pure, and all or nothing: checks every range first. */
export function compactRanges(input: RangesInput): RangeEdits {
  const { context, eventAt, replacements, closes } = input
  const closing = closes === undefined ? undefined : findClosingCall(context, closes)
  if (PrecisError.is(closing)) return { ok: false, error: closing }
  const items = context.items.toArray()
  const ranges = findRanges(replacements, items, findEnd(context, closing), eventAt)
  if (PrecisError.is(ranges)) return { ok: false, error: ranges }

  const isInside = (place: number) => ranges.some(({ start, end }) => start <= place && place < end)
  // Ranges come after reminders, so that pinned texts go into a summary's edit.
  const edits: Edit[] = items
    .filter((item, place) => item.kind === 'reminder' && !isInside(place))
    .map((item) => ({ covers: [item.id], put: [] }))
  for (const { start, end, replacement } of ranges)
    edits.push({
      covers: runsOf(items.slice(start, end), eventAt),
      put: summaryEntries(replacement.summary),
    })
  if (!closing?.isAlone || closes === undefined) return { ok: true, edits }
  if (!isInside(closing.place)) edits.push(...closeAsText(closing, eventAt))
  return { ok: true, edits, closes: [closes] }
}

/** A range without `to` ends before an answer with other calls, which would be lost. */
function findEnd(context: Context, closing: ClosingCall | undefined): number {
  return closing?.isAlone ? context.items.length : openRoundStart(context.items, context.open)
}

interface Range extends Stretch {
  readonly at: number // index in the call
  readonly replacement: RangeReplacement
}

/** The ranges in thread order. */
function findRanges(
  replacements: readonly RangeReplacement[],
  items: readonly Item[],
  endOfThread: number,
  eventAt: EventAt,
): Range[] | PrecisError {
  if (replacements.length === 0)
    return new PrecisError('invalid-input', 'There are no replacements.', {
      where: 'replacements',
      hint: 'Give at least one {from?, to?, summary}.',
    })
  const checkpoints = listCheckpoints(items, eventAt)
  const ranges: Range[] = []
  for (const [at, replacement] of replacements.entries()) {
    const range = findRange(replacement, at, items, checkpoints, endOfThread)
    if (PrecisError.is(range)) return range
    ranges.push(range)
  }
  const ordered = ranges.toSorted((a, b) => a.start - b.start || a.end - b.end)
  for (const [index, next] of ordered.entries()) {
    const before = ordered[index - 1]
    if (before && next.start < before.end) return overlap(before, next)
  }
  return ordered
}

/** The places of visible checkpoints; message text never makes one. */
function listCheckpoints(items: readonly Item[], eventAt: EventAt): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [place, item] of items.entries()) {
    const content = item.kind === 'checkpoint' ? contentOf(item.id, eventAt) : undefined
    if (content?.kind === 'checkpoint') places.set(content.id, place)
  }
  return places
}

interface Ends {
  readonly from: string | undefined
  readonly to: string | undefined
}

/** What a copied mark contains besides the id: the tag, an attribute, escaped brackets. */
const AROUND_ID = /\\u003[ce]|&\w+;|checkpoints?\b|\bid\b/gi

/** The intended id, however the mark was copied; an unreadable one stays for the error. */
function checkpointNamed(
  given: string | undefined,
  checkpoints: ReadonlyMap<string, number>,
): string | undefined {
  const words = given?.replaceAll(AROUND_ID, ' ').match(/[A-Za-z0-9]+/g) ?? []
  const [id = ''] = words
  if (words.length !== 1) return given
  return [id, id.toLowerCase()].find((each) => checkpoints.has(each)) ?? given
}

function findRange(
  replacement: RangeReplacement,
  at: number,
  items: readonly Item[],
  checkpoints: ReadonlyMap<string, number>,
  endOfThread: number,
): Range | PrecisError {
  const named: Ends = {
    from: checkpointNamed(replacement.from, checkpoints),
    to: checkpointNamed(replacement.to, checkpoints),
  }
  const { from, to } = named
  for (const field of ['from', 'to'] as const) {
    const id = named[field]
    if (id !== undefined && !checkpoints.has(id))
      return unknownCheckpoint(id, `replacements[${at}].${field}`, [...checkpoints.keys()])
  }
  const start = from === undefined ? 0 : (checkpoints.get(from) ?? 0) + 1
  const end = to === undefined ? endOfThread : (checkpoints.get(to) ?? 0) + 1
  const isEmpty = items.slice(start, end).every((item) => item.kind === 'gap')
  return isEmpty ? emptyRange(named, at) : { start, end, at, replacement }
}

function summaryEntries(summary: string): Put[] {
  if (summary.trim() === '') return []
  return [{ type: 'AGENT_MESSAGE', data: { content: summary, calls: [] }, label: 'summary' }]
}

function unknownCheckpoint(id: string, where: string, valid: readonly string[]): PrecisError {
  return new PrecisError('unknown-entry', `There is no checkpoint ${id} in the thread.`, {
    where,
    hint:
      valid.length === 0
        ? 'The thread has no checkpoints; leave out `from` and `to` to replace all of it.'
        : `Checkpoints in the thread, oldest first: ${valid.join(', ')}.`,
    details: { unknown: id, valid },
  })
}

function emptyRange({ from, to }: Ends, at: number): PrecisError {
  const [message, hint] = reasonOfEmpty(from, to)
  return new PrecisError('invalid-input', message, { where: `replacements[${at}]`, hint })
}

/** With both ends, only reversed ends leave nothing: `to` itself belongs to the range. */
function reasonOfEmpty(from?: string, to?: string): [message: string, hint: string] {
  if (from === undefined)
    return ['There is nothing in the thread to replace.', 'Compact once there is more to say.']
  if (to === undefined)
    return [`Nothing after the checkpoint ${from} can be replaced.`, 'Begin at an earlier one.']
  if (from === to)
    return [`The range from ${from} to ${to} is empty.`, 'Begin at an earlier checkpoint.']
  return [`The checkpoint ${from} comes after ${to}.`, 'Exchange `from` and `to`.']
}

function overlap(one: Range, other: Range): PrecisError {
  const [first, second] = one.at < other.at ? [one, other] : [other, one]
  return new PrecisError(
    'invalid-input',
    `replacements[${first.at}] (${rangeText(first)}) and replacements[${second.at}] (${rangeText(second)}) overlap.`,
    {
      where: `replacements[${second.at}]`,
      hint: 'Let one range end at the checkpoint where the next begins, or join the two.',
      details: { pair: [first.at, second.at] },
    },
  )
}

function rangeText({ replacement: { from, to } }: Range): string {
  return `${from ?? 'the start'} to ${to ?? 'the end'}`
}
