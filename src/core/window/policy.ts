// Decides whether to compact: a pure function of the reading, the budget and the request, with its levels in tokens
import type { Reading } from '../edit/change.ts'

/** What asks: the check after each answer, a person, the agent's tool, or a refused request. */
export type PolicySignal = 'auto' | 'command' | 'tool' | 'overflow'

/** What the policy remembers from one decision to the next. Plain JSON. */
export interface PolicyState {
  readonly armed: boolean // false from a compaction until the first reading after it
  readonly unhelpful: number // compactions in a row after which it was as full as before
  readonly failures: number // how many of these failed outright
  readonly told: boolean // the pause, or the floor, was already said
  readonly lastCompactionAtMs?: number
}

export type PolicyEvent =
  | { readonly type: 'compacted'; readonly atMs: number }
  | { readonly type: 'failed' }
  | { readonly type: 'reading'; readonly over: boolean } // at or over the trigger
  | { readonly type: 'told' }

export interface PolicyInput {
  readonly policy: TriggerPolicy
  readonly state: PolicyState
  readonly signal: PolicySignal
  readonly reading: Reading
  readonly budget: ContextBudget
  readonly nowMs: number
}

export type Decision =
  | { readonly type: 'nothing'; readonly reason: NothingReason }
  | { readonly type: 'warn'; readonly reason: 'near-limit' | 'cooldown' | 'awaiting-reading' }
  | { readonly type: 'prepare'; readonly reason: 'prepare-level'; readonly targetTokens: number }
  | {
      readonly type: 'compact'
      readonly trigger: PolicySignal
      readonly reason: FiringLevel | 'command' | 'tool' | 'overflow'
      readonly targetTokens?: number // absent if neither window nor reading is known
    }
  | {
      readonly type: 'paused'
      readonly reason: 'no-help' | 'failing'
      readonly message: string
      readonly tell: boolean // say it now; false once it was said
    }
  | {
      readonly type: 'irreducible'
      readonly reason: 'floor'
      readonly floorTokens: number
      readonly budgetTokens: number
      readonly message: string
      readonly tell: boolean
    }
export type NothingReason = 'disabled' | 'unknown-window' | 'unknown-reading' | 'below'

export const INITIAL_POLICY_STATE: PolicyState = {
  armed: true,
  unhelpful: 0,
  failures: 0,
  told: false,
}

export function decide(input: PolicyInput): Decision {
  return input.signal === 'auto' ? decideByItself(input) : decideOnDemand(input, input.signal)
}

/** The state after something happened. Only a reading below the trigger ends a pause. */
export function policyAfter(state: PolicyState, event: PolicyEvent): PolicyState {
  switch (event.type) {
    case 'compacted':
      return {
        ...state,
        armed: false,
        told: false,
        lastCompactionAtMs: event.atMs,
      }
    case 'failed':
      return { ...state, unhelpful: state.unhelpful + 1, failures: state.failures + 1 }
    case 'told':
      return { ...state, told: true }
    case 'reading':
      if (!event.over) return { ...state, armed: true, unhelpful: 0, failures: 0, told: false }
      // Still as full: that one did not help. It re-arms all the same, without having dropped below:
      // the pause is for two that did not help, and without a second attempt there would be only one.
      // From the pause on, only a reading below the trigger re-arms. See docs/decisions/0010.
      return state.armed ? state : { ...state, armed: true, unhelpful: state.unhelpful + 1 }
  }
}

/**
 * The state after a reading; one that is unknown, or cannot be judged, changes nothing. To be called
 * once for each answer, not with the estimate right after a compaction: whether it helped shows in
 * the first real step.
 */
export function observeReading(
  state: PolicyState,
  { policy, budget, reading }: Pick<PolicyInput, 'policy' | 'budget' | 'reading'>,
): PolicyState {
  const tokens = amount(reading.tokens)
  if (tokens === undefined || triggerTokens(policy, budget) === undefined) return state
  const over = firingLevel(policy, budget, tokens) !== undefined
  return policyAfter(state, { type: 'reading', over })
}

function decideByItself(input: PolicyInput): Decision {
  const { policy, state, budget } = input
  if (!policy.enabled) return { type: 'nothing', reason: 'disabled' }
  const trigger = triggerTokens(policy, budget)
  if (trigger === undefined) return { type: 'nothing', reason: 'unknown-window' }
  const floor = computeFloor(budget)
  if (floor > 0 && firingLevel(policy, budget, floor)) return irreducible(floor, trigger, state)
  const tokens = amount(input.reading.tokens)
  if (tokens === undefined) return { type: 'nothing', reason: 'unknown-reading' }
  const level = firingLevel(policy, budget, tokens)
  const hold = findHold(input)
  if (level === undefined) return decideBelow(input, tokens, hold !== undefined)
  if (state.unhelpful >= policy.pauseAfter) return paused(tokens, trigger, state)
  if (hold) return { type: 'warn', reason: hold }
  return { type: 'compact', trigger: 'auto', reason: level, ...target(input) }
}

function decideBelow(input: PolicyInput, tokens: number, isHeld: boolean): Decision {
  const { policy, budget } = input
  const { targetTokens } = target(input)
  if (!isHeld && targetTokens !== undefined && reachesRatio(budget, policy.prepareRatio, tokens))
    return { type: 'prepare', reason: 'prepare-level', targetTokens }
  return reachesRatio(budget, policy.warnRatio, tokens)
    ? { type: 'warn', reason: 'near-limit' }
    : { type: 'nothing', reason: 'below' }
}

/** Commands, the tool and overflow wait for nothing; only overflow can be switched off. */
function decideOnDemand(input: PolicyInput, signal: Exclude<PolicySignal, 'auto'>): Decision {
  const { policy, budget, state } = input
  if (signal === 'overflow' && !policy.enabled) return { type: 'nothing', reason: 'disabled' }
  const window = windowOf(budget)
  if (window !== undefined) {
    const capacity = computeCapacity(budget, window)
    if (computeFloor(budget) > capacity) return irreducible(computeFloor(budget), capacity, state)
  }
  return { type: 'compact', trigger: signal, reason: signal, ...target(input) }
}

/** Why a compaction that would fire is held back for now. */
function findHold({
  policy,
  state,
  nowMs,
}: PolicyInput): 'cooldown' | 'awaiting-reading' | undefined {
  if (state.lastCompactionAtMs !== undefined) {
    const elapsedMs = nowMs - state.lastCompactionAtMs
    // A clock that was set back must not hold for as long as it was set back.
    if (elapsedMs >= 0 && elapsedMs < policy.cooldownMs) return 'cooldown'
  }
  return state.armed ? undefined : 'awaiting-reading'
}

function paused(
  tokens: number,
  trigger: number,
  { told, unhelpful, failures }: PolicyState,
): Decision {
  const reason = failures === unhelpful ? 'failing' : 'no-help'
  const what =
    reason === 'failing'
      ? `${failures} compactions in a row failed while the context has ${tokens} tokens`
      : `${unhelpful} compactions in a row left the context at ${tokens} tokens`
  const message = `Automatic compaction is paused: ${what}, and it starts at ${Math.floor(trigger)}. Start a new session, remove pins or tools, or use a model with a larger window; /compact still works.`
  return { type: 'paused', reason, message, tell: !told }
}

function irreducible(floorTokens: number, limit: number, { told }: PolicyState): Decision {
  const budgetTokens = Math.floor(limit)
  const message = `The content that cannot be compacted takes ${floorTokens} tokens, and the budget is ${budgetTokens}. Remove pins or tools, shorten the system prompt, or use a model with a larger window.`
  return { type: 'irreducible', reason: 'floor', floorTokens, budgetTokens, message, tell: !told }
}

function target({ policy, budget, reading, signal }: PolicyInput): { targetTokens?: number } {
  const overflown = signal === 'overflow' ? amount(reading.tokens) : undefined
  const targetTokens = targetOf(policy, budget, overflown)
  return targetTokens === undefined ? {} : { targetTokens }
}

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
