// The two prompt caches, against figures that are added up here by hand.
import { describe, expect, it } from 'vitest'
import { MarkedCache } from './cache.ts'
import type { Segment } from './count.ts'
import { AutomaticCache } from './prefix-cache.ts'

const MINUTE_MS = 60_000
const FIVE_MINUTES = 5 * MINUTE_MS
const ONE_HOUR = 60 * MINUTE_MS

/** `tools 400`, `messages 700 5m`: a level, its tokens, its mark; the text is the notation itself. */
function segments(...notations: readonly string[]): readonly Segment[] {
  return notations.map((notation) => {
    const [level, tokens, mark] = notation.split(' ')
    const keepMs = mark === '1h' ? ONE_HOUR : mark === '5m' ? FIVE_MINUTES : undefined
    return {
      level: level as Segment['level'],
      text: `${level} ${tokens}`,
      tokens: Number.parseInt(tokens ?? '', 10),
      ...(keepMs !== undefined && { keepMs }),
    }
  })
}

/** read / written (of these for an hour) / uncached */
function figures(
  cache: MarkedCache,
  notations: readonly string[],
  nowMs = 0,
  settings = '',
): readonly number[] {
  const usage = cache.account('m', settings, segments(...notations), nowMs)
  const { readTokens, writtenTokens, writtenForHourTokens, uncachedTokens } = usage
  return [readTokens, writtenTokens, writtenForHourTokens, uncachedTokens]
}

const MIN_TOKENS = 1_000

describe('a cache with marks', () => {
  it('writes up to the last mark, reads it back, and bills the rest', () => {
    const cache = new MarkedCache(MIN_TOKENS)
    const first = ['tools 600', 'system 500 5m', 'messages 300']
    expect(figures(cache, first)).toEqual([0, 1_100, 0, 300])
    expect(figures(cache, first)).toEqual([1_100, 0, 0, 300])
    const grown = ['tools 600', 'system 500 5m', 'messages 300', 'messages 200 5m', 'messages 50']
    expect(figures(cache, grown)).toEqual([1_100, 500, 0, 50])
    expect(figures(cache, grown)).toEqual([1_600, 0, 0, 50])
  })

  it('keeps nothing shorter than the minimum, without a word [VALID-A17]', () => {
    const cache = new MarkedCache(MIN_TOKENS)
    expect(figures(cache, ['system 999 5m', 'messages 10'])).toEqual([0, 0, 0, 1_009])
    expect(figures(cache, ['system 999 5m', 'messages 10'])).toEqual([0, 0, 0, 1_009])
    expect(figures(cache, ['system 999 5m', 'messages 10 5m'])).toEqual([0, 1_009, 0, 0])
  })

  it('parts what is written for an hour from what is written for five minutes', () => {
    const cache = new MarkedCache(MIN_TOKENS)
    const marked = ['tools 2000 1h', 'system 500', 'messages 300 5m', 'messages 40']
    expect(figures(cache, marked)).toEqual([0, 2_800, 2_000, 40])
  })

  it('forgets after the life time, which each use starts anew', () => {
    const cache = new MarkedCache(MIN_TOKENS)
    const prompt = ['system 2000 5m', 'messages 10']
    expect(figures(cache, prompt, 0)).toEqual([0, 2_000, 0, 10])
    expect(figures(cache, prompt, FIVE_MINUTES - 1)).toEqual([2_000, 0, 0, 10])
    expect(figures(cache, prompt, 2 * FIVE_MINUTES - 2)).toEqual([2_000, 0, 0, 10])
    expect(figures(cache, prompt, 3 * FIVE_MINUTES)).toEqual([0, 2_000, 0, 10])
    const long = ['system 3000 1h', 'messages 10']
    figures(cache, long, 0)
    expect(figures(cache, long, ONE_HOUR - 1)).toEqual([3_000, 0, 0, 10])
    expect(figures(cache, long, 2 * ONE_HOUR)).toEqual([0, 3_000, 3_000, 10])
  })

  it('reads nothing behind a change, and everything before it that was marked', () => {
    const cache = new MarkedCache(MIN_TOKENS)
    figures(cache, ['tools 2000 5m', 'system 500 5m', 'messages 300 5m'])
    expect(figures(cache, ['tools 2000 5m', 'system 501 5m', 'messages 300 5m'])).toEqual([
      2_000, 801, 0, 0,
    ])
    expect(figures(cache, ['tools 2001 5m', 'system 500 5m', 'messages 300 5m'])).toEqual([
      0, 2_801, 0, 0,
    ])
  })

  it('loses the messages, not tools and system, where tool choice or thinking change', () => {
    const cache = new MarkedCache(MIN_TOKENS)
    const prompt = ['tools 2000', 'system 500 5m', 'messages 300 5m']
    figures(cache, prompt, 0, 'auto')
    expect(figures(cache, prompt, 0, 'none')).toEqual([2_500, 300, 0, 0])
    expect(figures(cache, prompt, 0, 'auto')).toEqual([2_800, 0, 0, 0])
  })

  it('looks back twenty segments from a mark, and not one more [VALID-A17]', () => {
    const tail = (count: number) => [
      ...Array.from({ length: count - 1 }, (_, index) => `messages ${index + 1}`),
      'messages 99 5m',
    ]
    const within = new MarkedCache(MIN_TOKENS)
    figures(within, ['messages 2000 5m'])
    expect(figures(within, ['messages 2000', ...tail(19)])[0]).toBe(2_000)
    const beyond = new MarkedCache(MIN_TOKENS)
    figures(beyond, ['messages 2000 5m'])
    expect(figures(beyond, ['messages 2000', ...tail(20)])[0]).toBe(0)
  })

  it('is another cache for another model', () => {
    const cache = new MarkedCache(MIN_TOKENS)
    const prompt = segments('system 2000 5m')
    cache.account('one', '', prompt, 0)
    expect(cache.account('other', '', prompt, 0).readTokens).toBe(0)
    expect(cache.account('one', '', prompt, 0).readTokens).toBe(2_000)
  })
})

describe('a cache without marks', () => {
  const account = (cache: AutomaticCache, notations: readonly string[], nowMs = 0) =>
    cache.account('m', segments(...notations), nowMs, FIVE_MINUTES)

  it('counts what was sent before, in steps of 128 from 1024 on', () => {
    const cache = new AutomaticCache()
    expect(account(cache, ['system 1500', 'messages 300'])).toBe(0)
    // 1500 = 11 × 128 + 92
    expect(account(cache, ['system 1500', 'messages 301'])).toBe(1_408)
    // 1800 = 14 × 128 + 8
    expect(account(cache, ['system 1500', 'messages 300'])).toBe(1_792)
    const small = new AutomaticCache()
    account(small, ['system 1023'])
    expect(account(small, ['system 1023', 'messages 9'])).toBe(0)
  })

  it('forgets five minutes after the last use', () => {
    const cache = new AutomaticCache()
    account(cache, ['system 2048'], 0)
    expect(account(cache, ['system 2048'], FIVE_MINUTES - 1)).toBe(2_048)
    expect(account(cache, ['system 2048'], 2 * FIVE_MINUTES - 1)).toBe(0)
  })

  it('finds the common beginning of a segment that has grown', () => {
    const cache = new AutomaticCache()
    const prompt = (text: string): readonly Segment[] => [
      { level: 'messages', text, tokens: text.length / 4 },
    ]
    const begin = 'a'.repeat(8_192)
    cache.account('m', prompt(begin), 0, FIVE_MINUTES)
    // 8192 characters are 2048 of the 2304 tokens of the longer text
    expect(cache.account('m', prompt(begin + 'b'.repeat(1_024)), 0, FIVE_MINUTES)).toBe(2_048)
  })
})
