// The figures of a session, as the LOG design has them, and what interfaces draw.
import { describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../../core/log/event.ts'
import { aggregateTokenUsage } from '../../core/window/usage.ts'
import { buildContextFigures, readTokenUsage } from './figures.ts'

function answers(...usages: readonly (readonly [prompt: number, completion: number])[]) {
  const events = usages.map(
    ([promptTokens, completionTokens], at): ThreadEvent => ({
      v: 2,
      id: `evt_${at}`,
      threadId: 'thr_1',
      seq: at + 1,
      timestamp: new Date(0),
      type: 'AGENT_MESSAGE',
      data: {
        content: 'Done.',
        calls: [],
        tokenUsage: {
          promptTokens,
          completionTokens,
          totalTokens: promptTokens + completionTokens,
        },
      },
    }),
  )
  return aggregateTokenUsage(events)
}

const LIMIT = 12_000

describe('tokenUsageOf', () => {
  it('sums over the events and says how much of the limit that is [LOG-74, LOG-75]', () => {
    expect(readTokenUsage(answers([100, 25], [200, 100]), LIMIT)).toEqual({
      totalPromptTokens: 300,
      totalCompletionTokens: 125,
      totalTokens: 425,
      percentUsed: 3.54,
      nearLimit: false,
    })
  })

  const ROWS = [
    { tokens: 10_000, percentUsed: 83.33, nearLimit: true },
    { tokens: 9_600, percentUsed: 80, nearLimit: false }, // exactly 0.8 is not near yet
    { tokens: 9_601, percentUsed: 80.01, nearLimit: true },
    { tokens: 0, percentUsed: 0, nearLimit: false },
    { tokens: 15_000, percentUsed: 125, nearLimit: true },
  ]
  it.each(ROWS)('$tokens tokens are $percentUsed % [LOG-75, LOG-76]', ({ tokens, ...expected }) => {
    expect(readTokenUsage(answers([tokens, 0]), LIMIT)).toMatchObject(expected)
  })

  it('of nothing is 0 and not near, and of no limit absent [LOG-76]', () => {
    expect(readTokenUsage(answers(), LIMIT)).toMatchObject({ totalTokens: 0, percentUsed: 0 })
    expect(readTokenUsage(answers(), LIMIT)?.nearLimit).toBe(false)
    expect(readTokenUsage(answers([1, 1]), undefined)).toBeUndefined()
    expect(readTokenUsage(answers([1, 1]), 0)).toBeUndefined()
  })
})

describe('contextFiguresOf', () => {
  it('leaves out what is unknown', () => {
    expect(buildContextFigures({}, undefined)).toEqual({})
    expect(buildContextFigures({}, LIMIT)).toEqual({ limit: LIMIT })
    expect(buildContextFigures({ tokens: 6_000, by: 'measured' }, LIMIT)).toEqual({
      tokens: 6_000,
      limit: LIMIT,
      percent: 50,
      by: 'measured',
    })
    expect(buildContextFigures({ tokens: 10, by: 'estimated' }, undefined)).toEqual({
      tokens: 10,
      by: 'estimated',
    })
  })
})
