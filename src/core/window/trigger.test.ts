// The levels of a trigger policy.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import {
  type ContextBudget,
  firingLevel,
  reachesRatio,
  type TriggerPolicy,
  targetOf,
  triggerTokens,
} from './trigger.ts'

const BARE: TriggerPolicy = {
  enabled: true,
  compare: 'strict',
  targetRatio: 0.5,
  cooldownMs: 0,
  pauseAfter: 2,
}
const policy = (levels: Partial<TriggerPolicy>): TriggerPolicy => ({ ...BARE, ...levels })
const window = (windowTokens: number, more: ContextBudget = {}) => ({ windowTokens, ...more })

describe('firingLevel', () => {
  it.each<[string, Partial<TriggerPolicy>, ContextBudget, number, string | undefined]>([
    ['at a strict ratio', { ratio: 0.8 }, window(12_000), 9_600, undefined],
    ['above a strict ratio', { ratio: 0.8 }, window(12_000), 9_601, 'ratio'],
    ['at an inclusive ratio', { ratio: 0.8, compare: 'inclusive' }, window(12_000), 9_600, 'ratio'],
    ['below it', { ratio: 0.8, compare: 'inclusive' }, window(12_000), 9_599, undefined],
    [
      'at a share that products miss',
      { ratio: 0.55, compare: 'inclusive' },
      window(100),
      55,
      'ratio',
    ],
    ['at the reserve', { reserveTokens: 16_384 }, window(200_000), 183_616, undefined],
    ['past the reserve', { reserveTokens: 16_384 }, window(200_000), 183_617, 'reserve'],
    ['at an amount', { absoluteTokens: 300_000 }, {}, 300_000, undefined],
    ['past an amount', { absoluteTokens: 300_000 }, {}, 300_001, 'absolute'],
    ['by the lowest of all', { ratio: 0.9, absoluteTokens: 500 }, window(1_000), 501, 'absolute'],
    [
      'with room for the answer',
      { ratio: 0.8 },
      window(1_000, { outputReserveTokens: 400 }),
      600,
      undefined,
    ],
    ['without it', { ratio: 0.8 }, window(1_000, { outputReserveTokens: 400 }), 601, 'window'],
    ['past the window, whatever was set', {}, window(1_000), 1_001, 'window'],
    ['with no window', { ratio: 0.8, reserveTokens: 5 }, {}, 1_000_000, undefined],
    ['with a window of nothing', { ratio: 0.8 }, window(0), 1_000_000, undefined],
    ['with a window that is no number', { ratio: 0.8 }, window(Number.NaN), 9, undefined],
  ])('%s', (_, levels, budget, tokens, level) => {
    expect(firingLevel(policy(levels), budget, tokens)).toBe(level)
  })
})

describe('triggerTokens', () => {
  it.each<[Partial<TriggerPolicy>, ContextBudget, number | undefined]>([
    [{ ratio: 0.8 }, window(12_000), 9_600],
    [{ ratio: 0.8, reserveTokens: 5_000 }, window(12_000), 7_000],
    [{ ratio: 0.8 }, window(12_000, { outputReserveTokens: 4_000 }), 8_000],
    [{ ratio: 0.8, absoluteTokens: 9_000 }, window(12_000), 9_000],
    [{ ratio: 0.8, absoluteTokens: 9_000 }, {}, 9_000],
    [{ reserveTokens: 99_999 }, window(12_000), 0],
    [{ ratio: 0.8 }, {}, undefined],
    [{}, {}, undefined],
  ])('of %j with %j is %s', (levels, budget, tokens) => {
    expect(triggerTokens(policy(levels), budget)).toBe(tokens)
  })

  it('is where firing begins', () => {
    const share = fc.double({ min: 0.05, max: 1, noNaN: true })
    const amounts = fc.option(fc.integer({ min: 0, max: 300_000 }), { nil: undefined })
    fc.assert(
      fc.property(
        share,
        amounts,
        amounts,
        fc.integer({ min: 1, max: 400_000 }),
        (ratio, a, b, size) => {
          const levels = policy({
            ratio,
            ...(a !== undefined && { absoluteTokens: a }),
            ...(b !== undefined && { reserveTokens: b }),
          })
          const level = triggerTokens(levels, window(size)) ?? Number.NaN
          expect(firingLevel(levels, window(size), Math.ceil(level) + 1)).toBeDefined()
          if (level >= 1) {
            expect(firingLevel(levels, window(size), Math.ceil(level) - 1)).toBeUndefined()
          }
        },
      ),
      runs(),
    )
  })
})

describe('targetOf', () => {
  it.each<[string, Partial<TriggerPolicy>, ContextBudget, number | undefined, number | undefined]>([
    ['a share of the window', { ratio: 0.8 }, window(12_000), undefined, 6_000],
    ['not at or above what fires', { ratio: 0.4 }, window(12_000), undefined, 4_799],
    [
      'not below what stays',
      { ratio: 0.8 },
      window(12_000, { floorTokens: 7_000 }),
      undefined,
      7_000,
    ],
    [
      'a share of the amount, without a window',
      { absoluteTokens: 300_000 },
      {},
      undefined,
      150_000,
    ],
    ['below what did not fit', { ratio: 0.8 }, window(200_000), 60_000, 30_000],
    ['below what did not fit, without a window', { ratio: 0.8 }, {}, 60_000, 30_000],
    ['unknown where nothing is known', { ratio: 0.8 }, {}, undefined, undefined],
  ])('is %s', (_, levels, budget, overflown, target) => {
    expect(targetOf(policy(levels), budget, overflown)).toBe(target)
  })
})

describe('reachesRatio', () => {
  it.each<[ContextBudget, number | undefined, number, boolean]>([
    [window(1_000), 0.7, 699, false],
    [window(1_000), 0.7, 700, true],
    [window(1_000), undefined, 999, false],
    [{}, 0.7, 999, false],
  ])('of %j by %s at %i: %s', (budget, ratio, tokens, reached) => {
    expect(reachesRatio(budget, ratio, tokens)).toBe(reached)
  })
})
