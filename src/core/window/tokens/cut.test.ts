// Cutting never breaks a character.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/scale.ts'
import { cutHead, cutTail } from './cut.ts'

const FAMILY = '👩‍👩‍👧' // three emoji and two joiners, 8 units

describe('cutHead and cutTail', () => {
  it.each([
    ['abc', 2, 'ab', 'bc'],
    ['abc', 3, 'abc', 'abc'],
    ['abc', 9, 'abc', 'abc'],
    ['abc', Number.POSITIVE_INFINITY, 'abc', 'abc'],
    ['abc', 0, '', ''],
    ['abc', -1, '', ''],
    ['abc', Number.NaN, '', ''],
    ['abc', 1.9, 'a', 'c'],
    ['', 5, '', ''],
    ['😀😀', 1, '', ''],
    ['😀😀', 3, '😀', '😀'],
    ['a😀b', 2, 'a', 'b'],
    ['e\u0301x', 1, '', 'x'], // the accent goes with its letter
    ['xe\u0301', 2, 'x', 'e\u0301'],
    [`a${FAMILY}b`, 5, 'a', 'b'],
    ['a👍🏽b', 3, 'a', 'b'], // thumb and skin tone
    ['a☝️b', 2, 'a', 'b'], // a sign and what makes it an emoji
  ])('%j at %d gives %j and %j [ALWAYS-17]', (text, maxChars, head, tail) => {
    expect(cutHead(text, maxChars)).toBe(head)
    expect(cutTail(text, maxChars)).toBe(tail)
  })

  it('gives up on a character that never ends, but not on surrogate pairs [ALWAYS-17]', () => {
    const endless = '👍🏽'.concat('\u200d👍🏽'.repeat(100))
    for (let maxChars = 60; maxChars < 70; maxChars += 1) {
      expect(cutHead(endless, maxChars).length).toBeGreaterThanOrEqual(maxChars - 1)
      expect(cutHead(endless, maxChars).isWellFormed()).toBe(true)
      expect(cutTail(endless, maxChars).length).toBeGreaterThanOrEqual(maxChars - 1)
      expect(cutTail(endless, maxChars).isWellFormed()).toBe(true)
    }
  })

  const unit = fc.constantFrom('a', ' ', '\n', '漢', 'é', 'e\u0301', '😀', '👍🏽', '🇨🇭', FAMILY)
  const lone = fc.constantFrom('\ud83d', '\ude00')
  const length = fc.integer({ min: -2, max: 120 })

  it('keeps within the length, cuts one end only, and leaves no half pair [ALWAYS-17]', () => {
    const text = fc.array(unit, { maxLength: 60 }).map((units) => units.join(''))
    fc.assert(
      fc.property(text, length, (whole, maxChars) => {
        const head = cutHead(whole, maxChars)
        const tail = cutTail(whole, maxChars)
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true)
        for (const cut of [head, tail]) {
          expect(cut.length).toBeLessThanOrEqual(Math.max(0, maxChars))
          expect(cut.isWellFormed()).toBe(true)
          if (cut !== whole) expect(cut.length).toBeGreaterThanOrEqual(maxChars - FAMILY.length)
        }
      }),
      runs(),
    )
  })

  it('makes no new half pairs where the text has some [ALWAYS-17]', () => {
    const text = fc.array(fc.oneof(unit, lone), { maxLength: 60 }).map((units) => units.join(''))
    fc.assert(
      fc.property(text, length, (whole, maxChars) => {
        const halves = halvesOf(whole)
        expect(halvesOf(cutHead(whole, maxChars))).toBeLessThanOrEqual(halves)
        expect(halvesOf(cutTail(whole, maxChars))).toBeLessThanOrEqual(halves)
      }),
      runs(),
    )
  })
})

function halvesOf(text: string): number {
  return [...text].filter((character) => !character.isWellFormed()).length
}
