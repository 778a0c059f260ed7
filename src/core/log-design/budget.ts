// The token budget of the LOG design: how much of a model's window a conversation has used.
import type { Reading } from '../edit/change.ts'
import type { EventOf, ThreadEvent } from '../log/event.ts'
import type { TokenUsage } from '../view/content.ts'
import { charsOverFour, estimateConversationTokens } from '../window/tokens/counter.ts'

export interface TokenBudgetConfig {
  readonly maxTokens: number
  readonly warningThreshold: number // a share of maxTokens, from 0 to 1
  readonly reserveTokens: number // reserved for what is not counted
  readonly threshold?: number // share above which to prune; default 0.8
}

export interface BudgetStatus {
  readonly totalUsed: number
  readonly maxTokens: number
  readonly availableTokens: number
  readonly usagePercentage: number // a share, 1 is full
  readonly warningTriggered: boolean
  readonly effectiveLimit: number
  readonly promptTokens: number
  readonly completionTokens: number
}

export interface BudgetRecommendations {
  readonly shouldSummarize: boolean
  readonly shouldPrune: boolean
  readonly maxRequestSize: number
  readonly warningMessage?: string
}

export interface UsageInfo {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  readonly maxTokens: number
  readonly availableTokens: number
  readonly percentUsed: number // rounded
  readonly nearLimit: boolean
  readonly eventCount: number
  readonly lastCompactionAt?: Date
}

/** The working conversation right after a compaction. */
interface ConversationAfter {
  readonly compactedEvents?: readonly ThreadEvent[]
  readonly after?: Reading
}

interface UsageTotals {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  readonly eventCount: number
}

const UNUSED: UsageTotals = { promptTokens: 0, completionTokens: 0, totalTokens: 0, eventCount: 0 }
const DEFAULT_THRESHOLD = 0.8
const SUMMARIZE_ABOVE = 0.7
const REQUEST_SHARE = 0.1
const VERY_FEW_TOKENS = 50
const MESSAGE_OVERHEAD_TOKENS = 10

/** A running total of recorded usage against a limit. `readContext` tells how full the window is. */
export class TokenBudget {
  #config: TokenBudgetConfig
  #used: UsageTotals = UNUSED
  #lastCompactionAt: Date | undefined

  constructor(config: TokenBudgetConfig) {
    this.#config = config
  }

  /** Adds a response's billed usage; a response without usage adds nothing. */
  recordUsage(response: { readonly usage?: Partial<TokenUsage> | undefined }): void {
    if (response.usage) this.#used = add(this.#used, response.usage)
  }

  canMakeRequest(tokens: number): boolean {
    return tokens <= this.#available()
  }

  isNearLimit(): boolean {
    return this.#share() >= this.#config.warningThreshold
  }

  getBudgetStatus(): BudgetStatus {
    const { promptTokens, completionTokens, totalTokens } = this.#used
    return {
      totalUsed: totalTokens,
      maxTokens: this.#max(),
      availableTokens: this.#available(),
      usagePercentage: this.#share(),
      warningTriggered: this.isNearLimit(),
      effectiveLimit: Math.max(0, this.#max() - count(this.#config.reserveTokens)),
      promptTokens,
      completionTokens,
    }
  }

  getRecommendations(): BudgetRecommendations {
    const available = this.#available()
    if (!this.isNearLimit()) {
      return { shouldSummarize: false, shouldPrune: false, maxRequestSize: available }
    }
    const percent = Math.round(this.#share() * 100)
    return {
      shouldSummarize: this.#share() > SUMMARIZE_ABOVE,
      shouldPrune: this.#prunesAt(this.#used.totalTokens),
      maxRequestSize: Math.min(available, Math.floor(REQUEST_SHARE * this.#max())),
      warningMessage:
        available < VERY_FEW_TOKENS
          ? `Very few tokens remaining (${available}): compact before the next request.`
          : `The conversation is approaching token limit (${percent}% used).`,
    }
  }

  reset(): void {
    this.#used = UNUSED
  }

  updateConfig(config: Partial<TokenBudgetConfig>): void {
    this.#config = { ...this.#config, ...config }
  }

  estimateConversationTokens(messages: readonly { readonly content: string }[]): number {
    return messages.reduce(
      (sum, { content }) => sum + charsOverFour(content) + MESSAGE_OVERHEAD_TOKENS,
      0,
    )
  }

  /**
   * Restarts the total from the usage of the compacted conversation's answers. Kept answers were measured in
   * a long context; if their sum alone would prune again, the current size is used instead.
   */
  handleCompaction(data: ConversationAfter, now: Date): void {
    this.#lastCompactionAt = now
    const events = data.compactedEvents
    const used = (events ?? []).filter(isAnswer).reduce(addAnswer, UNUSED)
    const size = data.after?.tokens ?? (events && estimateConversationTokens(events))
    const isStale = events === undefined || this.#prunesAt(used.totalTokens)
    this.#used = isStale && size !== undefined ? sized(used, size) : used
  }

  getUsageInfo(): UsageInfo {
    return {
      ...this.#used,
      maxTokens: this.#max(),
      availableTokens: this.#available(),
      percentUsed: Math.round(this.#share() * 100),
      nearLimit: this.isNearLimit(),
      ...(this.#lastCompactionAt && { lastCompactionAt: this.#lastCompactionAt }),
    }
  }

  #max(): number {
    return count(this.#config.maxTokens)
  }

  #available(): number {
    return Math.max(0, this.#max() - count(this.#config.reserveTokens) - this.#used.totalTokens)
  }

  #share(total = this.#used.totalTokens): number {
    return this.#max() > 0 ? total / this.#max() : 1 // an empty budget is used up
  }

  #prunesAt(total: number): boolean {
    const { warningThreshold, threshold = DEFAULT_THRESHOLD } = this.#config
    const share = this.#share(total)
    return share > threshold && share >= warningThreshold
  }
}

const LARGEST_RESERVE_TOKENS = 2_000
const RESERVE_SHARE = 0.05

/** The budget for a model's window; undefined if it is unknown. */
export function budgetForWindow(windowTokens: number | undefined): TokenBudget | undefined {
  if (windowTokens === undefined || count(windowTokens) === 0) return undefined
  return new TokenBudget({
    maxTokens: windowTokens,
    warningThreshold: 0.8,
    reserveTokens: Math.min(LARGEST_RESERVE_TOKENS, Math.floor(windowTokens * RESERVE_SHARE)),
  })
}

function isAnswer(event: ThreadEvent): event is EventOf<'AGENT_MESSAGE'> {
  return event.type === 'AGENT_MESSAGE'
}

function addAnswer(used: UsageTotals, { data }: EventOf<'AGENT_MESSAGE'>): UsageTotals {
  return data.tokenUsage ? add(used, data.tokenUsage) : used
}

function add(used: UsageTotals, usage: Partial<TokenUsage>): UsageTotals {
  const prompt = count(usage.promptTokens)
  const completion = count(usage.completionTokens)
  return {
    promptTokens: used.promptTokens + prompt,
    completionTokens: used.completionTokens + completion,
    totalTokens:
      used.totalTokens +
      (known(usage.totalTokens) ? count(usage.totalTokens) : prompt + completion),
    eventCount: used.eventCount + 1,
  }
}

function sized(used: UsageTotals, size: number): UsageTotals {
  const tokens = used.eventCount === 0 ? count(size) : Math.min(used.totalTokens, count(size))
  return { ...used, promptTokens: tokens, completionTokens: 0, totalTokens: tokens }
}

function known(tokens: number | undefined): boolean {
  return tokens !== undefined && Number.isFinite(tokens)
}

/** Negative and unknown numbers count as zero. */
function count(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) ? Math.max(0, tokens) : 0
}
