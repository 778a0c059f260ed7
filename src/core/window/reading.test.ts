// How full the window is, as the context of a thread knows it.
import { describe, expect, it } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { answer, measuredAnswer, result, system, user } from '../../../test/say.ts'
import type { Edit } from '../edit/change.ts'
import { type Context, emptyContext, weightOf } from '../view/context.ts'
import { readContext } from './reading.ts'

const usage = { promptTokens: 9_000, completionTokens: 500, totalTokens: 9_500 }

/** Everything so far becomes one summary. */
function summarized(log: TestLog): void {
  const count = log.context.items.length
  const ids = log.context.items.toArray().map(({ id }) => id)
  const edit: Edit = {
    covers: ids,
    put: [{ type: 'USER_MESSAGE', data: 'short', label: 'summary' }],
  }
  expect(log.compact({ edits: [edit] })).toBeUndefined()
  expect(log.context.items.length).toBeLessThan(count)
}

describe('readContext', () => {
  it('is what the provider counted for the last answer', () => {
    const log = new TestLog()
    log.append([user('hi'), measuredAnswer('there', usage)])
    expect(readContext(log.context)).toEqual({ tokens: 9_500, by: 'measured' })
  })

  it('adds an estimate of what came after, in the provider’s measure', () => {
    const log = new TestLog()
    log.append([user('hi'), measuredAnswer('there', usage)])
    const before = weightOf(log.context)
    log.append([user('one more question, and a somewhat longer one')])
    const since = weightOf(log.context) - before
    expect(since).toBeGreaterThan(0)
    expect(readContext(log.context)).toEqual({ tokens: 9_500 + since, by: 'measured' })
    const tokens = 9_500 + Math.round(1.5 * since)
    expect(readContext(log.context, { ratio: 1.5 })).toEqual({ tokens, by: 'measured' })
  })

  it('does not count the calls of the measured answer twice', () => {
    const log = new TestLog()
    const [said, ...calls] = answer('reading', 'c1')
    if (said?.type !== 'AGENT_MESSAGE') throw new Error('answer() begins with the answer')
    log.append([user('read it')])
    log.append([{ ...said, data: { ...said.data, tokenUsage: usage } }, ...calls], 'leave')
    expect(readContext(log.context).tokens).toBe(9_500)
    log.append([result('c1', 'the text')], 'leave')
    expect(readContext(log.context).tokens).toBeGreaterThan(9_500)
  })

  it('forgets a count from before the latest change', () => {
    const log = new TestLog()
    log.append([system('be kind'), user('a'), measuredAnswer('b', usage), user('c')])
    summarized(log)
    const reading = readContext(log.context, { overheadTokens: 0 })
    expect(reading).toEqual({ tokens: weightOf(log.context), by: 'estimated' })
    expect(readContext(log.context, { measuredOnly: true })).toEqual({})
    log.append([measuredAnswer('d', { ...usage, promptTokens: 700 })])
    expect(readContext(log.context, { measuredOnly: true })).toEqual({
      tokens: 1_200,
      by: 'measured',
    })
  })

  it('adds to an estimate what the provider used to count beside the context', () => {
    const log = new TestLog()
    log.append([user('a'), measuredAnswer('b', usage)])
    const beside = 9_500 - weightOf(log.context)
    summarized(log)
    expect(readContext(log.context).tokens).toBe(weightOf(log.context) + beside)
    const asked = readContext(log.context, { ratio: 2, overheadTokens: 100 })
    expect(asked).toEqual({ tokens: 2 * weightOf(log.context) + 100, by: 'estimated' })
  })

  it.each<[string, Partial<Context>, object]>([
    ['an empty thread', {}, { tokens: 0, by: 'estimated' }],
    ['no count', { tokens: 70 }, { tokens: 70, by: 'estimated' }],
    [
      'a count of nothing',
      { tokens: 70, measured: { version: 1, tokens: 0, estimate: 70 } },
      { tokens: 70, by: 'estimated' },
    ],
    [
      'a count that is none',
      { tokens: 70, measured: { version: 1, tokens: Number.NaN, estimate: 70 } },
      { tokens: 70, by: 'estimated' },
    ],
    [
      'more estimated then than now',
      { tokens: 70, measured: { version: 1, tokens: 50, estimate: 90 } },
      { tokens: 50, by: 'measured' },
    ],
    ['a weight that is no number', { tokens: Number.NaN }, {}],
  ])('is defined for %s [ALWAYS-20]', (_, context, reading) => {
    expect(readContext({ ...emptyContext(), ...context })).toEqual(reading)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'takes a ratio of %d for none [ALWAYS-20]',
    (ratio) => {
      const context = { ...emptyContext(), tokens: 70 }
      expect(readContext(context, { ratio, overheadTokens: ratio }).tokens).toBe(70)
    },
  )
})
