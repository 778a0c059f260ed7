// The parts that the metric is made of: terms, verbatim search, chance, intervals, the libraries' ways.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/scale.ts'
import { cellOf, differenceOf, intervalOf } from './aggregate.ts'
import { keptByPruneMessages, keptByTrimMessages } from './libraries.ts'
import type { Measured, MeasuredSession } from './measure.ts'
import { COUNTERS, newestWithin, type Piece, tokensIn } from './pieces.ts'
import { presenceIn } from './presence.ts'
import { shuffled } from './random.ts'
import { quotesIn, tokensOf } from './terms.ts'
import { SHORTEST_PATTERN, VerbatimSearch } from './verbatim.ts'

const TERMS: readonly (readonly [line: string, identifiers: readonly string[]])[] = [
  ['see src/core/edit/gate.ts:12:5, then ./run.sh', ['src/core/edit/gate.ts', './run.sh']],
  ['in .github/workflows/ci.yml and ~/notes.md.', ['.github/workflows/ci.yml', '~/notes.md']],
  ['(https://example.org/a?b=c#d) says so', ['https://example.org/a?b=c#d']],
  ['passGate calls check_size; MAX_OPEN is set', ['passGate', 'check_size', 'MAX_OPEN']],
  ['at 3f9c2ab1, v1.2.3-beta, after 250ms of 4GB', ['3f9c2ab1', 'v1.2.3-beta', '250ms', '4GB']],
  ['TS2322 and #417 with trim-tool-results', ['TS2322', '#417', 'trim-tool-results']],
  ['`store.append` of @scope/name', ['store.append', '@scope/name']],
  ['{"path":"a/b/c.ts"}', ['a/b/c.ts']],
  ['e.g. and/or end-to-end, 42 times --force 2>/dev/null on GitHub', []],
  ['Sentence one.Two', ['one.Two']],
  ['...args and $HOME', []],
]

describe('tokensOf', () => {
  it.each(TERMS)('reads the identifiers of %j', (line, identifiers) => {
    const found = tokensOf(line).filter(({ isIdentifier }) => isIdentifier)
    expect(found.map(({ term }) => term)).toEqual(identifiers)
    for (const { term, start, end } of found) expect(line.slice(start, end)).toBe(term)
  })

  it('gives words in lower case, without those that say nothing', () => {
    const words = tokensOf('The Parser should wait').map(({ term }) => term)
    expect(words).toEqual(['parser', 'wait'])
  })

  it('passes over a run without end in linear time', () => {
    expect(tokensOf('-'.repeat(2_000_000).concat('a'))).toEqual([])
    expect(tokensOf('aB'.repeat(1_000_000))).toEqual([])
  })
})

describe('presenceIn', () => {
  const wanted = {
    terms: new Set(['retryLimit']),
    pairs: new Map([['retryLimit', new Set(['nightly'])]]),
    strings: new Set<string>(),
  }
  const bound = (between: string) => {
    const { terms, pairs } = presenceIn([`retryLimit${between}nightly`], wanted)
    expect([...terms]).toEqual(['retryLimit'])
    return pairs.size === 1
  }

  it('binds two terms within 160 characters of one line, and no further', () => {
    const both = 'retryLimit'.length + 'nightly'.length
    expect(bound(' '.repeat(160 - both))).toBe(true)
    expect(bound(' '.repeat(161 - both))).toBe(false)
    expect(bound('\n')).toBe(false)
  })
})

it('quotesIn gives what is said in several words, and no single one', () => {
  expect(quotesIn('it says "no such file or folder", "ENOENT" and `a = b ? c : d`')).toEqual([
    'no such file or folder',
  ])
})

it('VerbatimSearch finds what `includes` finds', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: SHORTEST_PATTERN })
  fc.assert(
    fc.property(fc.array(pattern), fc.array(pattern), (patterns, texts) => {
      const text = [...texts, ...patterns.slice(0, 1)].join('a')
      const found = new Set<string>()
      new VerbatimSearch(patterns).collect(text, found)
      expect(found).toEqual(new Set(patterns.filter((one) => text.includes(one))))
    }),
    runs(),
  )
})

function piece(kind: Piece['kind'], message: number, tokens: number, callId?: string): Piece {
  return {
    kind,
    message,
    tokens,
    text: `${kind} ${message}`,
    ...(callId !== undefined && { callId }),
  }
}

const PIECES: readonly Piece[] = [
  piece('user', 0, 10),
  piece('answer', 1, 10),
  piece('call', 1, 10, 'a'),
  piece('result', 2, 100, 'a'),
  piece('answer', 3, 10),
  piece('call', 3, 10, 'b'),
  piece('result', 4, 30, 'b'),
  piece('answer', 5, 10),
]
const textsOf = (pieces: readonly Piece[]) => pieces.map(({ text }) => text)

describe('the libraries', () => {
  it('trimMessages keeps the newest whole messages, and no result without its call', async () => {
    expect(textsOf(await keptByTrimMessages(PIECES, 60))).toEqual([
      'answer 3',
      'call 3',
      'result 4',
      'answer 5',
    ])
    expect(textsOf(await keptByTrimMessages(PIECES, 59))).toEqual(['answer 5'])
  })

  it('pruneMessages drops calls with their results, but for the last', () => {
    expect(textsOf(keptByPruneMessages(PIECES))).toEqual([
      'user 0',
      'answer 1',
      'answer 3',
      'call 3',
      'result 4',
      'answer 5',
    ])
  })
})

it('newestWithin fills the budget to the token, and cuts the oldest piece that is left', () => {
  const counter = COUNTERS.chars4
  const pieces = ['a'.repeat(400), 'b'.repeat(400)].map(
    (text): Piece => ({ kind: 'user', text, tokens: counter.weigh(text), message: 0 }),
  )
  const kept = newestWithin(pieces, 130, counter)
  expect(textsOf(kept)).toEqual(['a'.repeat(120), 'b'.repeat(400)])
  expect(tokensIn(kept)).toBe(130)
})

it('shuffled gives the same order for the same seed, and another for another', () => {
  const numbers = Array.from({ length: 50 }, (_, index) => index)
  expect(shuffled(numbers, 1)).toEqual(shuffled(numbers, 1))
  expect(shuffled(numbers, 1)).not.toEqual(shuffled(numbers, 2))
  expect(shuffled(numbers, 1).toSorted((one, other) => one - other)).toEqual(numbers)
})

function session(
  id: string,
  headlines: Readonly<Record<string, readonly number[]>>,
): MeasuredSession {
  const runs = Object.entries(headlines).flatMap(([policy, values]) =>
    values.map(
      (headline): Measured => ({
        policy,
        budget: '10%',
        headline,
        unary: headline,
        pair: headline,
        budgetTokens: 100,
        keptTokens: 80,
        overTokens: policy === 'a' ? 20 : 0,
      }),
    ),
  )
  const needs = { terms: 9, pairs: 9, arguments: 0 }
  return {
    id,
    format: 'test',
    cuts: runs.map((run) => ({ at: '50%', tokens: 1_000, needs, measured: [run] })),
  }
}

describe('figures', () => {
  const sessions = [
    session('long', { a: [0.2, 0.2, 0.2, 0.2], b: [0.5, 0.5] }),
    session('short', { a: [0.8], b: [0.7] }),
    session('alone', { a: [0.5], c: [0] }),
  ]

  it('count each session once, whatever the number of its cuts, and name the least', () => {
    const cell = cellOf(sessions, 'a', '10%', 1)
    expect(cell).toMatchObject({ sessions: 3, min: 0.2, over: 1, failed: 0 })
    expect(cell?.used).toBeCloseTo(0.8)
    expect(cell?.headline.mean).toBeCloseTo(0.5)
    expect(cell?.exact).toBeUndefined()
    expect(cellOf(sessions, 'a', '5%', 1)).toBeUndefined()
  })

  it('compare two policies session by session, where both have one', () => {
    const difference = differenceOf(sessions, 'a', 'b', '10%', 1)
    expect(difference).toMatchObject({ sessions: 2, worse: ['long'] })
    expect(difference?.headline.mean).toBeCloseTo(-0.1)
    expect(difference?.ratio).toBeCloseTo(1 / 1.2)
    expect(differenceOf(sessions, 'a', 'c', '10%', 1)?.ratio).toBeUndefined()
  })

  it('have an interval that the seed alone decides, and that holds the mean', () => {
    const values = [0.1, 0.4, 0.5, 0.9, 0.3]
    const { mean, low, high } = intervalOf(values, 3)
    expect(intervalOf(values, 3)).toEqual({ mean, low, high })
    expect(low).toBeLessThan(mean)
    expect(high).toBeGreaterThan(mean)
    expect(intervalOf([0.5, 0.5], 3)).toEqual({ mean: 0.5, low: 0.5, high: 0.5 })
  })
})
