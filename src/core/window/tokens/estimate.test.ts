// The estimate against o200k on invented texts, and its manners on anything else.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/scale.ts'
import { loadO200k } from '../../../providers/o200k.ts'
import { KINDS } from './alphabet.ts'
import { chars4Counter, estimateCounter } from './counter.ts'
import { estimateTokens } from './estimate.ts'

const folder = new URL('../../../../test/texts/', import.meta.url)
const texts = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(new URL(name, folder), 'utf8'),
}))
const o200k = await loadO200k()

/** How far a count is from the exact one, as shares, smallest first. */
function findErrors(count: (text: string) => number, kinds: RegExp): number[] {
  return texts
    .filter(({ name }) => kinds.test(name))
    .map(({ text }) => Math.abs(count(text) / o200k.count(text) - 1))
    .toSorted((a, b) => a - b)
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
const p95 = (values: readonly number[]) => values[Math.ceil(values.length * 0.95) - 1] ?? 0

describe('the estimate on texts of every kind', () => {
  it('has texts to be measured on', () => {
    expect(texts.length).toBeGreaterThanOrEqual(25)
    for (const { name, text } of texts) expect(text.length, name).toBeGreaterThanOrEqual(400)
  })

  it('is within 10 % on average, and within 25 % for nearly all', () => {
    const errors = findErrors(estimateTokens, /./)
    expect(mean(errors)).toBeLessThan(0.1)
    expect(p95(errors)).toBeLessThan(0.25)
  })

  it.each([
    ['prose', /^prose/, 0.05],
    ['code', /^code/, 0.08],
    ['JSON', /^json/, 0.1],
    ['logs', /^log/, 0.08],
    ['Chinese', /^zh/, 0.2],
    ['Japanese', /^ja/, 0.15],
    ['Korean', /^ko/, 0.15],
  ])('is close for %s', (_, kinds, limit) => {
    const errors = findErrors(estimateTokens, kinds)
    expect(errors.length).toBeGreaterThanOrEqual(3)
    expect(mean(errors)).toBeLessThan(limit)
  })

  it('is several times closer than a fourth of the characters', () => {
    const rough = mean(findErrors(chars4Counter.count, /./))
    expect(rough / mean(findErrors(estimateCounter.count, /./))).toBeGreaterThan(4)
  })
})

describe('the estimate of odd texts', () => {
  it.each([
    ['', 0],
    [' ', 1],
    ['\n', 1],
    ['a', 1],
    ['hello world', 2],
    ["it's", 1],
    ['12', 1],
    ['1234567', 3],
    ['    return 1', 4], // the last space goes with the word
    ['x = 42;', 5],
    ['fooBarBaz', 3],
  ])('%j has %i', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens)
  })

  it('sees noise for what it is', () => {
    const noise = 'xqzjvkwpfgbtnhmxrzqcvdlkjxwqpzmfnv'
    const words = 'the quick gardener waters flowers'
    expect(estimateTokens(noise)).toBeGreaterThan(2 * estimateTokens(words))
  })

  it('is a whole number, the same each time, and never none for a text [ALWAYS-20]', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 100 }),
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    )
    fc.assert(
      fc.property(anything, (text) => {
        const tokens = estimateTokens(text)
        expect(Number.isInteger(tokens)).toBe(true)
        expect(tokens > 0).toBe(text.length > 0)
        expect(tokens).toBeLessThanOrEqual(3 * text.length)
        expect(estimateTokens(text)).toBe(tokens)
      }),
      runs(),
    )
  })

  it('grows with the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        // Joining two texts can save a token or two where they meet, never more.
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a) - 2)
        expect(estimateTokens(a + b)).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b) + 2)
      }),
      runs(),
    )
  })

  // Anything but one pass would not end within the time of a test.
  it.each(['a', 'Q', ' ', '\n', '7', '=', "a'", 'aB', '漢', '😀', 'é', '\t'])(
    'passes once over an unbroken run of %j',
    (unit) => {
      const text = unit.repeat(1_000_000 / unit.length)
      const tokens = estimateTokens(text)
      expect(tokens).toBeGreaterThan(1_000)
      expect(tokens).toBeLessThanOrEqual(2 * text.length)
    },
  )

  it('passes once over a line of ten million characters', () => {
    expect(estimateTokens('word '.repeat(2_000_000))).toBe(2_000_001)
  })

  it('knows a kind for every code unit', () => {
    expect(KINDS.length).toBe(0x10000)
  })
})
