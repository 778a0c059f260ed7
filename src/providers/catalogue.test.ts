// What is known of models, what is assumed of others, and what answers cost.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/scale.ts'
import {
  CATALOGUE_DATE,
  DEFAULT_WINDOW_TOKENS,
  LISTED_MODELS,
  modelInfo,
  readModelOverrides,
} from './catalogue.ts'
import { costOf } from './costs.ts'

describe('the catalogue', () => {
  it('has a date, and sound figures for every model', () => {
    expect(CATALOGUE_DATE).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(LISTED_MODELS.length).toBeGreaterThan(20)
    for (const name of LISTED_MODELS) {
      const { windowTokens, outputTokens = 1, price, known } = modelInfo(name)
      // What runs at home has the window it was loaded with: its server is asked.
      expect({ name, known }).toEqual({ name, known: !name.startsWith('ollama/') })
      expect(outputTokens).toBeLessThan(windowTokens)
      for (const rates of [price, price?.long]) {
        if (rates === undefined || rates.input === 0) continue
        expect(rates.output).toBeGreaterThan(rates.input)
        expect(rates.cacheRead ?? 0).toBeLessThan(rates.input)
        expect(rates.cacheWrite5m ?? rates.input).toBeGreaterThanOrEqual(rates.input)
        expect(rates.cacheWrite1h ?? 1_000).toBeGreaterThan(rates.cacheWrite5m ?? 0)
      }
      expect(price?.long?.input ?? Number.POSITIVE_INFINITY).toBeGreaterThan(price?.input ?? 0)
    }
  })

  it('assumes a window for a model that is not listed, and says so', () => {
    expect(modelInfo('somebody/something')).toEqual({
      windowTokens: DEFAULT_WINDOW_TOKENS,
      windowFrom: 'default',
      known: false,
    })
    expect(modelInfo('somebody/something', {}, 4_096)).toMatchObject({
      windowTokens: 4_096,
      windowFrom: 'default',
    })
  })

  it('gives a snapshot the figures of its model', () => {
    expect(modelInfo('anthropic/claude-haiku-4-5-20251001')).toEqual(
      modelInfo('anthropic/claude-haiku-4-5'),
    )
    expect(modelInfo('openai/gpt-6.1-sol-2026-09-29').windowTokens).toBe(922_000)
  })

  it('measures a context against what a prompt may have, not against prompt and answer', () => {
    expect(modelInfo('openai/gpt-5').windowTokens).toBe(272_000)
  })

  it('lets settings replace figures, and add models', () => {
    const overrides = readModelOverrides(
      {
        'anthropic/claude-haiku-4-5': { windowTokens: 150_000 },
        'lmstudio/mine': { windowTokens: 32_768, price: { input: 0, output: 0 } },
        'openai/gpt-5': { price: { input: 1, output: 2 } },
      },
      'settings.json',
    )
    const { windowTokens, price } = modelInfo('anthropic/claude-haiku-4-5', overrides)
    expect({ windowTokens, output: price?.output }).toEqual({ windowTokens: 150_000, output: 5 })
    expect(modelInfo('lmstudio/mine', overrides)).toMatchObject({
      windowTokens: 32_768,
      windowFrom: 'settings',
      known: true,
    })
    expect(modelInfo('openai/gpt-5', overrides).windowFrom).toBe('catalogue')
    expect(modelInfo('openai/gpt-5', overrides).price).toEqual({ input: 1, output: 2 })
  })

  it.each([
    [{ mine: { windowTokens: 1 } }, 'mine'],
    [{ 'a/b': { windowTokens: -1 } }, 'a/b.windowTokens'],
    [{ 'a/b': { windowTokns: 1 } }, 'a/b'],
    [[], 'the models'],
  ])('refuses settings that make no sense: %j', (value, place) => {
    expect(() => readModelOverrides(value, 'settings.json')).toThrow(
      expect.objectContaining({
        code: 'invalid-settings',
        message: expect.stringContaining(place),
      }),
    )
  })
})

describe('costOf', () => {
  const usage = (promptTokens: number, completionTokens: number, cache = {}) => ({
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    ...cache,
  })

  it('adds up the prompt, what of it came from the cache or went into it, and the answer', () => {
    // 1,000 of 100,000 are fresh: 1,000 × 4 + 90,000 × 0.2 + 9,000 × 5 + 2,000 × 20 = 107,000
    const billed = usage(100_000, 2_000, { cacheReadTokens: 90_000, cacheWriteTokens: 9_000 })
    expect(costOf(billed, 'anthropic/claude-opus-5-5')).toBeCloseTo(0.107, 10)
    expect(costOf(billed, 'anthropic/claude-opus-5-5', { cacheLife: '1h' })).toBeCloseTo(0.134, 10)
  })

  it('takes the higher price for the whole of a long prompt', () => {
    expect(costOf(usage(100_000, 0), 'anthropic/claude-haiku-5-5')).toBeCloseTo(0.01, 10)
    expect(costOf(usage(100_001, 0), 'anthropic/claude-haiku-5-5')).toBeCloseTo(0.0500005, 10)
  })

  it('knows no cost where it knows no price, and no cost of what runs at home', () => {
    expect(costOf(usage(1, 1), 'somebody/something')).toBeUndefined()
    expect(costOf(usage(1_000, 1_000), 'ollama/gpt-oss:20b')).toBe(0)
  })

  it('is never negative and never NaN, whatever a server reports', () => {
    const count = fc.integer({ min: 0, max: 2_000_000 })
    fc.assert(
      fc.property(count, count, count, count, fc.constantFrom(...LISTED_MODELS), (...args) => {
        const [prompt, answer, cacheReadTokens, cacheWriteTokens, model] = args
        const cost = costOf(usage(prompt, answer, { cacheReadTokens, cacheWriteTokens }), model)
        expect(cost).toBeGreaterThanOrEqual(0)
      }),
      runs(),
    )
  })
})
