// One compaction of an array of messages with the strategies of a kit: what it takes, does and gives
import type { EntryId } from '../core/edit/change.ts'
import { type CompactionReport, reasonsIn, reportCompaction } from '../core/edit/report.ts'
import { nameOfEntry } from '../core/edit/report-name.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import { bearsEntry, type PinData } from '../core/log/event.ts'
import type { Signal } from '../core/model.ts'
import * as option from '../core/options.ts'
import { runNow, runSteps } from '../core/steps.ts'
import { weightOf } from '../core/view/context.ts'
import { findRoot, itemOfEvent } from '../core/view/entry.ts'
import { chooseDialect, requireRoles } from '../messages/detect.ts'
import type { FormatId } from '../messages/dialect.ts'
import { MessageLog } from '../messages/message-log.ts'
import { writeMessages } from '../messages/write-messages.ts'
import { type Kit, type ModelLike, requireStrategy, runCompaction } from './run-compaction.ts'

const CHECKS: option.Checks<Given<never>> = {
  budget: option.positive,
  format: option.optional(option.text),
  strategy: option.optional(option.strategy),
  pins: option.optional(option.list),
  instructions: option.optional(option.text),
  nextPrompt: option.optional(option.text),
  model: option.optional(option.model),
  signal: option.optional(option.signal),
}

/** Synchronous unless a model is given. `of` is the function that errors name. */
export function compactMessages<M extends object>(
  messages: readonly M[],
  options: Given<M>,
  kit: Kit,
  of = 'compact',
): Compacted<M> | Promise<Compacted<M>> {
  return options?.model === undefined
    ? runNow(compactSteps(messages, options, kit, of), () => answersLater(of, options?.strategy))
    : runSteps(compactSteps(messages, options, kit, of))
}

function* compactSteps<M extends object>(
  messages: readonly M[],
  options: Given<M>,
  kit: Kit,
  of: string,
) {
  requireMessages(of, messages)
  option.checkOptions(of, options, CHECKS)
  requireStrategy(options.strategy, options.model, kit)
  const log = new MessageLog(chooseDialect(messages, options.format))
  log.add(messages)
  log.pins.push(...createPins([...new Set<unknown>(options.pins)], log))
  if (weightOf(log.context) <= options.budget)
    return { messages: messages as M[], changed: false, report: unchangedReport(log), losses: [] }
  const report = yield* runCompaction(log, options, 'command', kit)
  const written = writeMessages(log, { refs: false, made: new Map() })
  const isSame =
    written.length === messages.length &&
    written.every(({ message }, index) => message === (messages[index] as unknown))
  return {
    messages: isSame ? (messages as M[]) : written.map(({ message }) => message as M),
    changed: !isSame,
    report,
    losses: findLosses(log),
  }
}

function answersLater(of: string, strategy: Given<object>['strategy']): PrecisError {
  const id = typeof strategy === 'object' ? strategy.id : strategy
  return new PrecisError(
    'invalid-input',
    `${of}: the strategy "${id}" is asynchronous, but \`compact\` without a model is not.`,
    {
      where: 'strategy',
      hint: 'Make it with `immediate`, or use it in `createCompactor`: its `fit` waits.',
    },
  )
}

export function requireMessages(of: string, messages: unknown): void {
  if (!Array.isArray(messages)) throw notAnArray(of)
  requireRoles(messages)
}

function notAnArray(of: string): PrecisError {
  return new PrecisError('invalid-input', `${of}: messages must be an array.`, {
    where: 'messages',
    hint: 'Pass the array of messages that you send to the model.',
  })
}

function unchangedReport(log: MessageLog): CompactionReport {
  const { context, eventAt } = log
  const change = { strategyId: 'none', trigger: 'command', edits: [] } as const
  return reportCompaction({ before: context, after: context, eventAt, change, pins: log.pins })
}

/** Pins for a text, or for the entries of a message. */
export function createPins(pins: readonly unknown[], log: MessageLog): PinData[] {
  return pins.map((pin, index): PinData => {
    const pinId = `pin.${log.pins.length + index + 1}`
    if (typeof pin === 'string' && pin !== '') return { pinId, text: pin, by: 'user' }
    const number = log.messages.indexOf(pin as MessageLog['messages'][number])
    if (number < 0)
      throw new PrecisError('invalid-input', `pins[${index}] is not a message of the array.`, {
        where: `pins[${index}]`,
        hint: 'A pin is a text, or one of the objects in the array itself, not a copy.',
      })
    return { pinId, entries: log.entries[number] ?? [], by: 'user' }
  })
}

export interface CompactOptions<M> {
  /** The maximum for the messages, in estimated tokens. */
  readonly budget: number
  /** Default: detected from the messages. */
  readonly format?: FormatId
  /** A strategy, or its id. Default: `cascade`, which needs no model; `brief` with a model. */
  readonly strategy?: Strategy | string
  /** Texts and messages of the array that stay unchanged. */
  readonly pins?: readonly (string | M)[]
  /** What the summary must keep, in words. */
  readonly instructions?: string
  /** The user's next message: what matters for it stays. */
  readonly nextPrompt?: string
}

/** With a model the result is a promise. */
export interface CompactWithModel<M> extends CompactOptions<M> {
  readonly model: ModelLike
  readonly signal?: Signal
}

export interface Compacted<M> {
  /** The same array if nothing changed. Unchanged messages are the same objects. */
  readonly messages: M[]
  readonly changed: boolean
  readonly report: CompactionReport
  /** Everything missing or shortened, by message. */
  readonly losses: readonly Loss[]
}

/** With or without a model. */
export type Given<M> = CompactOptions<M> & Partial<CompactWithModel<M>>

/** Something that is missing or shortened. */
export interface Loss {
  /** Indices of its messages in the given array; several if they form one answer. */
  readonly messages: readonly number[]
  readonly kind: 'removed' | 'shortened'
  /** A recognisable name. */
  readonly what: string
  /** The rule, rung or strategy. */
  readonly why: string
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/** Events never change, and a compactor lists its losses on each request. */
const weights = new WeakMap<object, number>()

function weigh(event: Parameters<typeof itemOfEvent>[0]): number {
  const tokens = weights.get(event) ?? itemOfEvent(event).tokens
  weights.set(event, tokens)
  return tokens
}

/** `indexOf` returns the caller's index of a message. */
export function findLosses(
  log: MessageLog,
  indexOf: (number: number) => number | undefined = (number) => number,
): Loss[] {
  const { context, eventAt } = log
  const standing = new Map<EntryId, { id: EntryId; tokens: number }>()
  for (const item of context.items) standing.set(findRoot(item.id, eventAt), item)
  const why = new Map<EntryId, string>()
  let otherwise = ''
  for (const seq of context.active) {
    const event = eventAt(seq)
    if (event?.type !== 'COMPACTION') continue
    const reasons = reasonsIn(event.data.metadata)
    for (const [id, reason] of reasons) why.set(findRoot(id, eventAt), reason)
    otherwise = event.data.strategyId
  }
  return [...log.places].flatMap(([id, places]): Loss[] => {
    const left = standing.get(id)
    if (left?.id === id) return []
    const event = eventAt(Number(id.slice(1)))
    if (!event || !bearsEntry(event)) return []
    const messages = places.flatMap((place) => indexOf(place.message) ?? [])
    if (messages.length === 0) return []
    return [
      {
        messages,
        kind: left === undefined ? 'removed' : 'shortened',
        what: nameOfEntry(id, eventAt),
        why: why.get(id) ?? otherwise,
        tokensBefore: weigh(event),
        tokensAfter: left?.tokens ?? 0,
      },
    ]
  })
}
