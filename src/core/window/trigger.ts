// Trigger levels of a policy, as tokens of a budget

/** Any of `ratio`, `reserveTokens` and `absoluteTokens` fires; one that is absent never does. */
export interface TriggerPolicy {
  readonly enabled: boolean // false: never by itself, not even on overflow
  readonly ratio?: number // share of the window in use
  readonly reserveTokens?: number // fires when fewer are left
  readonly absoluteTokens?: number // tokens in use, whatever the window is
  /** Whether exactly reaching a level fires. */
  readonly compare: 'strict' | 'inclusive'
  readonly warnRatio?: number
  readonly prepareRatio?: number // from here on a compaction is prepared in the background
  readonly targetRatio: number // where a compaction should land, as a share of the window
  readonly cooldownMs: number // pause after a compaction; overflow and commands do not wait
  readonly pauseAfter: number // compactions in a row that did not help, or failed
}

/** How much fits. Unknown is absent. */
export interface ContextBudget {
  readonly windowTokens?: number
  readonly outputReserveTokens?: number // room that the answer needs
  /** What no compaction can remove: system prompt, tools, pins, the open round. */
  readonly floorTokens?: number
}

export type FiringLevel = 'ratio' | 'reserve' | 'absolute' | 'window'

/** Why this many tokens are too many, or undefined if they are not. */
export function firingLevel(
  policy: TriggerPolicy,
  budget: ContextBudget,
  tokens: number,
): FiringLevel | undefined {
  const reaches = (value: number, level: number) =>
    policy.compare === 'strict' ? value > level : value >= level
  const window = windowOf(budget)
  if (window !== undefined) {
    // Shares are compared as shares: 0.55 of 100 as a product is a little more than 55.
    if (policy.ratio !== undefined && reaches(tokens / window, policy.ratio)) return 'ratio'
    if (policy.reserveTokens !== undefined && reaches(tokens, window - policy.reserveTokens))
      return 'reserve'
    if (tokens > computeCapacity(budget, window)) return 'window'
  }
  const { absoluteTokens } = policy
  return absoluteTokens !== undefined && reaches(tokens, absoluteTokens) ? 'absolute' : undefined
}

/** The lowest number of tokens at which something fires; undefined if nothing can. */
export function triggerTokens(policy: TriggerPolicy, budget: ContextBudget): number | undefined {
  const window = windowOf(budget)
  const levels = [
    policy.absoluteTokens,
    ...(window === undefined
      ? []
      : [
          policy.ratio === undefined ? undefined : policy.ratio * window,
          policy.reserveTokens === undefined ? undefined : window - policy.reserveTokens,
          computeCapacity(budget, window),
        ]),
  ].filter((level) => level !== undefined)
  return levels.length === 0 ? undefined : Math.max(0, Math.min(...levels))
}

/** Whether a share of the window is reached; never where the window is not known. */
export function reachesRatio(
  budget: ContextBudget,
  ratio: number | undefined,
  tokens: number,
): boolean {
  const window = windowOf(budget)
  return ratio !== undefined && window !== undefined && tokens / window >= ratio
}

/**
 * Where a compaction should land: below what fires, and not below what cannot be removed. An
 * overflow shows that the window is smaller than what was sent, so that counts in its place.
 */
export function targetOf(
  policy: TriggerPolicy,
  budget: ContextBudget,
  overflownTokens: number | undefined,
): number | undefined {
  const trigger = triggerTokens(policy, budget)
  const sizes = [windowOf(budget) ?? trigger, overflownTokens].filter((size) => size !== undefined)
  if (sizes.length === 0) return undefined
  const wanted = Math.floor(policy.targetRatio * Math.min(...sizes))
  const highest = trigger === undefined ? wanted : Math.max(0, Math.ceil(trigger) - 1)
  return Math.max(Math.min(wanted, highest), computeFloor(budget))
}

/** The room for a context: the window without what the answer needs. */
export function computeCapacity(budget: ContextBudget, windowTokens: number): number {
  return Math.max(0, windowTokens - (amount(budget.outputReserveTokens) ?? 0))
}

/** A window of nothing, or of no number, is not known. */
export function windowOf({ windowTokens }: ContextBudget): number | undefined {
  const window = amount(windowTokens)
  return window === 0 ? undefined : window
}

export function computeFloor(budget: ContextBudget): number {
  return amount(budget.floorTokens) ?? 0
}

/** A whole, sensible number of tokens, or undefined. */
export function amount(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? tokens : undefined
}
