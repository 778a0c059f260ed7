// Text for a terminal: harmless, in columns; bars; budgets as people write them.
import { describe, expect, it } from 'vitest'
import { budgetTokens, parseBudget } from '../settings/settings.ts'
import { bar, oneLine, padColumns, thousands } from './terminal.ts'

describe('one line', () => {
  for (const [name, text, columns, expected] of [
    ['short text stays', 'abc', 5, 'abc'],
    ['text that just fits stays', 'abcde', 5, 'abcde'],
    ['longer text is cut', 'abcdef', 5, 'abcd…'],
    ['wide letters count twice', '銀河鉄道', 6, '銀河…'],
    ['a flag is not cut in half', '🇯🇵🇯🇵🇯🇵', 5, '🇯🇵🇯🇵…'],
    ['no escape sequence gets through', 'a\u001b[31mred\u0007\nb', 20, 'a [31mred b'],
    ['no change of direction gets through', 'a\u202eb\u2066c', 20, 'a b c'],
    ['very long text is cut early', 'x'.repeat(1_000_000), 4, 'xxx…'],
  ] as const)
    it(name, () => {
      expect(oneLine(text, columns)).toBe(expected)
    })

  it('is padded by what it takes on the screen', () => {
    expect(padColumns('銀', 4)).toBe('銀  ')
    expect(padColumns('abcd', 2)).toBe('abcd')
  })
})

describe('a bar', () => {
  for (const [share, expected] of [
    [0, ''],
    [0.00001, '▏'],
    [0.5, '█████'],
    [0.55, '█████▌'],
    [1, '██████████'],
  ] as const)
    it(`of ${share}`, () => {
      expect(bar(share, 10)).toBe(expected)
    })
})

it('groups digits', () => {
  expect(thousands(1234567)).toBe('1,234,567')
})

describe('a budget', () => {
  for (const [text, tokens] of [
    ['500', 500],
    ['1', 1],
    ['50%', 400],
    ['100%', 800],
    ['12.5%', 100],
    ['0.1%', 0],
    ['50k', 50_000],
    ['1.5K', 1_500],
    ['0.5M', 500_000],
  ] as const)
    it(`${text} of 800 is ${tokens}`, () => {
      expect(budgetTokens(parseBudget(text), 800)).toBe(tokens)
    })

  for (const text of [
    '0',
    '-5',
    'abc',
    '101%',
    '0%',
    '',
    ' ',
    '1e3',
    '5x',
    '0.0001k',
    '5 k',
    'k',
    '%',
    '1.5',
    '99999999999999999999',
  ])
    it(`${JSON.stringify(text)} is none`, () => {
      expect(() => parseBudget(text)).toThrow(
        expect.objectContaining({ code: 'usage', where: '--budget' }),
      )
    })
})
