// Detected pins: binding sentences of the user, and sentences that match a pattern.
import { findSentences } from '../constraints/sentences.ts'
import { settle } from '../constraints/settle.ts'
import type { EventAt, EventOf, PinData, ThreadEvent } from '../log/event.ts'
import { matchesText } from '../text/patterns.ts'
import { ownTexts } from '../view/content.ts'
import type { Context } from '../view/context.ts'
import { parseEntryId } from '../view/entry.ts'
import { bindingTexts } from '../view/typed-text.ts'
import { estimateTokens } from '../window/tokens/estimate.ts'
import { type Pins, readPinnedText } from './pins.ts'

export interface PinningPolicy {
  /** Whether binding sentences are detected automatically. */
  readonly detect?: boolean
  /** Pins user sentences that match one of these; `*` is a wildcard. */
  readonly patterns?: readonly string[]
  /** Limit for all detected pins; the newest come first. */
  readonly maxTokens?: number
}

export type DetectedPin = Required<Pick<PinData, 'text' | 'by'>> &
  Pick<PinData, 'saidAt' | 'wasSet'>

/** Default limit for all detected pins. */
export const FOUND_PINS_TOKENS = 2_000
const MAX_PINS = 100

/**
 * What to pin before compacting: detected in typed text the context still shows. Existing pins count towards
 * the limit, so they cannot fill the window over time.
 */
export function findPins(
  context: Context,
  eventAt: EventAt,
  known: { readonly pins: Pins; readonly released: readonly string[] },
  policy: PinningPolicy,
): DetectedPin[] {
  const { maxTokens = FOUND_PINS_TOKENS } = policy
  const taken = new Set([...known.released, ...known.pins.map(({ text }) => text ?? '')])
  const standing = known.pins.filter(({ by }) => by === 'detected' || by === 'pattern')
  let tokens = standing.reduce((sum, { text = '' }) => sum + estimateTokens(text), 0)
  let room = MAX_PINS - standing.length
  const found: DetectedPin[] = []
  for (const pins of pinsByMessage(context, eventAt, policy)) {
    for (const pin of pins.toReversed()) {
      if (taken.has(pin.text)) continue
      taken.add(pin.text)
      tokens += estimateTokens(pin.text)
      room -= 1
      if (tokens > maxTokens || room < 0) return found.reverse()
      found.push(pin)
    }
  }
  return found.reverse()
}

/** Newest first. Only typed text binds, and our own note in an imported file. */
function* pinsByMessage(
  context: Context,
  eventAt: EventAt,
  policy: PinningPolicy,
): Generator<readonly DetectedPin[]> {
  const events = context.items.toArray().flatMap((item) => {
    const id = parseEntryId(item.id)
    return (id.original && eventAt(id.seq)) || []
  })
  const isDated = spans(events)
  const isFinding = policy.detect === true || (policy.patterns?.length ?? 0) > 0
  const { bound, gone } = policy.detect === true ? settledIn(events) : NOTHING_SETTLED
  for (const event of events.toReversed()) {
    if (event.type !== 'USER_MESSAGE') continue
    const isOurs = event.origin !== 'tool' && event.origin !== 'model'
    if (isOurs && isFinding) yield notedPins(event)
    const age = isDated ? { saidAt: printMinute(event.timestamp) } : {}
    const binding = (bound.get(event) ?? []).filter((each) => !gone.has(each))
    yield pinsIn(bindingTexts(event), binding, policy).map((pin) => ({ ...pin, ...age }))
  }
}

interface SettledTexts {
  readonly bound: ReadonlyMap<ThreadEvent, readonly string[]>
  /** Retracted later. */
  readonly gone: ReadonlySet<string>
}

const NOTHING_SETTLED: SettledTexts = { bound: new Map(), gone: new Set() }

/** What binds in each message, oldest first. */
function settledIn(events: readonly ThreadEvent[]): SettledTexts {
  const bound = new Map<ThreadEvent, readonly string[]>()
  const gone = new Set<string>()
  let standing: string[] = []
  let asked = ''
  for (const event of events) {
    if (event.type === 'AGENT_MESSAGE' && event.data.content.trim() !== '')
      asked = event.data.content
    if (event.type !== 'USER_MESSAGE') continue
    for (const text of bindingTexts(event)) {
      const settled = settle(text, asked, standing)
      for (const each of settled.gone) gone.add(each)
      for (const each of settled.binding) gone.delete(each)
      standing = [...standing.filter((each) => !settled.gone.has(each)), ...settled.binding]
      bound.set(event, [...(bound.get(event) ?? []), ...settled.binding])
    }
  }
  return { bound, gone }
}

/** Counted as detected, whoever set them: a message must not exceed the limit. */
function notedPins({ data, origin }: EventOf<'USER_MESSAGE'>): DetectedPin[] {
  return ownTexts(data).flatMap((each) =>
    (readPinnedText(each) ?? []).flatMap(({ text, wasSet = false, ...age }) => {
      if (text === undefined) return []
      const set = wasSet && origin === 'summary' ? { wasSet } : {}
      return [{ text, ...age, ...set, by: 'detected' as const }]
    }),
  )
}

const SHORTEST_SPAN_MS = 60_000

/** A file without times is read within moments, so its times mean nothing. */
function spans(events: readonly ThreadEvent[]): boolean {
  const times = events.map(({ timestamp }) => timestamp.getTime())
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  return Math.abs(last - first) >= SHORTEST_SPAN_MS
}

function printMinute(timestamp: Date): string {
  return timestamp.toISOString().slice(0, 16).replace('T', ' ')
}

function pinsIn(
  texts: readonly string[],
  binding: readonly string[],
  { patterns = [] }: PinningPolicy,
): DetectedPin[] {
  const byPattern =
    patterns.length === 0
      ? []
      : texts
          .flatMap(findSentences)
          .filter((each) => patterns.some((pattern) => matchesText(pattern, each)))
  const detected = binding.filter((each) => !byPattern.includes(each))
  return [
    ...[...new Set(byPattern)].map((each) => ({ text: each, by: 'pattern' as const })),
    ...detected.map((each) => ({ text: each, by: 'detected' as const })),
  ]
}
