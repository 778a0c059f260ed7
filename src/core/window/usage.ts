// Billed usage: sums of providers' reports, never the context size (see reading.ts).

import { asPrecisError, PrecisError } from '../errors.ts'
import type { ThreadEvent } from '../log/event.ts'
import type { Reducer } from '../ports.ts'
import { isRecord, type Json } from '../text/json.ts'
import type { TokenUsage } from '../view/content.ts'

/** The sum over events, under the names of the LOG design. */
export interface AggregatedUsage {
  readonly totalPromptTokens: number
  readonly totalCompletionTokens: number
  readonly totalTokens: number // prompt + completion
  readonly eventCount: number // events with a usage
}

/** Sums of usage reports. Cache figures are absent until a provider reports one. */
export interface UsageTotals {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly eventCount: number
}

/** The bill of a thread. Compactions shrink the context, not the bill. */
export interface UsageState {
  readonly conversation: UsageTotals // answers, and tools' sub-threads
  readonly summarizing: UsageTotals // compactions, failed ones included
  /** Cost of the summary a fresh session opens with. Not part of its bill, which starts at 0 (FRESH-22). */
  readonly opening?: UsageTotals
}

const NOTHING: UsageTotals = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  eventCount: 0,
}

/** The billed usage of answers and tool results; events without usage are skipped. */
export function aggregateTokenUsage(events: readonly ThreadEvent[]): AggregatedUsage {
  const sum = events.reduce((totals, event) => addUsage(totals, conversationUsage(event)), NOTHING)
  return {
    totalPromptTokens: sum.promptTokens,
    totalCompletionTokens: sum.completionTokens,
    totalTokens: sum.totalTokens,
    eventCount: sum.eventCount,
  }
}

export const usageReducer: Reducer<UsageState> = {
  name: 'usage',
  version: 1,
  init: () => ({ conversation: NOTHING, summarizing: NOTHING }),
  step(state, event) {
    if (event.type === 'THREAD_STARTED' && event.data.usage)
      return { ...state, opening: addUsage(NOTHING, event.data.usage) }
    const conversation = addUsage(
      addUsage(state.conversation, conversationUsage(event)),
      unfinishedUsage(event),
    )
    const summarizing = addUsage(state.summarizing, summarizingUsage(event))
    return conversation === state.conversation && summarizing === state.summarizing
      ? state
      : { ...state, conversation, summarizing }
  },
  encode: ({ conversation, summarizing, opening }): Json => ({
    conversation: { ...conversation },
    summarizing: { ...summarizing },
    ...(opening && { opening: { ...opening } }),
  }),
  decode(json) {
    const stored = isRecord(json) ? json : {}
    const opening = stored.opening === undefined ? undefined : storedTotals(stored.opening)
    return {
      conversation: storedTotals(stored.conversation),
      summarizing: storedTotals(stored.summarizing),
      ...(opening && { opening }),
    }
  },
}

/** Without a schema, because browsers that compact load this. */
function storedTotals(json: unknown): UsageTotals {
  const stored = isRecord(json) ? json : {}
  const { cacheReadTokens, cacheWriteTokens } = stored
  return {
    promptTokens: storedCount(stored.promptTokens),
    completionTokens: storedCount(stored.completionTokens),
    totalTokens: storedCount(stored.totalTokens),
    ...(cacheReadTokens !== undefined && { cacheReadTokens: storedCount(cacheReadTokens) }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens: storedCount(cacheWriteTokens) }),
    eventCount: storedCount(stored.eventCount),
  }
}

function storedCount(json: unknown): number {
  if (typeof json === 'number' && Number.isFinite(json) && json >= 0) return json
  throw new PrecisError('store-corrupt', 'a stored sum of token usage cannot be read', {
    where: 'snapshot, reducer usage',
    hint: 'Remove the snapshot: it is rebuilt from the log.',
  })
}

/** The total cost of the thread: conversation and compactions. */
export function billedUsage({ conversation, summarizing }: UsageState): UsageTotals {
  const cacheRead = addKnown(conversation.cacheReadTokens, summarizing.cacheReadTokens)
  const cacheWrite = addKnown(conversation.cacheWriteTokens, summarizing.cacheWriteTokens)
  return {
    promptTokens: conversation.promptTokens + summarizing.promptTokens,
    completionTokens: conversation.completionTokens + summarizing.completionTokens,
    totalTokens: conversation.totalTokens + summarizing.totalTokens,
    ...(cacheRead !== undefined && { cacheReadTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
    eventCount: conversation.eventCount + summarizing.eventCount,
  }
}

/** The sum of two usages. Figures unknown in both stay unknown, and so does the model if they differ. */
export function sumUsage(one: TokenUsage | undefined, other: TokenUsage): TokenUsage {
  const { eventCount: _, ...sum } = addUsage(addUsage(NOTHING, one), other)
  const { model } = other
  const isOfOne = model !== undefined && (one === undefined || one.model === model)
  return { ...sum, ...(isOfOne && { model }) }
}

/** Adds `spent` to what the error already reports. */
export function withUsage(thrown: unknown, spent: TokenUsage | undefined): PrecisError {
  const error = asPrecisError(thrown)
  if (spent === undefined) return error
  const told = usageIn(error)
  return withBill(error, told ? sumUsage(spent, told) : spent)
}

/** The same error with this as its total cost. */
export function withBill(thrown: unknown, usage: TokenUsage): PrecisError {
  const error = asPrecisError(thrown)
  const { code, message, hint, where, retryable, details } = error
  return new PrecisError(code, message, {
    ...(hint !== undefined && { hint }),
    ...(where !== undefined && { where }),
    retryable,
    details: { ...details, usage },
    cause: error,
  })
}

/** The cost an error reports, if any. */
export function usageIn(thrown: unknown): TokenUsage | undefined {
  return PrecisError.is(thrown) ? (thrown.details.usage as TokenUsage | undefined) : undefined
}

function conversationUsage(event: ThreadEvent): TokenUsage | undefined {
  return event.type === 'AGENT_MESSAGE' || event.type === 'TOOL_RESULT'
    ? event.data.tokenUsage
    : undefined
}

/** Billed, but not part of the conversation's own usage. */
function unfinishedUsage(event: ThreadEvent): TokenUsage | undefined {
  return event.type === 'AGENT_MESSAGE' ? event.data.unfinishedUsage : undefined
}

/** Everything an event bills. */
export function readBill(event: ThreadEvent): TokenUsage | undefined {
  const usage = conversationUsage(event) ?? summarizingUsage(event)
  const unfinished = unfinishedUsage(event)
  return usage && unfinished ? sumUsage(unfinished, usage) : (usage ?? unfinished)
}

function summarizingUsage(event: ThreadEvent): TokenUsage | undefined {
  return event.type === 'COMPACTION' || event.type === 'COMPACTION_FAILED'
    ? event.data.usage
    : undefined
}

function addUsage(totals: UsageTotals, usage: TokenUsage | undefined): UsageTotals {
  if (usage === undefined) return totals
  const prompt = counted(usage.promptTokens)
  const completion = counted(usage.completionTokens)
  const cacheRead = addKnown(totals.cacheReadTokens, usage.cacheReadTokens)
  const cacheWrite = addKnown(totals.cacheWriteTokens, usage.cacheWriteTokens)
  return {
    promptTokens: totals.promptTokens + prompt,
    completionTokens: totals.completionTokens + completion,
    totalTokens: totals.totalTokens + prompt + completion,
    ...(cacheRead !== undefined && { cacheReadTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
    eventCount: totals.eventCount + 1,
  }
}

function addKnown(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined && b === undefined) return undefined
  return counted(a) + counted(b)
}

/** Foreign logs may hold anything; invalid counts add nothing. */
function counted(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? tokens : 0
}
