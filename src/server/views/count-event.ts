// Adds one event to the tally of a thread: cost, usage, context size
import type { Reading } from '../../core/edit/change.ts'
import { type EventOf, isChange, type ThreadEvent } from '../../core/log/event.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { type Context, emptyContext } from '../../core/view/context.ts'
import { type AggregatedUsage, aggregateTokenUsage } from '../../core/window/usage.ts'
import type { TimelinePoint } from '../../protocol/client.ts'
import type { AppModels, PricedModel } from '../ports.ts'

export interface ThreadTotals {
  readonly seq: number
  readonly lastId: string // of the event at `seq`: another thread may have its name by now
  readonly context: Context
  readonly points: readonly TimelinePoint[]
  readonly model?: string // the latest that was spoken of
  readonly usd?: number // unknown until something had a price
  /** Of the working conversation. Absent behind a change: then it is to be read again. */
  readonly usage?: AggregatedUsage
}

export const NOTHING_TALLIED: ThreadTotals = {
  seq: 0,
  lastId: '',
  context: emptyContext(),
  points: [],
  usage: aggregateTokenUsage([]),
}

/** More would not be seen apart on any screen. */
export const MOST_POINTS = 2_000

/** Prices by the name of a model, as they are asked for. */
export type Prices = Map<string, Promise<PricedModel | undefined>>

export async function addCost(
  tally: ThreadTotals,
  event: ThreadEvent,
  prices: Prices,
  models: Pick<AppModels, 'resolve'>,
): Promise<ThreadTotals> {
  const latest = readModel(event) ?? tally.model
  const next = latest === undefined ? tally : { ...tally, model: latest }
  const usage = computeBill(event)
  if (!usage) return next
  // A summary may be of any model: where it does not say whose it is, its price is not known.
  const isSummary = event.type === 'COMPACTION' || event.type === 'COMPACTION_FAILED'
  if (isSummary && usage.model === undefined) return next
  const model = usage.model ?? latest
  const name = model ?? ''
  const price = prices.get(name) ?? models.resolve(model).catch(() => undefined)
  prices.set(name, price)
  const usd = (await price)?.costOf(usage)
  return usd === undefined ? next : { ...next, usd: (tally.usd ?? 0) + usd }
}

/** LOG-74, counted on. A change, and a result that may count once for several, need the whole view. */
export function addUsage(
  usage: AggregatedUsage | undefined,
  event: ThreadEvent,
): AggregatedUsage | undefined {
  if (!usage || isChange(event)) return undefined
  if (event.type === 'TOOL_RESULT' && event.data.tokenUsage) return undefined
  if (event.type !== 'AGENT_MESSAGE' || !event.data.tokenUsage) return usage
  const more = aggregateTokenUsage([event])
  return {
    totalPromptTokens: usage.totalPromptTokens + more.totalPromptTokens,
    totalCompletionTokens: usage.totalCompletionTokens + more.totalCompletionTokens,
    totalTokens: usage.totalTokens + more.totalTokens,
    eventCount: usage.eventCount + more.eventCount,
  }
}

/** Of an answer or a change, with what is read of the context behind it. */
export function pointAt(event: ThreadEvent, { tokens, by }: Reading): TimelinePoint | undefined {
  if (tokens === undefined || by === undefined) return undefined
  const compaction = event.type === 'COMPACTION' ? compactionOf(event) : undefined
  return { seq: event.seq, tokens, by, ...(compaction && { compaction }) }
}

/** Compactions stay, and of each stretch between them the largest. */
export function thinned(points: readonly TimelinePoint[]): readonly TimelinePoint[] {
  if (points.length <= MOST_POINTS) return points
  const stretch = Math.ceil(points.length / MOST_POINTS)
  const kept: TimelinePoint[] = []
  for (let at = 0; at < points.length; at += stretch) {
    const some = points.slice(at, at + stretch)
    const largest = some.reduce((one, other) => (other.tokens > one.tokens ? other : one))
    kept.push(...some.filter((point) => point === largest || point.compaction))
  }
  const last = points.at(-1)
  if (last && kept.at(-1) !== last) kept.push(last)
  return kept
}

function compactionOf({ data }: EventOf<'COMPACTION'>): TimelinePoint['compaction'] & object {
  const [before, after] = [data.before?.tokens, data.after?.tokens]
  return {
    strategy: data.strategyId,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  }
}

function readModel(event: ThreadEvent): string | undefined {
  return event.type === 'MODEL_CHANGED' || event.type === 'AGENT_MESSAGE'
    ? event.data.model
    : undefined
}

function computeBill(event: ThreadEvent): TokenUsage | undefined {
  switch (event.type) {
    case 'AGENT_MESSAGE':
    case 'TOOL_RESULT':
      return event.data.tokenUsage
    case 'COMPACTION':
    case 'COMPACTION_FAILED':
      return event.data.usage
    default:
      return undefined
  }
}
