// The context: what the model sees of a log, as a fold over its events.
import { type Applied, applyChange } from '../edit/apply.ts'
import type { EntryId } from '../edit/change.ts'
import { PrecisError } from '../errors.ts'
import {
  bearsEntry,
  type ChangeType,
  type EntryType,
  type EventAt,
  type EventOf,
  isChange,
  type ThreadEvent,
  undecodableOf,
} from '../log/event.ts'
import { Sequence } from '../log/upcast.ts'
import { type Calibration, calibrate, UNCALIBRATED } from '../window/tokens/calibrate.ts'
import { weighCall, weighText } from '../window/tokens/weigh.ts'
import { type Item, itemOfEvent, originalId } from './entry.ts'
import { findOpenCalls } from './seam.ts'

/** Raised when the fold or the weights change; older snapshots are then replaced by a replay. */
export const FOLD_VERSION = 4

/** The fold's state after some event. Immutable. */
export interface Context {
  readonly version: number // number of the last folded event
  readonly head: Head // effective system prompts; edits cannot change them
  readonly items: Sequence<Item>
  readonly tokens: number // of the items
  readonly open: ReadonlySet<string> // calls of the last answer without a result
  readonly stack: readonly number[] // undoable changes, newest last
  readonly undone: readonly number[] // redoable reversals, newest last
  readonly pops: readonly Pop[] // changes formerly in effect, and until when
  readonly active: readonly number[] // COMPACTIONs in effect, ascending; the last is the marker
  readonly measured?: Measured // absent after a change, until a provider counts again
  readonly calibration: Calibration // from the measurements before that one
  readonly ignored: readonly Ignored[] // events that could not be applied
}

/** A reverted change, and the event that reverted it. Events in between saw it in effect. */
export type Pop = readonly [change: number, at: number]

/** The latest SYSTEM_PROMPT and USER_SYSTEM_PROMPT, by number. */
export interface Head {
  readonly system?: number
  readonly userSystem?: number
  readonly systemTokens: number
  readonly userSystemTokens: number
}

/** A provider's count for the answer at `version`, and our own weight of the same. */
export interface Measured {
  readonly version: number
  readonly tokens: number
  readonly estimate: number
}

export interface Ignored {
  readonly seq: number
  readonly reason: string
}

const NOTHING: ReadonlySet<string> = new Set()

export function emptyContext(): Context {
  return {
    version: 0,
    head: { systemTokens: 0, userSystemTokens: 0 },
    items: Sequence.from<Item>([]),
    tokens: 0,
    open: NOTHING,
    stack: [],
    undone: [],
    pops: [],
    active: [],
    calibration: UNCALIBRATED,
    ignored: [],
  }
}

/** The latest COMPACTION in effect, if any. */
export function buildMarker(context: Context): number | undefined {
  return context.active.at(-1)
}

export function headIds(context: Context): EntryId[] {
  return [context.head.system, context.head.userSystem]
    .filter((seq) => seq !== undefined)
    .map(originalId)
}

/** The weight of everything, system prompts included. */
export function weightOf(context: Context): number {
  return context.tokens + context.head.systemTokens + context.head.userSystemTokens
}

/** How far our weights are off for this thread's model, latest measurement included. */
export function calibrationOf(context: Context): Calibration {
  return context.measured ? calibrate(context.calibration, context.measured) : context.calibration
}

/**
 * One step of the fold, the same in a replay and live. `eventAt` returns earlier events; only a change needs
 * them. An event that cannot be applied is recorded, never thrown.
 */
export function foldEvent(context: Context, event: ThreadEvent, eventAt: EventAt): Context {
  if (event.seq !== context.version + 1)
    throw new PrecisError(
      'store-corrupt',
      `event ${event.seq} follows ${context.version} in the log`,
      {
        where: `thread ${event.threadId}`,
        hint: 'A log is numbered 1, 2, 3 … without gaps; run a check of the store.',
      },
    )
  const next = { ...context, version: event.seq }
  if (bearsEntry(event)) return foldEntry(next, event)
  if (isChange(event)) return foldChange(next, event, eventAt)
  switch (event.type) {
    case 'TOOL_CALL':
      return foldCall(next, event)
    case 'SYSTEM_PROMPT':
      return {
        ...next,
        head: { ...next.head, system: event.seq, systemTokens: weighText(event.data) },
      }
    case 'USER_SYSTEM_PROMPT':
      return {
        ...next,
        head: { ...next.head, userSystem: event.seq, userSystemTokens: weighText(event.data) },
      }
    case 'FOREIGN':
      return foldForeign(next, event)
    default:
      return next
  }
}

/** An unreadable row is in the log but not in the context; this is reported. */
function foldForeign(context: Context, event: EventOf<'FOREIGN'>): Context {
  const undecodable = undecodableOf(event)
  if (!undecodable) return context
  const reason = `it cannot be read: ${undecodable.error.message}`
  return { ...context, ignored: [...context.ignored, { seq: event.seq, reason }] }
}

/** Folds a whole log, or continues from a context. */
export function foldEvents(
  events: Iterable<ThreadEvent>,
  eventAt: EventAt,
  from = emptyContext(),
): Context {
  let context = from
  for (const event of events) context = foldEvent(context, event, eventAt)
  return context
}

function foldEntry(context: Context, event: EventOf<EntryType>): Context {
  const item = itemOfEvent(event)
  const next = { ...context, items: context.items.push(item), tokens: context.tokens + item.tokens }
  switch (event.type) {
    case 'AGENT_MESSAGE': {
      const open = event.data.calls.length > 0 ? new Set(event.data.calls) : NOTHING
      const usage = event.data.tokenUsage
      if (!usage) return { ...next, open }
      // A zero prompt count means the server does not count, so it says nothing about the window.
      if (!(usage.promptTokens > 0)) return { ...next, open }
      const tokens = usage.promptTokens + usage.completionTokens
      return {
        ...next,
        open,
        measured: { version: event.seq, tokens, estimate: weightOf(next) },
        // By now the previous measurement's weight is complete: its calls are folded.
        calibration: calibrationOf(context),
      }
    }
    case 'TOOL_RESULT':
      return event.data.id !== undefined && next.open.has(event.data.id)
        ? { ...next, open: without(next.open, event.data.id) }
        : next
    default:
      // Open calls are abandoned: they never get a result.
      return { ...next, open: NOTHING }
  }
}

function foldCall(context: Context, event: EventOf<'TOOL_CALL'>): Context {
  const last = context.items.last
  if (last?.id !== originalId(event.data.answer)) return context
  const tokens = weighCall(event.data)
  const { measured } = context
  return {
    ...context,
    items: context.items.replaceLast({ ...last, tokens: last.tokens + tokens }),
    tokens: context.tokens + tokens,
    // The provider's count of the answer included its calls.
    ...(measured?.version === event.data.answer && {
      measured: { ...measured, estimate: measured.estimate + tokens },
    }),
  }
}

function foldChange(context: Context, event: EventOf<ChangeType>, eventAt: EventAt): Context {
  const direction = event.type === 'COMPACTION' ? 'forward' : 'reversal'
  const applied = applyChange(context.items.toArray(), event.data, event.seq, direction, eventAt)
  return applied.ok
    ? foldApplied(context, event, applied, eventAt)
    : {
        ...context,
        ignored: [...context.ignored, { seq: event.seq, reason: applied.message }],
      }
}

/** The step for a change the gate has already applied. */
export function foldGated(
  context: Context,
  event: EventOf<'COMPACTION'>,
  applied: Applied,
  eventAt: EventAt,
): Context {
  return foldApplied({ ...context, version: event.seq }, event, applied, eventAt)
}

function foldApplied(
  context: Context,
  event: EventOf<ChangeType>,
  applied: Applied,
  eventAt: EventAt,
): Context {
  const { measured: _, ...rest } = context
  return {
    ...rest,
    ...standing(context, event, eventAt),
    items: Sequence.from(applied.items),
    tokens: applied.items.reduce((sum, item) => sum + item.tokens, 0),
    open: findOpenCalls(applied.items),
    calibration: calibrate(calibrationOf(context), undefined),
  }
}

/** The changes in effect, and what undo and redo would revert next. */
function standing(
  context: Context,
  event: EventOf<ChangeType>,
  eventAt: EventAt,
): Pick<Context, 'stack' | 'undone' | 'pops' | 'active'> {
  const { stack, undone, pops, active } = context
  const pushed = { stack: [...stack, event.seq], pops }
  switch (event.type) {
    case 'COMPACTION':
      return { ...pushed, undone, active: [...active, event.seq] }
    case 'CONTENT_EXPANDED':
      return { ...pushed, undone, active }
    case 'COMPACTION_UNDONE': {
      const { of, reverts } = event.data
      return {
        ...(stack.at(-1) === reverts ? popped(context, event.seq) : pushed),
        undone: [...undone, event.seq],
        active: active.filter((seq) => seq !== of),
      }
    }
    case 'COMPACTION_REDONE': {
      const { of, reverts } = event.data
      const compaction = eventAt(of)?.type === 'COMPACTION' // otherwise an expansion was redone
      return {
        ...(stack.at(-1) === reverts ? popped(context, event.seq) : pushed),
        undone: undone.filter((seq) => seq !== reverts),
        active: compaction ? [...active, of].toSorted((a, b) => a - b) : active,
      }
    }
  }
}

/** Removes the top change. A period in effect within this one adds nothing. */
function popped({ stack, pops }: Context, at: number): Pick<Context, 'stack' | 'pops'> {
  const change = stack.at(-1) ?? at
  const others = pops.filter(([earlier]) => earlier < change)
  return { stack: stack.slice(0, -1), pops: [...others, [change, at]] }
}

function without(set: ReadonlySet<string>, member: string): ReadonlySet<string> {
  if (set.size === 1) return NOTHING
  const rest = new Set(set)
  rest.delete(member)
  return rest
}
