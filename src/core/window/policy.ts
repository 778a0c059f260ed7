// Decides whether to compact: a pure function of the reading, the budget and the request
import type { Reading } from '../edit/change.ts'
import {
  amount,
  type ContextBudget,
  computeCapacity,
  computeFloor,
  type FiringLevel,
  firingLevel,
  reachesRatio,
  type TriggerPolicy,
  targetOf,
  triggerTokens,
  windowOf,
} from './trigger.ts'

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
