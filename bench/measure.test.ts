// How rounds become a figure: order, middle values, ratios of pairs.
import { describe, expect, it } from 'vitest'
import { pretendWork } from '../test/wait.ts'
import { compare, judged, numberText } from './figure.ts'
import { interleave, ratioOf, spreadOf } from './measure.ts'
import { blockOf, withBlock } from './report.ts'

describe('rounds', () => {
  it('take turns, in turned order every other round, and drop the warm-up', async () => {
    const order: string[] = []
    const arm = (name: string) => (round: number) => order.push(`${name}${round}`)
    const options = { rounds: 2, warmUps: 1, keep: 1 }
    const series = await interleave({ a: arm('a'), b: arm('b') }, options)
    expect(order).toEqual(['b-1', 'a-1', 'a0', 'b0', 'b1', 'a1'])
    expect(series).toEqual({ a: [3, 6], b: [4, 5] })
  })

  it('stop when the budget is spent, after a least number', async () => {
    const options = { rounds: 1_000, budgetMs: -1, keep: 1 }
    const series = await interleave({ a: () => 1 }, options)
    expect(series.a).toHaveLength(9)
  })

  it('count where they are among the quietest', async () => {
    const arm = async (round: number) => {
      await pretendWork(round === 1 ? 60 : 0)
      return round
    }
    const series = await interleave({ a: arm, b: arm }, { rounds: 2, warmUps: 0 })
    expect(series).toEqual({ a: [0], b: [0] })
  })

  it('are summed up by the middle one and the middle half', () => {
    expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ value: 3, low: 2, high: 4 })
    expect(spreadOf([1, 2])).toEqual({ value: 1.5, low: 1.25, high: 1.75 })
  })

  it('are compared pair by pair', () => {
    // The machine was ten times slower in the second round, for both.
    expect(ratioOf([2, 20, 2], [1, 10, 1])).toEqual({ value: 2, low: 2, high: 2 })
  })
})

describe('a figure', () => {
  const question = { id: 'x', unit: 'µs', subject: 'a', reference: 'b' } as const
  it.each([
    { is: 'at most', ratio: 2, met: true },
    { is: 'at most', ratio: 1.9, met: false },
    { is: 'at least', ratio: 2, met: true },
    { is: 'at least', ratio: 2.1, met: false },
  ] as const)('of ratio 2 that should be $is $ratio: met is $met', ({ is, ratio, met }) => {
    const answered = compare({ ...question, goal: { is, ratio } }, [4], [2])
    expect(judged(answered, 'group', true).met).toBe(met)
    expect(judged(answered, 'group', false).met).toBeUndefined()
  })

  it.each([
    [0.001234, '0.00123'],
    [1.005, '1.01'],
    [12.34, '12.3'],
    [999.6, '1,000'],
    [123_456.7, '123,457'],
  ])('writes %s as %s', (value, text) => expect(numberText(value)).toBe(text))
})

describe('a page', () => {
  it('has its block replaced, and nothing else', () => {
    const page = 'before\n<!-- x:begin -->\nold\n<!-- x:end -->\nafter\n'
    const changed = withBlock(page, 'x', 'new')
    expect(changed).toBe('before\n<!-- x:begin -->\nnew\n<!-- x:end -->\nafter\n')
    expect(blockOf(changed, 'x')).toBe('new')
    expect(() => withBlock(page, 'y', '')).toThrow('<!-- y:begin -->')
  })
})
