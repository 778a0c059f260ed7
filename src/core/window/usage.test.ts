// What was billed: sums over events, and the reducer that keeps them for a thread.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { answer, measuredAnswer, result, user } from '../../../test/say.ts'
import type { EventDraft, EventOf, ThreadEvent } from '../log/event.ts'
import type { Json } from '../text/json.ts'
import type { ModelRef, TokenUsage } from '../view/content.ts'
import { readContext } from './reading.ts'
import {
  aggregateTokenUsage,
  billedUsage,
  sumUsage,
  type UsageState,
  usageReducer,
} from './usage.ts'

function usage(promptTokens: number, completionTokens: number, more: Partial<TokenUsage> = {}) {
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens, ...more }
}

function toolUsage(tokenUsage: TokenUsage): EventDraft {
  return {
    type: 'TOOL_RESULT',
    data: { id: 'c1', content: [], status: 'completed', tokenUsage },
  }
}

function compaction(cost?: TokenUsage): EventDraft {
  const data = {
    runId: 'run_1',
    strategyId: 'summarize',
    trigger: 'command' as const,
    originalEventCount: 2,
    compactedEventCount: 1,
    basedOn: 0,
    edits: [],
    inverse: [],
    ...(cost && { usage: cost }),
  }
  return { type: 'COMPACTION', data }
}

function failure(cost: TokenUsage): EventDraft {
  const data = { runId: 'run_2', strategyId: 'summarize', reason: 'empty', usage: cost }
  return { type: 'COMPACTION_FAILED', data }
}

function events(...drafts: EventDraft[]): ThreadEvent[] {
  return new TestLog().append(drafts, 'leave')
}

/** A count that no log takes, as a caller might hand it over all the same. */
function withUsage(event: ThreadEvent, tokenUsage: TokenUsage): ThreadEvent {
  return event.type === 'AGENT_MESSAGE' ? { ...event, data: { ...event.data, tokenUsage } } : event
}

describe('usage on events', () => {
  const stored = { v: 2, id: 'evt_1', threadId: 'thr_1', seq: 1, timestamp: new Date(0) }

  it('stands on an answer, or is not there [LOG-01] [LOG-02]', () => {
    const counted: EventOf<'AGENT_MESSAGE'> = {
      ...stored,
      type: 'AGENT_MESSAGE',
      data: {
        content: 'Hello',
        calls: [],
        tokenUsage: { promptTokens: 100, completionTokens: 50, totalTokens: 150 },
      },
    }
    expect(counted.data.tokenUsage?.totalTokens).toBe(150)
    const uncounted: EventOf<'AGENT_MESSAGE'> = {
      ...stored,
      type: 'AGENT_MESSAGE',
      data: { content: 'Hello', calls: [] },
    }
    expect(uncounted.data.tokenUsage).toBeUndefined()
  })

  it('stands on a tool result [LOG-01]', () => {
    const counted: EventOf<'TOOL_RESULT'> = {
      ...stored,
      type: 'TOOL_RESULT',
      data: { content: [], status: 'completed', tokenUsage: usage(7, 3) },
    }
    expect(counted.data.tokenUsage?.totalTokens).toBe(10)
  })
})

describe('aggregateTokenUsage [LOG-06] [LOG-07] [LOG-08] [LOG-09]', () => {
  it.each<[string, ThreadEvent[], [number, number, number, number]]>([
    ['nothing, as zeros', [], [0, 0, 0, 0]],
    [
      'two answers',
      events(measuredAnswer('a', usage(100, 50)), measuredAnswer('b', usage(200, 75))),
      [300, 125, 425, 2],
    ],
    [
      'tool results, too',
      events(measuredAnswer('a', usage(100, 50)), toolUsage(usage(10, 5))),
      [110, 55, 165, 2],
    ],
    [
      'nothing of events without usage',
      events(user('hi'), ...answer('a'), result('c1', 'ok'), measuredAnswer('b', usage(1, 2))),
      [1, 2, 3, 1],
    ],
    [
      'prompt and completion, whatever total was reported',
      events(measuredAnswer('a', usage(100, 50, { totalTokens: 999 }))),
      [100, 50, 150, 1],
    ],
    [
      'nothing of what is no count',
      events(measuredAnswer('a', usage(1, 1))).map((event) =>
        withUsage(event, usage(Number.NaN, -5)),
      ),
      [0, 0, 0, 1],
    ],
  ])('sums %s', (_, list, [prompt, completion, total, count]) => {
    expect(aggregateTokenUsage(list)).toEqual({
      totalPromptTokens: prompt,
      totalCompletionTokens: completion,
      totalTokens: total,
      eventCount: count,
    })
  })

  it('is the bill, not the size of the context [LOG-12]', () => {
    const log = new TestLog()
    log.append([user('a'), measuredAnswer('b', usage(1_000, 100))])
    log.append([user('c'), measuredAnswer('d', usage(1_200, 100))])
    expect(aggregateTokenUsage(log.events).totalTokens).toBe(2_400)
    expect(readContext(log.context)).toEqual({ tokens: 1_300, by: 'measured' })
  })
})

describe('the usage of a thread', () => {
  const drafts = [
    user('hi'),
    measuredAnswer('a', usage(100, 10, { cacheReadTokens: 80 })),
    toolUsage(usage(20, 2)),
    compaction(usage(500, 40, { cacheWriteTokens: 9 })),
    failure(usage(300, 1)),
    compaction(),
    measuredAnswer('b', usage(50, 5, { cacheReadTokens: 40, cacheWriteTokens: 1 })),
  ]

  function reduce(list: readonly ThreadEvent[], from = usageReducer.init()): UsageState {
    return list.reduce(usageReducer.step, from)
  }

  it('counts compactions apart, and is not reset by them', () => {
    expect(reduce(events(...drafts))).toEqual({
      conversation: {
        promptTokens: 170,
        completionTokens: 17,
        totalTokens: 187,
        cacheReadTokens: 120,
        cacheWriteTokens: 1,
        eventCount: 3,
      },
      summarizing: {
        promptTokens: 800,
        completionTokens: 41,
        totalTokens: 841,
        cacheWriteTokens: 9,
        eventCount: 2,
      },
    })
  })

  it('adds up to what was billed', () => {
    expect(billedUsage(reduce(events(...drafts)))).toEqual({
      promptTokens: 970,
      completionTokens: 58,
      totalTokens: 1_028,
      cacheReadTokens: 120,
      cacheWriteTokens: 10,
      eventCount: 5,
    })
  })

  it('does not know of a cache that nobody reported', () => {
    const billed = billedUsage(reduce(events(measuredAnswer('a', usage(1, 1)))))
    expect(billed).not.toHaveProperty('cacheReadTokens')
    expect(billed).not.toHaveProperty('cacheWriteTokens')
  })

  it('keeps its state where an event says nothing of usage', () => {
    const state = reduce(events(...drafts))
    expect(reduce(events(user('more'), ...answer('c')), state)).toBe(state)
  })

  it('goes on from where it was stored', () => {
    const list = events(...drafts)
    const stored = JSON.parse(JSON.stringify(usageReducer.encode(reduce(list.slice(0, 4)))))
    expect(reduce(list.slice(4), usageReducer.decode(stored))).toEqual(reduce(list))
  })

  it.each<[Json]>([[null], [{}], [{ conversation: {}, summarizing: {} }]])(
    'says that %j is no stored usage',
    (json) => {
      expect(() => usageReducer.decode(json)).toThrow(
        expect.objectContaining({ code: 'store-corrupt', where: 'snapshot, reducer usage' }),
      )
    },
  )
})

describe('sumUsage', () => {
  const bill = { promptTokens: 1, completionTokens: 2, totalTokens: 3 }
  const small = { ...bill, model: 'a/small' } as const
  const large = { ...bill, model: 'a/large' } as const
  const SUMS: readonly [TokenUsage | undefined, TokenUsage, ModelRef | undefined][] = [
    [undefined, small, 'a/small'],
    [small, small, 'a/small'],
    [small, large, undefined],
    [bill, small, undefined],
    [small, bill, undefined],
  ]
  it.each(SUMS)('of %j and %j is of the model %s', (one, other, model) => {
    expect(sumUsage(one, other).model).toBe(model)
  })
})
