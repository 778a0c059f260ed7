// The exact counter, and the two traps of the tokenizer under it.
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/scale.ts'
import { cutLongRuns, LONGEST_RUN_CHARS, loadO200k } from './o200k.ts'

const o200k = await loadO200k()
const allowed = { disallowedSpecial: new Set<string>() }

describe('the o200k counter', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['unbelievable', 3],
    ['你好，世界', 3],
    ['1234567', 3],
  ])('counts %j as %i', (text, tokens) => {
    expect(o200k.count(text)).toBe(tokens)
  })

  it('takes the names of special tokens for text', () => {
    const text = 'before <|endoftext|> after <|im_start|>user'
    expect(() => countTokens(text)).toThrow(/special/i) // the trap is still there
    expect(o200k.count(text)).toBe(countTokens(text, allowed))
    expect(o200k.count('<|endoftext|>')).toBeGreaterThan(1)
  })

  // Uncut, each of these takes a minute or more.
  it.each([
    ['one letter', 'a'.repeat(300_000)],
    ['changing letters', letters(300_000)],
    ['capitals', letters(300_000).toUpperCase()],
    ['Chinese', '天地玄黄宇宙洪荒'.repeat(20_000)],
    ['marks', '=-'.repeat(100_000)],
    ['marks with accents', '!!\u0301'.repeat(60_000)],
    ['lines of slashes', '/\n'.repeat(100_000)],
    ['spaces', ' '.repeat(300_000)],
    ['spaces and line ends', ' \n'.repeat(100_000)],
    ['emoji', '😀🎉'.repeat(30_000)],
    ['superscripts among letters', 'a\u2071'.repeat(80_000)],
  ])('counts a long run of %s in time', (_, text) => {
    const tokens = o200k.count(text)
    expect(tokens).toBeGreaterThan(1_000)
    expect(tokens).toBeLessThan(2 * text.length)
  })

  it('stays close where it cuts', () => {
    const run = letters(2_000)
    expect(o200k.count(run) / countTokens(run)).toBeCloseTo(1, 1)
  })

  it('is exact where nothing is cut', () => {
    const words = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 20 })
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join(' ')
        expect(o200k.count(text)).toBe(countTokens(text, allowed))
      }),
      runs(),
    )
  })
})

describe('cutLongRuns', () => {
  it('leaves a text whole that has no long run', () => {
    const text = 'a word of '
      .concat('x'.repeat(LONGEST_RUN_CHARS), ' letters, 日本語。\n')
      .repeat(3)
    expect(cutLongRuns(text)).toEqual([text])
  })

  it('cuts inside the run only', () => {
    const pieces = cutLongRuns(`before ${'x'.repeat(600)} after`)
    expect(pieces.map((piece) => piece.length)).toEqual([7 + 256, 256, 600 - 512 + 6])
  })

  it('loses nothing and splits no surrogate pair [ALWAYS-17]', () => {
    const unit = fc.constantFrom('a', '😀', '𝒳', '漢', '!', '\u0301', ' ', '\n', '7')
    const run = fc.tuple(unit, fc.integer({ min: 1, max: 700 }))
    fc.assert(
      fc.property(fc.array(run, { maxLength: 6 }), fc.nat(1), (runs, shift) => {
        const text = 'x'.repeat(shift) + runs.map(([each, times]) => each.repeat(times)).join('')
        const pieces = cutLongRuns(text)
        expect(pieces.join('')).toBe(text)
        for (const piece of pieces) expect(piece.isWellFormed()).toBe(true)
      }),
      runs(),
    )
  })
})

/** Letters that change all the time, the same on every run. */
function letters(length: number): string {
  let state = 7
  let text = ''
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    text += String.fromCharCode(97 + (Math.floor(state / 65_536) % 26))
  }
  return text
}
