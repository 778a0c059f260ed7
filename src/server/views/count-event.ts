// Adds one event to the tally of a thread: cost, usage, context size.
import type { Reading } from '../../core/edit/change.ts'
import { isChange, type ThreadEvent } from '../../core/log/event.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { type Context, emptyContext } from '../../core/view/context.ts'
import { type AggregatedUsage, aggregateTokenUsage, readBill } from '../../core/window/usage.ts'
import type { ModelCost, TimelinePoint } from '../../protocol/client.ts'
import type { AppModels, PricedModel } from '../ports.ts'

export interface ThreadTotals {
  readonly seq: number
  readonly lastId: string // of the event at `seq`: another thread may have its name by now
  readonly context: Context
  readonly points: readonly TimelinePoint[]
  readonly model?: string // the latest model
  readonly usd?: number // unknown until something had a price
  readonly models: ReadonlyMap<string, ModelCost>
  /** Of the working conversation. Absent after a change, until it is read again. */
  readonly usage?: AggregatedUsage
}

export const NOTHING_TALLIED: ThreadTotals = {
  seq: 0,
  lastId: '',
  context: emptyContext(),
  points: [],
  models: new Map(),
  usage: aggregateTokenUsage([]),
}

/** No screen could show more. */
export const MOST_POINTS = 2_000

/** Prices by model name, looked up on first use. */
export type Prices = Map<string, Promise<PricedModel | undefined>>

export async function addCost(
  tally: ThreadTotals,
  event: ThreadEvent,
  prices: Prices,
  models: Pick<AppModels, 'resolve'>,
): Promise<ThreadTotals> {
  const latest = readModel(event) ?? tally.model
  const next = latest === undefined ? tally : { ...tally, model: latest }
  const usage = readBill(event)
  if (!usage) return next
  // Any model may write a summary; without its name the price is unknown.
  const isSummary = event.type === 'COMPACTION' || event.type === 'COMPACTION_FAILED'
  const model = usage.model ?? (isSummary ? undefined : latest)
  if (isSummary && model === undefined) return withBill(next, UNNAMED, usage, undefined)
  const name = model ?? ''
  const price = prices.get(name) ?? models.resolve(model).catch(() => undefined)
  prices.set(name, price)
  const usd = (await price)?.costOf(usage)
  const billed = withBill(next, name || UNNAMED, usage, usd)
  return usd === undefined ? billed : { ...billed, usd: (tally.usd ?? 0) + usd }
}

/** For usage without a model name. */
const UNNAMED = 'unknown'

function withBill(
  tally: ThreadTotals,
  model: string,
  usage: TokenUsage,
  usd: number | undefined,
): ThreadTotals {
  const { costUsd, ...was } = tally.models.get(model) ?? { ...NO_REQUESTS, model }
  const cost = usd === undefined && costUsd === undefined ? undefined : (costUsd ?? 0) + (usd ?? 0)
  const sum: ModelCost = {
    model,
    requests: was.requests + 1,
    promptTokens: was.promptTokens + counted(usage.promptTokens),
    completionTokens: was.completionTokens + counted(usage.completionTokens),
    cacheReadTokens: was.cacheReadTokens + counted(usage.cacheReadTokens),
    cacheWriteTokens: was.cacheWriteTokens + counted(usage.cacheWriteTokens),
    ...(cost !== undefined && { costUsd: cost }),
  }
  return { ...tally, models: new Map(tally.models).set(model, sum) }
}

const NO_REQUESTS: Omit<ModelCost, 'model'> = {
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
}

/** Foreign logs may hold anything; invalid counts add nothing. */
function counted(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? tokens : 0
}

/** LOG-74, incremental. A change, and a result that may stand for several, need the whole view. */
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

/** The point after an answer or a change, from the context behind it. */
export function pointAt(
  event: ThreadEvent,
  before: Reading,
  { tokens, by }: Reading,
): TimelinePoint | undefined {
  if (tokens === undefined || by === undefined) return undefined
  return { seq: event.seq, tokens, by, ...changeAt(event, before.tokens, tokens) }
}

function changeAt(
  event: ThreadEvent,
  before: number | undefined,
  after: number,
): Pick<TimelinePoint, 'compaction' | 'undone' | 'redone'> {
  if (event.type === 'COMPACTION_UNDONE') return { undone: event.data.of }
  if (event.type === 'COMPACTION_REDONE') return { redone: event.data.of }
  if (event.type !== 'COMPACTION' || event.data.edits.length === 0) return {}
  const { strategyId: strategy } = event.data
  return { compaction: { strategy, ...(before !== undefined && { before }), after } }
}

/** Keeps compactions, and the largest point of each stretch between them. */
export function thinned(points: readonly TimelinePoint[]): readonly TimelinePoint[] {
  if (points.length <= MOST_POINTS) return points
  const stretch = Math.ceil(points.length / MOST_POINTS)
  const kept: TimelinePoint[] = []
  for (let at = 0; at < points.length; at += stretch) {
    const some = points.slice(at, at + stretch)
    const largest = some.reduce((one, other) => (other.tokens > one.tokens ? other : one))
    kept.push(...some.filter((point) => point === largest || isMarked(point)))
  }
  const last = points.at(-1)
  if (last && kept.at(-1) !== last) kept.push(last)
  return kept
}

function isMarked({ compaction, undone, redone }: TimelinePoint): boolean {
  return compaction !== undefined || undone !== undefined || redone !== undefined
}

function readModel(event: ThreadEvent): string | undefined {
  return event.type === 'MODEL_CHANGED' || event.type === 'AGENT_MESSAGE'
    ? event.data.model
    : undefined
}
