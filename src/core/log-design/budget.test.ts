// The token budget of the LOG design, value by value.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { measuredAnswer, user } from '../../../test/say.ts'
import { budgetForWindow, TokenBudget } from './budget.ts'

const CONFIG = { maxTokens: 1_000, warningThreshold: 0.8, reserveTokens: 100 }
const SCENARIO = { maxTokens: 12_000, warningThreshold: 0.7, reserveTokens: 1_000 }
const NOW = new Date('2026-02-14T09:31:07Z')

function usage(promptTokens: number, completionTokens: number) {
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens }
}

function used(total: number, config = CONFIG): TokenBudget {
  const budget = new TokenBudget(config)
  budget.recordUsage({ usage: usage(total, 0) })
  return budget
}

describe('a token budget', () => {
  it.each([
    [300, false, false, false, 600],
    [800, true, true, false, 100],
    [850, true, true, true, 50],
    [960, true, true, true, 0],
  ])(
    'at %i of 1000: near %s, summarize %s, prune %s, %i left [LOG-85] [LOG-72]',
    (total, near, summarize, prune, available) => {
      const budget = used(total)
      expect(budget.isNearLimit()).toBe(near)
      const advice = budget.getRecommendations()
      expect([advice.shouldSummarize, advice.shouldPrune]).toEqual([summarize, prune])
      expect(budget.getBudgetStatus().availableTokens).toBe(available)
      expect(budget.canMakeRequest(available)).toBe(true)
      expect(budget.canMakeRequest(available + 1)).toBe(false)
      expect(advice.maxRequestSize).toBe(near ? Math.min(available, 100) : available)
    },
  )

  it('tells its status [LOG-85]', () => {
    const budget = new TokenBudget(CONFIG)
    budget.recordUsage({ usage: usage(200, 50) })
    budget.recordUsage({ usage: usage(300, 60) })
    expect(budget.getBudgetStatus()).toEqual({
      totalUsed: 610,
      maxTokens: 1_000,
      availableTokens: 290,
      usagePercentage: 0.61,
      warningTriggered: false,
      effectiveLimit: 900,
      promptTokens: 500,
      completionTokens: 110,
    })
  })

  it('warns in words [LOG-85]', () => {
    expect(used(300).getRecommendations().warningMessage).toBeUndefined()
    expect(used(850).getRecommendations().warningMessage).toContain(
      'approaching token limit (85% used)',
    )
    expect(used(860).getRecommendations().warningMessage).toContain(
      'Very few tokens remaining (40)',
    )
  })

  it.each([
    ['no usage', {}, 0],
    ['an undefined usage', { usage: undefined }, 0],
    ['negative counts', { usage: usage(-50, -1) }, 0],
    ['one negative count', { usage: { promptTokens: -50, completionTokens: 20 } }, 20],
    ['no total', { usage: { promptTokens: 30, completionTokens: 20 } }, 50],
    [
      'a total of its own',
      { usage: { promptTokens: 30, completionTokens: 20, totalTokens: 60 } },
      60,
    ],
    ['what is no number', { usage: usage(Number.NaN, Number.NaN) }, 0],
  ])('records a response with %s [LOG-85] [ALWAYS-20]', (_, response, total) => {
    const budget = new TokenBudget(CONFIG)
    budget.recordUsage(response)
    expect(budget.getBudgetStatus().totalUsed).toBe(total)
  })

  it.each([0, -5, Number.NaN])('of %d is used up, in numbers [LOG-85] [ALWAYS-20]', (maxTokens) => {
    const budget = new TokenBudget({ ...CONFIG, maxTokens })
    expect(budget.isNearLimit()).toBe(true)
    expect(budget.canMakeRequest(1)).toBe(false)
    expect(budget.canMakeRequest(0)).toBe(true)
    expect(budget.getBudgetStatus()).toMatchObject({ usagePercentage: 1, availableTokens: 0 })
    expect(budget.getUsageInfo().percentUsed).toBe(100)
    expect(budget.getRecommendations().maxRequestSize).toBe(0)
  })

  it.each([
    [10_000, true],
    [9_600, false],
    [9_601, true],
    [1_500, false],
  ])('of 12000 with %i used: prune %s [LOG-85] [LOG-72]', (total, prune) => {
    expect(used(total, SCENARIO).getRecommendations().shouldPrune).toBe(prune)
  })

  it('prunes only from the warning on, and by the threshold it was given [LOG-72]', () => {
    const advice = (total: number, more: object) =>
      used(total, { ...CONFIG, ...more }).getRecommendations().shouldPrune
    expect(advice(850, { warningThreshold: 0.9 })).toBe(false)
    expect(advice(900, { warningThreshold: 0.9 })).toBe(true)
    expect(advice(600, { threshold: 0.6, warningThreshold: 0.5 })).toBe(false)
    expect(advice(601, { threshold: 0.6, warningThreshold: 0.5 })).toBe(true)
    expect(advice(850, { threshold: 0.9 })).toBe(false)
  })

  it('can be reset and changed [LOG-85]', () => {
    const budget = used(850)
    budget.updateConfig({ maxTokens: 2_000 })
    expect(budget.isNearLimit()).toBe(false)
    expect(budget.getBudgetStatus().effectiveLimit).toBe(1_900)
    budget.reset()
    expect(budget.getUsageInfo()).toMatchObject({ totalTokens: 0, promptTokens: 0, eventCount: 0 })
  })

  it('estimates messages with ten tokens for each [LOG-85]', () => {
    const budget = new TokenBudget(CONFIG)
    expect(budget.estimateConversationTokens([])).toBe(0)
    expect(budget.estimateConversationTokens([{ content: '' }])).toBe(10)
    expect(budget.estimateConversationTokens([{ content: 'abcde' }, { content: 'abcd' }])).toBe(23)
  })

  it('tells its usage [LOG-85]', () => {
    const budget = new TokenBudget(CONFIG)
    budget.recordUsage({ usage: usage(700, 126) })
    expect(budget.getUsageInfo()).toEqual({
      promptTokens: 700,
      completionTokens: 126,
      totalTokens: 826,
      maxTokens: 1_000,
      availableTokens: 74,
      percentUsed: 83,
      nearLimit: true,
      eventCount: 1,
    })
  })
})

describe('a token budget after a compaction', () => {
  const compacted = (...drafts: Parameters<TestLog['append']>[0]) => ({
    compactedEvents: new TestLog().append(drafts),
  })

  it('has the usage of the answers that are left [LOG-85]', () => {
    const budget = used(960)
    budget.handleCompaction(compacted(user('a'), measuredAnswer('b', usage(500, 0))), NOW)
    expect(budget.getUsageInfo()).toMatchObject({
      totalTokens: 500,
      promptTokens: 500,
      eventCount: 1,
      lastCompactionAt: NOW,
    })
  })

  it('does not prune again for what was measured before [LOG-73]', () => {
    const budget = used(10_000, SCENARIO)
    const answers = [1, 2, 3].map((n) => measuredAnswer(`answer ${n}`, usage(9_000, 500)))
    budget.handleCompaction(compacted(user('summary'), ...answers), NOW)
    expect(budget.getUsageInfo().percentUsed).toBeLessThan(1)
    expect(budget.getRecommendations().shouldPrune).toBe(false)
    budget.recordUsage({ usage: usage(2_000, 100) })
    expect(budget.getRecommendations().shouldPrune).toBe(false)
  })

  it('goes by the reading where it has one and no events [LOG-73]', () => {
    const budget = used(10_000, SCENARIO)
    budget.handleCompaction({ after: { tokens: 3_000, by: 'estimated' } }, NOW)
    expect(budget.getUsageInfo()).toMatchObject({ totalTokens: 3_000, percentUsed: 25 })
  })

  it('is empty where nothing is known of what is left [LOG-73] [ALWAYS-20]', () => {
    const budget = used(10_000, SCENARIO)
    budget.handleCompaction({}, NOW)
    expect(budget.getUsageInfo()).toMatchObject({ totalTokens: 0, percentUsed: 0 })
  })

  it('is empty after a reset, and does not retrigger [LOG-73]', () => {
    const budget = used(10_000, SCENARIO)
    budget.reset()
    expect(budget.getRecommendations().shouldPrune).toBe(false)
    expect(budget.getUsageInfo().percentUsed).toBe(0)
  })
})

describe('a budget for a window', () => {
  it.each([
    [200_000, 2_000],
    [40_000, 2_000],
    [12_000, 600],
    [10_010, 500],
    [8_192, 409],
  ])('of %i keeps %i in reserve and warns at 0.8 [LOG-85]', (window, reserve) => {
    const status = budgetForWindow(window)?.getBudgetStatus()
    expect(status).toMatchObject({ maxTokens: window, effectiveLimit: window - reserve })
    const nearly = budgetForWindow(window)
    nearly?.recordUsage({ usage: usage(Math.ceil(0.8 * window), 0) })
    expect(nearly?.isNearLimit()).toBe(true)
  })

  it.each([undefined, 0, -1, Number.NaN])('of %s is none [ALWAYS-20]', (window) => {
    expect(budgetForWindow(window)).toBeUndefined()
  })
})
