// When to compact: the decisions, what the policy remembers, and that it never loops.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import {
  AUTO_COMPACT_CONFIG,
  autoCompactPolicy,
  autoCompactState,
} from '../log-design/from-plain-events.ts'
import {
  type Decision,
  decide,
  INITIAL_POLICY_STATE,
  observeReading,
  type PolicyInput,
  type PolicyState,
  policyAfter,
} from './policy.ts'
import { PRESETS } from './presets.ts'

const LOG = PRESETS.log.trigger
const OWN = PRESETS.precis.trigger
const FRESH = PRESETS.fresh.trigger
const WINDOW = { windowTokens: 12_000 }

/** A check after an answer, with what the test changes. */
function input(tokens: number | undefined, more: Partial<PolicyInput> = {}): PolicyInput {
  return {
    policy: OWN,
    state: INITIAL_POLICY_STATE,
    signal: 'auto',
    reading: tokens === undefined ? {} : { tokens, by: 'measured' },
    budget: WINDOW,
    nowMs: 1_000_000,
    ...more,
  }
}

const state = (more: Partial<PolicyState>): PolicyState => ({ ...INITIAL_POLICY_STATE, ...more })
const compacted = (atMs: number, from = INITIAL_POLICY_STATE) =>
  policyAfter(from, { type: 'compacted', atMs })

describe('decide', () => {
  it.each<[string, PolicyInput, Partial<Decision>]>([
    ['below everything', input(1_500), { type: 'nothing', reason: 'below' }],
    ['near the limit', input(7_200), { type: 'warn', reason: 'near-limit' }],
    ['at the level to prepare', input(8_400), { type: 'prepare', targetTokens: 6_000 }],
    [
      'at the trigger',
      input(9_600),
      { type: 'compact', trigger: 'auto', reason: 'ratio', targetTokens: 6_000 },
    ],
    ['an unknown reading', input(undefined), { type: 'nothing', reason: 'unknown-reading' }],
    [
      'an unknown window',
      input(99_999, { budget: {} }),
      { type: 'nothing', reason: 'unknown-window' },
    ],
    [
      'a window of nothing',
      input(5, { budget: { windowTokens: 0 } }),
      { type: 'nothing', reason: 'unknown-window' },
    ],
    [
      'a reading that is no number',
      input(Number.NaN),
      { type: 'nothing', reason: 'unknown-reading' },
    ],
    ['a negative reading', input(-5), { type: 'nothing', reason: 'unknown-reading' }],
    ['switched off', input(99_999, { policy: FRESH }), { type: 'nothing', reason: 'disabled' }],
  ])('by itself, with %s [ALWAYS-20]', (_, given, decision) => {
    expect(decide(given)).toMatchObject(decision)
  })

  it.each<[PolicyInput['signal'], Partial<PolicyInput>, Partial<Decision>]>([
    [
      'command',
      {},
      { type: 'compact', trigger: 'command', reason: 'command', targetTokens: 6_000 },
    ],
    ['tool', {}, { type: 'compact', trigger: 'tool', reason: 'tool' }],
    [
      'overflow',
      {},
      { type: 'compact', trigger: 'overflow', reason: 'overflow', targetTokens: 250 },
    ],
    ['command', { policy: FRESH }, { type: 'compact' }],
    ['tool', { policy: FRESH }, { type: 'compact' }],
    ['overflow', { policy: FRESH }, { type: 'nothing', reason: 'disabled' }],
    ['command', { reading: {}, budget: {} }, { type: 'compact' }],
    ['overflow', { reading: {}, budget: {} }, { type: 'compact' }],
    ['overflow', { state: state({ unhelpful: 9, failures: 9 }) }, { type: 'compact' }],
    ['command', { state: state({ unhelpful: 9, failures: 9 }) }, { type: 'compact' }],
  ])('on %s, far below the trigger, with %j', (signal, more, decision) => {
    expect(decide(input(500, { signal, ...more }))).toMatchObject(decision)
  })

  it('has no target where nothing is known', () => {
    const unknown = { signal: 'overflow', reading: {}, budget: {} } as const
    expect(decide(input(undefined, unknown))).not.toHaveProperty('targetTokens')
  })
})

describe('what cannot be removed', () => {
  const floor = (floorTokens: number) => ({ ...WINDOW, floorTokens, outputReserveTokens: 1_000 })

  it('is named with the budget, instead of compacting again and again', () => {
    const decision = decide(input(10_500, { budget: floor(10_000) }))
    expect(decision).toMatchObject({
      type: 'irreducible',
      floorTokens: 10_000,
      budgetTokens: 9_600,
      tell: true,
    })
    expect(decision).toHaveProperty('message', expect.stringMatching(/10000 tokens.* 9600\./))
  })

  it('is said at the start, and once', () => {
    const told = policyAfter(INITIAL_POLICY_STATE, { type: 'told' })
    const decision = decide(input(undefined, { budget: floor(10_000), state: told }))
    expect(decision).toMatchObject({ type: 'irreducible', tell: false })
  })

  it('fires exactly where the trigger does', () => {
    expect(decide(input(9_600, { budget: floor(9_599) })).type).toBe('compact')
    expect(decide(input(9_600, { budget: floor(9_600) })).type).toBe('irreducible')
    const strictly = { policy: LOG, budget: floor(9_600) }
    expect(decide(input(9_601, strictly)).type).toBe('compact')
  })

  it('is not blamed where it is nothing, however low the trigger is', () => {
    const policy = { ...OWN, absoluteTokens: 0 }
    for (const budget of [WINDOW, floor(0)]) {
      expect(decide(input(0, { policy, budget }))).toMatchObject({ type: 'compact' })
      expect(decide(input(undefined, { policy, budget }))).toMatchObject({ type: 'nothing' })
    }
    expect(decide(input(0, { policy, budget: floor(1) }))).toMatchObject({ type: 'irreducible' })
  })

  it('does not stand in the way while it is below the trigger', () => {
    expect(decide(input(10_000, { budget: floor(7_000) }))).toMatchObject({
      type: 'compact',
      targetTokens: 7_000,
    })
  })

  it.each(['command', 'tool', 'overflow'] as const)(
    'stops a %s only where it fills the window',
    (signal) => {
      expect(decide(input(11_500, { signal, budget: floor(10_500) }))).toMatchObject({
        type: 'compact',
      })
      expect(decide(input(11_500, { signal, budget: floor(11_001) }))).toMatchObject({
        type: 'irreducible',
        floorTokens: 11_001,
        budgetTokens: 11_000,
      })
    },
  )
})

describe('automatic compaction of the LOG design', () => {
  const check = (tokens: number, more: Partial<PolicyInput> = {}) =>
    decide(input(tokens, { policy: LOG, ...more })).type

  it('starts with these settings [LOG-62]', () => {
    expect(AUTO_COMPACT_CONFIG).toEqual({
      enabled: true,
      threshold: 0.8,
      cooldownMs: 60_000,
      lastCompactionTime: 0,
    })
    expect(autoCompactPolicy(AUTO_COMPACT_CONFIG)).toEqual(LOG)
    expect(autoCompactState(AUTO_COMPACT_CONFIG)).toEqual(INITIAL_POLICY_STATE)
    const before = autoCompactState({ ...AUTO_COMPACT_CONFIG, lastCompactionTime: 970_000 })
    expect(check(10_000, { state: before })).toBe('warn')
    expect(check(10_000)).toBe('compact')
  })

  it('rests for a minute after a compaction [LOG-65]', () => {
    const rested = observeReading(compacted(1_000_000), input(10_000, { policy: LOG }))
    for (const nowMs of [1_000_000, 1_030_000, 1_059_999]) {
      const decision = decide(input(10_000, { policy: LOG, state: rested, nowMs }))
      expect(decision).toEqual({ type: 'warn', reason: 'cooldown' })
    }
  })

  it('may compact again after 61 seconds of the given clock [LOG-66]', () => {
    const rested = observeReading(compacted(1_000_000), input(10_000, { policy: LOG }))
    expect(check(10_000, { state: rested, nowMs: 1_061_000 })).toBe('compact')
    expect(check(10_000, { state: rested, nowMs: 1_060_000 })).toBe('compact')
  })

  it('is not held for ever by a clock that was set back', () => {
    const rested = observeReading(compacted(9_000_000), input(10_000, { policy: LOG }))
    expect(check(10_000, { state: rested, nowMs: 1_000_000 })).toBe('compact')
  })

  it('never comes when disabled, without a budget, or below the threshold [LOG-67]', () => {
    const disabled = autoCompactPolicy({ ...AUTO_COMPACT_CONFIG, enabled: false })
    expect(check(11_999, { policy: disabled })).toBe('nothing')
    expect(check(11_999, { policy: disabled, signal: 'overflow' })).toBe('nothing')
    expect(check(11_999, { budget: {} })).toBe('nothing')
    expect(check(1_500)).toBe('nothing')
  })

  it('is strict about its threshold [LOG-72]', () => {
    expect(check(9_600)).toBe('warn')
    expect(check(9_601)).toBe('compact')
  })

  it('does not rest on overflow, or when asked [LOG-72]', () => {
    for (const signal of ['overflow', 'command', 'tool'] as const)
      expect(check(10_000, { signal, state: compacted(999_999) })).toBe('compact')
  })
})

describe('policyAfter', () => {
  const over = { type: 'reading', over: true } as const
  const below = { type: 'reading', over: false } as const

  it('waits for a reading after a compaction', () => {
    const after = compacted(5)
    expect(after).toMatchObject({ armed: false, lastCompactionAtMs: 5 })
    const decision = decide(input(9_900, { state: after }))
    expect(decision).toEqual({ type: 'warn', reason: 'awaiting-reading' })
    expect(decide(input(8_400, { state: after })).type).toBe('warn') // nothing to prepare yet
    expect(decide(input(9_900, { state: policyAfter(after, below) })).type).toBe('compact')
  })

  it('counts a compaction as no help by the first reading after it', () => {
    const once = policyAfter(compacted(5), over)
    expect(once).toMatchObject({ unhelpful: 1, armed: true })
    expect(policyAfter(once, over)).toBe(once)
    expect(policyAfter(once, below)).toMatchObject({ unhelpful: 0 })
  })

  it('pauses after two that did not help, and says so once', () => {
    const once = policyAfter(compacted(5), over)
    expect(decide(input(9_900, { state: once })).type).toBe('compact')
    const twice = policyAfter(compacted(6, once), over)
    const paused = decide(input(9_900, { state: twice }))
    expect(paused).toMatchObject({ type: 'paused', reason: 'no-help', tell: true })
    expect(paused).toHaveProperty('message', expect.stringMatching(/paused: 2 .* 9900 .* 9600\. /))
    const told = policyAfter(twice, { type: 'told' })
    expect(decide(input(9_900, { state: told }))).toMatchObject({ type: 'paused', tell: false })
    const rearmed = policyAfter(told, below)
    expect(decide(input(9_900, { state: rearmed })).type).toBe('compact')
    expect(rearmed.told).toBe(false)
  })

  it('says that it is paused also in the cooldown, and before the next reading', () => {
    const policy = { ...OWN, cooldownMs: 60_000 }
    const twice = state({ unhelpful: 2, lastCompactionAtMs: 999_999 })
    for (const armed of [true, false])
      expect(decide(input(9_900, { policy, state: { ...twice, armed } }))).toMatchObject({
        type: 'paused',
        tell: true,
      })
    expect(decide(input(9_900, { policy, state: { ...twice, unhelpful: 1 } }))).toEqual({
      type: 'warn',
      reason: 'cooldown',
    })
    expect(decide(input(5_000, { policy, state: twice }))).toMatchObject({ reason: 'below' })
  })

  it('pauses after two that failed, or one of each kind', () => {
    const failed = policyAfter(INITIAL_POLICY_STATE, { type: 'failed' })
    expect(decide(input(9_900, { state: failed })).type).toBe('compact')
    const twice = policyAfter(failed, { type: 'failed' })
    expect(decide(input(9_900, { state: twice }))).toMatchObject({
      type: 'paused',
      reason: 'failing',
      message: expect.stringContaining('2 compactions in a row failed'),
    })
    const mixed = policyAfter(compacted(5, failed), over)
    expect(decide(input(9_900, { state: mixed }))).toMatchObject({
      type: 'paused',
      reason: 'no-help',
    })
    expect(policyAfter(twice, below)).toMatchObject({ unhelpful: 0, failures: 0 })
  })

  it('learns nothing from a reading that is unknown or cannot be judged', () => {
    const after = compacted(5)
    expect(observeReading(after, input(undefined))).toBe(after)
    expect(observeReading(after, input(9_900, { budget: {} }))).toBe(after)
    expect(observeReading(after, input(9_900))).toMatchObject({ unhelpful: 1 })
    expect(observeReading(after, input(100))).toMatchObject({ unhelpful: 0, armed: true })
  })

  it('is plain JSON', () => {
    const after = policyAfter(compacted(5), over)
    expect(JSON.parse(JSON.stringify(after))).toEqual(after)
  })
})

describe('whatever happens', () => {
  const policies = fc.constantFrom(...Object.values(PRESETS).map((preset) => preset.trigger))
  const states = fc.record({
    armed: fc.boolean(),
    unhelpful: fc.nat(3),
    failures: fc.nat(3),
    told: fc.boolean(),
    lastCompactionAtMs: fc.integer({ min: 0, max: 2_000_000 }),
  })
  const RANK = { nothing: 0, warn: 1, prepare: 2, compact: 3, paused: 3, irreducible: 3 }

  it('a fuller context never asks for less', () => {
    const tokens = fc.integer({ min: 0, max: 15_000 })
    const floors = fc.integer({ min: 0, max: 12_000 })
    fc.assert(
      fc.property(
        policies,
        states,
        tokens,
        tokens,
        floors,
        (policy, remembered, a, b, floorTokens) => {
          const rank = (count: number) =>
            RANK[
              decide(
                input(count, { policy, state: remembered, budget: { ...WINDOW, floorTokens } }),
              ).type
            ]
          expect(rank(Math.min(a, b))).toBeLessThanOrEqual(rank(Math.max(a, b)))
        },
      ),
      runs(),
    )
  })

  it('a target is below the trigger and not below the floor', () => {
    const floors = fc.integer({ min: 0, max: 12_000 })
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 0, max: 15_000 }),
        floors,
        (policy, count, floorTokens) => {
          const budget = { ...WINDOW, floorTokens }
          const decision = decide(input(count, { policy, budget }))
          if (decision.type !== 'compact' && decision.type !== 'prepare') return
          expect(decision.targetTokens).toBeLessThan(9_601)
          expect(decision.targetTokens).toBeGreaterThanOrEqual(floorTokens)
        },
      ),
      runs(),
    )
  })

  it('no more than two compactions in a row leave the context full', () => {
    const step = fc.record({
      growth: fc.integer({ min: 0, max: 4_000 }),
      left: fc.double({ min: 0, max: 1.2, noNaN: true }), // share that a compaction leaves
      fails: fc.boolean(),
      afterMs: fc.integer({ min: 0, max: 90_000 }),
    })
    fc.assert(
      fc.property(policies, fc.array(step, { minLength: 20, maxLength: 80 }), (policy, steps) => {
        const given = (count: number, nowMs: number, remembered: PolicyState) =>
          input(count, { policy, nowMs, state: remembered })
        let remembered = INITIAL_POLICY_STATE
        let tokens = 0
        let nowMs = 1_000_000
        let attempts = 0 // since the context was last below the trigger
        for (const { growth, left, fails, afterMs } of steps) {
          tokens += growth
          nowMs += afterMs
          remembered = observeReading(remembered, given(tokens, nowMs, remembered))
          if (tokens / 12_000 < 0.8) attempts = 0
          if (decide(given(tokens, nowMs, remembered)).type !== 'compact') continue
          attempts += 1
          if (fails) remembered = policyAfter(remembered, { type: 'failed' })
          else {
            tokens = Math.round(tokens * left)
            remembered = compacted(nowMs, remembered)
          }
          expect(attempts).toBeLessThanOrEqual(2)
        }
      }),
      runs(),
    )
  })

  it('a compactor that never helps is stopped after the second time', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 0, max: 200_000 }), (policy, afterMs) => {
        let remembered = INITIAL_POLICY_STATE
        let runs = 0
        for (let turn = 0; turn < 50; turn += 1) {
          const given = input(11_000, { policy, nowMs: 1_000_000 + turn * afterMs })
          remembered = observeReading(remembered, given)
          if (decide({ ...given, state: remembered }).type !== 'compact') continue
          runs += 1
          remembered = compacted(given.nowMs, remembered)
        }
        expect(runs).toBeLessThanOrEqual(policy.enabled ? 2 : 0)
        if (policy.enabled && afterMs > 60_000) expect(runs).toBe(2)
      }),
      runs(),
    )
  })
})
