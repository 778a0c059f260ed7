// Adversarial texts: the work grows with the length alone, and no line, name or brief gets out of hand.
import { describe, expect, it, vi } from 'vitest'
import { TestLog } from '../../../test/generate/test-log.ts'
import { result, user } from '../../../test/say.ts'
import { weightOf } from '../../core/view/context.ts'
import { Coverage } from './coverage.ts'
import { digestReducer, extract } from './extract.ts'
import { eachLine } from './lines.ts'
import { Selection } from './select.ts'
import { eachTerm } from './terms.ts'

const BAITS: readonly (readonly [string, string])[] = [
  ['an unbroken run', 'a'],
  ['words', 'alpha beta '],
  ['a path without end', 'a/'],
  ['joints alone', './-:'],
  ['nested JSON', '{"a":['],
  ['regular-expression bait', 'aaaaaaaaaaaaaaaaaaaaaaaa!'],
  ['numbers', '1234567890'],
  ['surrogate pairs', '😀'],
  ['letters of another script', '设置'],
  ['short lines', 'x\n'],
]
const SMALL = 20_000

/** How often anything is read or told of: the steps that a scan takes. */
function findSteps(text: string): number {
  let steps = 0
  eachLine(text, (line) => {
    steps += line.length
    eachTerm(line, (from, to) => {
      steps += to - from
    })
  })
  return steps
}

describe('lines and names', () => {
  it.each(BAITS)('of %s take steps in proportion to its length', (_, bait) => {
    const text = bait.repeat(Math.ceil(SMALL / bait.length))
    expect(findSteps(text)).toBeLessThanOrEqual(4 * text.length)
    expect(findSteps(text.repeat(10))).toBeLessThanOrEqual(40 * text.length)
  })

  it('have bounded lengths, and halves of no pair', () => {
    for (const [, bait] of BAITS)
      eachLine(bait.repeat(5_000), (line) => {
        expect(line.length).toBeLessThanOrEqual(160)
        expect(line.isWellFormed()).toBe(true)
      })
  })

  it('takes the beginning and the end of an endless line', () => {
    const lines: string[] = []
    eachLine(`first ${'middle '.repeat(1_000_000)} last`, (line) => lines.push(line))
    expect(lines.length).toBeLessThan(200)
    expect(lines[0]).toMatch(/^first /)
    expect(lines.at(-1)).toMatch(/ last$/)
  })
})

describe('a digest', () => {
  it.each(BAITS)('of %s holds no more than it was given', (_, bait) => {
    const text = bait.repeat(Math.ceil(SMALL / bait.length))
    const digest = digestReducer.init()
    const log = new TestLog()
    log.append([user('begin'), result('none', text)])
    for (const event of log.events) digest.add(event)
    const chars = digest.lines.reduce((sum, line) => sum + line.text.length, 0)
    expect(chars).toBeLessThanOrEqual(text.length + 10)
    expect(digest.vocabulary.size).toBeLessThanOrEqual(text.length)
  })
})

describe('many messages of the user', () => {
  it('are not walked through again for each one that takes nothing back', () => {
    const digest = digestReducer.init()
    const walks = [vi.spyOn(digest.words, 'flatMap'), vi.spyOn(digest.words, 'entries')]
    const log = new TestLog()
    log.append(Array.from({ length: 50 }, (_, at) => user(`Never touch file-${at}.ts.`)))
    for (const event of log.events) digest.add(event)
    expect(walks.map((walk) => walk.mock.calls.length)).toEqual([0, 0])
    expect(digest.words.flatMap((word) => word.binding)).toHaveLength(50)
  })
})

describe('a proposal', () => {
  it.each(BAITS)('for %s is within its target', async (_, bait) => {
    const log = new TestLog()
    const calls = ['c1']
    log.append([
      user('begin'),
      { type: 'AGENT_MESSAGE', data: { content: bait.repeat(2_000), calls } },
      { type: 'TOOL_CALL', data: { id: 'c1', name: 'run', arguments: { x: bait }, answer: 0 } },
      result('c1', bait.repeat(20_000)),
      user('go on'),
    ])
    const { context, eventAt } = log
    const run = { threadId: log.threadId }
    const proposal = await extract.propose({
      context,
      eventAt,
      run,
      trigger: 'auto',
      targetTokens: 400,
    })
    expect(log.compact(proposal, 'auto')).toBeUndefined()
    expect(weightOf(log.context)).toBeLessThanOrEqual(400)
  })
})

describe('a selection', () => {
  const coverageWith = (needs: Float64Array) =>
    new Coverage({ needs, tellingOf: () => 1, isBinding: () => true })

  /** Lines that share their names with many others: each choice makes others worth less. */
  function stepsFor(count: number): number {
    const needs = new Float64Array(count).fill(0.3)
    const coverage = coverageWith(needs)
    const candidates = Array.from({ length: count }, (_, at) => ({
      terms: Int32Array.from([at, (at * 7) % count, (at * 13) % count]),
      tokens: 5 + (at % 3),
      group: at,
      weight: 1,
    }))
    const selection = new Selection(candidates, new Map(), coverage)
    selection.fill(count)
    return selection.steps
  }

  it('looks at each line a few times, however many there are', () => {
    expect(stepsFor(1_000)).toBeLessThan(8 * 1_000)
    expect(stepsFor(10_000)).toBeLessThan(8 * 10_000)
  })

  it('chooses what adds most for its price, and goes on where it stopped', () => {
    const needs = Float64Array.from([0.9, 0.5, 0.1])
    const coverage = coverageWith(needs)
    const line = (term: number) => ({
      terms: Int32Array.from([term]),
      tokens: 10,
      group: term,
      weight: 1,
    })
    const selection = new Selection([line(2), line(1), line(0)], new Map(), coverage)
    expect(selection.fill(15)).toBe(5)
    expect(selection.chosen).toEqual([2])
    expect(selection.fill(15)).toBe(5)
    expect(selection.chosen).toEqual([2, 1])
    selection.drop(1)
    expect(selection.chosen).toEqual([2])
  })
})
