// What people see of a text: every character of a command, and none that steers a terminal.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { escapeHidden, escapeSteering, escapeTexts, printableJson } from './visible.ts'

/** By class, one or two of each. */
const HIDDEN: readonly (readonly [string, string])[] = [
  ['controls', '\u0000\u0007\b\t\u000b\r\u001b\u007f'],
  ['the second set of controls', '\u0080\u0085\u009b\u009d'],
  ['directions', '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'],
  ['no width', '\u200b\u200c\u200d\u2060\u2061\ufeff\u00ad\u034f\u180e'],
  ['fillers', '\u115f\u1160\u3164\uffa0\u2800'],
  ['variation selectors', '\ufe0f\ufe00\u{e0100}'],
  ['tags', '\u{e0001}\u{e0041}\u{e007f}'],
  ['blanks that are not the blank', '\u00a0\u2003\u202f\u3000'],
  ['line ends of their own', '\u2028\u2029'],
  ['half a character', '\ud83d'],
  ['private and unassigned ones', '\ue000\uffff'],
  ['marks that strike out or enclose', '\u0336\u0338\u20dd\u20de\u20e5\u0488'],
]

describe('escapeHidden', () => {
  it.each(HIDDEN)('shows %s by number', (_, characters) => {
    for (const character of characters) {
      const shown = escapeHidden(`a${character}b`)
      const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
      expect(shown).toBe(`a[U+${code}]b`)
    }
  })

  it('leaves what is seen: scripts, emoji, signs, lines', () => {
    const text = 'echo "日本 é שלום 👍" && ls\n  # done'
    expect(escapeHidden(text)).toBe(text)
  })

  it('leaves the marks of a letter, and shows those piled on it', () => {
    const word = 'tie\u0302\u0301ng שָׁל֖וֹם นี้'
    expect(escapeHidden(word)).toBe(word)
    expect(escapeHidden(`a${'\u0301'.repeat(6)}b`)).toBe(
      `a${'\u0301'.repeat(4)}${'[U+0301]'.repeat(2)}b`,
    )
  })

  it('loses nothing: two texts look the same only if they say what the other shows', () => {
    const unit = fc.oneof(
      fc.constantFrom(...HIDDEN.flatMap(([, characters]) => [...characters])),
      fc.constantFrom('a', ' ', '\n', ';', ']', '\\'),
    )
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const back = escapeHidden(text).replace(/\[U\+([0-9A-F]+)\]/g, (_, code) =>
          String.fromCodePoint(Number.parseInt(code, 16)),
        )
        expect(back).toBe(text)
      }),
      runs(),
    )
  })
})

describe('escapeSteering', () => {
  it('leaves what scripts and emoji need, tabs and line ends', () => {
    const text = 'a\tb\r\n👩‍👩‍👧‍👦 ❤️ می‌خواهم \u200fא'
    expect(escapeSteering(text)).toBe(text)
  })

  it('shows titles, the clipboard and a lone return', () => {
    expect(escapeSteering('\u001b]52;c;QQ==\u0007a\rb')).toBe(
      '[U+001B]]52;c;QQ==[U+0007]a[U+000D]b',
    )
  })

  it('reaches every text of a value, names of fields included', () => {
    const at = new Date(0)
    expect(escapeTexts({ a: ['\u001b', { '\u0007': 1, at }], n: null })).toEqual({
      a: ['[U+001B]', { '[U+0007]': 1, at }],
      n: null,
    })
  })
})

describe('printableJson', () => {
  it('is the same value for a program, and has no control in it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('\u001b', '\u009b', '\u202e', 'a', '"', '\u{e0041}') }),
        (text) => {
          const json = printableJson({ text }, 2)
          expect(JSON.parse(json)).toEqual({ text })
          expect(json).not.toMatch(/(?!\n)\p{Cc}|\u202e|\u{e0041}/u)
        },
      ),
      runs(),
    )
  })
})
