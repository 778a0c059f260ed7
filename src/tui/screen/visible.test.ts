// Text of a transcript may not control the terminal.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { visible, visibleLine } from './text-lines.ts'

const CASES: readonly (readonly [string, string, string])[] = [
  ['colours', '\u001b[31mred\u001b[0m', 'red'],
  ['titles', '\u001b]0;evil\u0007a', '[U+001B]]0;evil[U+0007]a'],
  ['a sequence that never ends', '\u001b]0;evil', '[U+001B]]0;evil'],
  ['the bell and the backspace', 'a\u0007\bb', 'a[U+0007][U+0008]b'],
  ['the second set of controls', '\u009b31m', '[U+009B]31m'],
  ['lines of other systems', 'a\r\nb\rc', 'a\nb[U+000D]c'],
  ['a tab', 'a\tb', 'a    b'],
  ['turned directions', 'a\u202ebc\u2066d', 'a[U+202E]bc[U+2066]d'],
  ['half a character', 'a\ud83d', 'a[U+D83D]'],
  ['scripts and emoji', '日本 👩‍👩‍👧‍👦 é', '日本 👩‍👩‍👧‍👦 é'],
]

describe('visible', () => {
  for (const [what, text, shown] of CASES)
    it(`makes harmless: ${what}`, () => expect(visible(text)).toBe(shown))

  it('leaves no control character but the line feed in any text', () => {
    const unit = fc.constantFrom('\u001b', '[', ']', '3', 'm', '\u0007', '\n', '\\', 'x', '\u009d')
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must be absent
        expect(visible(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
        expect(visibleLine(text)).not.toContain('\n')
      }),
      runs(),
    )
  })

  it('takes linear time for endless openings', () => {
    const text = '\u001b]'.repeat(200_000)
    expect(visible(text)).toHaveLength(200_000 * '[U+001B]]'.length)
  })
})
