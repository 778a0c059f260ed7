// What a search shows: close words before scattered ones, names that were lost, no name twice, never too much.
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../window/tokens/estimate.ts'
import { chooseFinds } from './choose-finds.ts'
import { countWords, stemsOf, weighTexts } from './matching.ts'
import { namesIn } from './names.ts'

function choose(query: string, texts: readonly string[], known: readonly string[] = []) {
  const words = stemsOf(query)
  const counted = texts.map((text) => ({ counts: countWords(text, words), chars: text.length }))
  const chars = texts.join('').length
  const { asked, scores } = weighTexts(counted, words, { texts: texts.length, chars })
  const candidates = texts.map((text, index) => ({ text, score: scores[index] ?? 0 }))
  return chooseFinds(candidates, asked, { finds: 5, tokensPerFind: 60, known: new Set(known) })
}

const FILLER = 'Nothing of this kind is here, and that is said at some length.\n'.repeat(30)

describe('stems', () => {
  it.each([
    ['querying', 'the queries are slow', 1],
    ['validated', 'validation of input', 1],
    ['running', 'it runs', 1],
    ['config', 'parseConfig', 1],
    ['use', 'the user', 0.2],
    ['ow', 'readRow', 0],
    ['cafe', 'Café', 1],
  ])('%s counts in "%s" as %d', (query, text, count) => {
    expect(countWords(text, stemsOf(query))[0]).toBe(count)
  })
})

describe('names', () => {
  it('are what must come back exactly, without the marks of the sentence', () => {
    const text =
      'See src/a/b.ts:12:3, `readRow()` and user_id. TS2322 at v1.2.3 (#1556), VER-01: 10% in 40ms; a3f09bc1.'
    expect(namesIn(text)).toEqual([
      ...['src/a/b.ts', 'readRow', 'user_id', 'TS2322', 'v1.2.3', '#1556', 'VER-01', '10%', '40ms'],
      'a3f09bc1',
    ])
    expect(namesIn('The words of a sentence are none, e.g. these: 12 or so.')).toEqual([])
  })
})

describe('finds', () => {
  it('rank by how many of the words stand close together, and how rare they are', () => {
    const scattered = `timeout\n${FILLER}gateway\n${FILLER}retry of scatterName`
    const close = `${FILLER}the gateway retries after its timeout in closeName\n${FILLER}`
    const one = 'timeout of oneName'
    const found = choose('gateway retry timeout', [scattered, one, close])
    expect(found.map(({ candidate }) => candidate.text)).toEqual([close, scattered, one])
    expect(found[0]?.snippet).toContain('the gateway retries after its timeout')
  })

  it('give the names near the words, each once, and none that is known', () => {
    const texts = [
      `${FILLER}the pool is drained\nby drainPool in src/pool.ts and knownName\n${FILLER}`,
      'the pool is drained by drainPool in src/other.ts',
    ]
    const found = choose('pool drained', texts, ['knownName'])
    const given = found.flatMap(({ snippet, names }) => [...namesIn(snippet), ...names])
    expect(given).toContain('src/pool.ts')
    expect(given).toContain('src/other.ts')
    expect(found.flatMap(({ names }) => names)).not.toContain('knownName')
    const names = found.flatMap((find) => find.names)
    expect(new Set(names).size).toBe(names.length)
  })

  it('put what only repeats the names of another find behind what adds some', () => {
    const repeated = 'the cache is flushed by flushCache'
    const found = choose('cache flushed', [repeated, `${repeated} `, 'a cache flushed in src/x.ts'])
    expect(found.map(({ candidate }) => candidate.text).at(-1)).toContain('flushCache')
    expect(found[1]?.candidate.text).toContain('src/x.ts')
  })

  it('stay within their tokens, however many names there are', () => {
    const text = Array.from({ length: 500 }, (_, n) => `retry in src/some/where/module-${n}.ts`)
    const found = choose('retry module', [text.join('\n'), text.join(' ')])
    const shown = found.map(({ snippet, names }) => [snippet, ...names].join(', ')).join('\n')
    expect(estimateTokens(shown)).toBeLessThanOrEqual(2 * 60 + 10)
    expect(found.flatMap(({ names }) => names).length).toBeGreaterThan(5)
  })
})
