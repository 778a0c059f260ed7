// Automatic compaction in the words of the LOG design, as a trigger policy and its state.
import { INITIAL_POLICY_STATE, type PolicyState } from '../window/policy.ts'
import type { TriggerPolicy } from '../window/trigger.ts'

export interface AutoCompactConfig {
  readonly enabled: boolean
  readonly threshold: number // share of the budget above which it compacts
  readonly cooldownMs: number
  readonly lastCompactionTime: number // milliseconds; 0 is never
}

export const AUTO_COMPACT_CONFIG: AutoCompactConfig = {
  enabled: true,
  threshold: 0.8,
  cooldownMs: 60_000,
  lastCompactionTime: 0,
}

/** The design leaves open where a compaction lands and when it is not worth another try. */
export function autoCompactPolicy(config: AutoCompactConfig): TriggerPolicy {
  return {
    enabled: config.enabled,
    ratio: config.threshold,
    compare: 'strict',
    warnRatio: 0.7,
    targetRatio: 0.5,
    cooldownMs: config.cooldownMs,
    pauseAfter: 2,
  }
}

export function autoCompactState({ lastCompactionTime }: AutoCompactConfig): PolicyState {
  return lastCompactionTime > 0
    ? { ...INITIAL_POLICY_STATE, lastCompactionAtMs: lastCompactionTime }
    : INITIAL_POLICY_STATE
}
