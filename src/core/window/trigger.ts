// Trigger levels of a policy, as tokens of a budget.

/** Any of `ratio`, `reserveTokens` and `absoluteTokens` fires; absent ones never do. */
export interface TriggerPolicy {
  readonly enabled: boolean // false: never automatic, not even on overflow
  readonly ratio?: number // used share of the window
  readonly reserveTokens?: number // fires when fewer are left
  readonly absoluteTokens?: number // used tokens, for any window
  /** Whether reaching a level exactly fires. */
  readonly compare: 'strict' | 'inclusive'
  readonly warnRatio?: number
  readonly prepareRatio?: number // above it, prepare a compaction in the background
  readonly targetRatio: number // target of a compaction, as a share of the window
  readonly cooldownMs: number // pause after a compaction; overflow and commands ignore it
  readonly pauseAfter: number // consecutive compactions that failed or did not help
}

/** The room of a window; unknown values are absent. */
export interface ContextBudget {
  readonly windowTokens?: number
  readonly outputReserveTokens?: number // room for the answer
  /** What no compaction can remove: system prompt, tools, pins, the open round. */
  readonly floorTokens?: number
}

export type FiringLevel = 'ratio' | 'reserve' | 'absolute' | 'window'

/** Why this many tokens are too many; undefined if they are not. */
export function firingLevel(
  policy: TriggerPolicy,
  budget: ContextBudget,
  tokens: number,
): FiringLevel | undefined {
  const reaches = (value: number, level: number) =>
    policy.compare === 'strict' ? value > level : value >= level
  const window = windowOf(budget)
  if (window !== undefined) {
    // Compare shares, not products: 0.55 × 100 is slightly more than 55.
    if (policy.ratio !== undefined && reaches(tokens / window, policy.ratio)) return 'ratio'
    if (policy.reserveTokens !== undefined && reaches(tokens, window - policy.reserveTokens))
      return 'reserve'
    if (tokens > computeCapacity(budget, window)) return 'window'
  }
  const { absoluteTokens } = policy
  return absoluteTokens !== undefined && reaches(tokens, absoluteTokens) ? 'absolute' : undefined
}

/** The lowest firing level in tokens; undefined if nothing can fire. */
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

/** Whether a share of the window is reached; false for an unknown window. */
export function reachesRatio(
  budget: ContextBudget,
  ratio: number | undefined,
  tokens: number,
): boolean {
  const window = windowOf(budget)
  return ratio !== undefined && window !== undefined && tokens / window >= ratio
}

/**
 * The target of a compaction: below the trigger, and not below the floor. An overflow shows that the window
 * is smaller than the request, which is then used instead.
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

/** The window without the answer's room. */
export function computeCapacity(budget: ContextBudget, windowTokens: number): number {
  return Math.max(0, windowTokens - (amount(budget.outputReserveTokens) ?? 0))
}

/** An empty or invalid window counts as unknown. */
export function windowOf({ windowTokens }: ContextBudget): number | undefined {
  const window = amount(windowTokens)
  return window === 0 ? undefined : window
}

export function computeFloor(budget: ContextBudget): number {
  return amount(budget.floorTokens) ?? 0
}

/** A valid whole number of tokens; otherwise undefined. */
export function amount(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? tokens : undefined
}
