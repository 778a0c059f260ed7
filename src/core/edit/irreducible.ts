// The largest parts of a context, and the irreducible error with floor and budget.
import { PrecisError } from '../errors.ts'
import type { EventAt } from '../log/event.ts'
import { isFields, type Json } from '../text/json.ts'
import { type Context, headIds } from '../view/context.ts'
import { findRoot, newEntryAt } from '../view/entry.ts'
import { weighText } from '../window/tokens/weigh.ts'
import type { EntryId } from './change.ts'
import { type Pins, pinnedText } from './pins.ts'
import { nameOfEntry } from './report-name.ts'
import type { Proposal } from './strategy.ts'

export interface Irreducible {
  readonly floor: number // minimum size in estimated tokens
  readonly budget: number
  readonly biggest: readonly BigPart[] // heaviest first
}

export interface BigPart {
  readonly ref?: EntryId // absent if it is not in the context
  readonly what: string
  readonly tokens: number
}

const BIGGEST = 5

/** What remains if nothing more can go, with pins. */
interface Lowest {
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins?: Pins | undefined
}

/** The error of a compaction that cannot go lower. */
export function irreducible(
  lowest: Lowest,
  { floor, budget }: Pick<Irreducible, 'floor' | 'budget'>,
): PrecisError {
  const biggest = biggestParts(lowest)
  const list = biggest.map(({ what, tokens }) => `${what} (${tokens})`).join('; ')
  return new PrecisError(
    'irreducible',
    `The content that must stay takes ${floor} tokens, and the budget is ${budget}.`,
    {
      hint: `Remove pins, shorten the system prompt, or use a model with a larger window. The biggest parts: ${list}.`,
      // A caller that accepts more may ask again, as after a refusal of the gate.
      details: { reason: 'above-target', floor, budget, biggest },
    },
  )
}

/** The data of such an error; undefined for others. */
export function irreducibleOf(error: unknown): Irreducible | undefined {
  if (!PrecisError.is(error) || error.code !== 'irreducible') return undefined
  const { floor, budget, biggest } = error.details
  return typeof floor === 'number' && typeof budget === 'number' && Array.isArray(biggest)
    ? { floor, budget, biggest: biggest as readonly BigPart[] }
    : undefined
}

function biggestParts(lowest: Lowest): BigPart[] {
  const { context, eventAt } = lowest
  const pinned = weighNewPins(lowest)
  const { systemTokens, userSystemTokens } = context.head
  const head = headIds(context).map((ref) => {
    const isSystem = ref === `e${context.head.system}`
    const tokens = isSystem ? systemTokens : userSystemTokens
    return { ref, tokens, what: isSystem ? 'system prompt' : "user's system prompt" }
  })
  const items = [...context.items]
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, BIGGEST)
    .map(({ id, tokens }) => ({
      ref: findRoot(id, eventAt),
      tokens,
      what: nameOfEntry(id, eventAt),
    }))
  const texts = pinned === 0 ? [] : [{ tokens: pinned, what: 'pinned texts' }]
  return [...head, ...texts, ...items].sort((a, b) => b.tokens - a.tokens).slice(0, BIGGEST)
}

/** Pinned texts that are not in the context yet. */
export function weighNewPins({ context, eventAt, pins = [] }: Lowest): number {
  const text = pinnedText(pins)
  if (text === undefined) return 0
  const stands = [...context.items].some(({ id }) => {
    const entry = id.startsWith('c') ? newEntryAt(id, eventAt) : undefined
    return entry?.label === 'pins' && entry.data === text
  })
  return stands ? 0 : weighText(text)
}

// A type, since it is put into an event as JSON.
/** The proposal for a context that already fits its budget, distinct from a failure */
type MetTarget = { readonly tokens: number; readonly targetTokens: number }

export function proposeNothing(met: MetTarget): Proposal {
  return { edits: [], metadata: { met } }
}

/** For the metadata of a strategy without a given target: its own. */
export function ownTarget(
  { targetTokens }: { readonly targetTokens?: number | undefined },
  defaultTargetTokens: number,
) {
  return targetTokens === undefined ? { defaultTargetTokens } : {}
}

/** Logs are data: other shapes are ignored. */
export function metTargetIn(metadata: Json | undefined): MetTarget | undefined {
  const met = isFields(metadata) ? metadata.met : undefined
  if (!isFields(met)) return undefined
  const { tokens, targetTokens } = met
  return typeof tokens === 'number' && typeof targetTokens === 'number'
    ? { tokens, targetTokens }
    : undefined
}
