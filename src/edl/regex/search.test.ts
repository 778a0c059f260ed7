// The search finds what JavaScript's own engine finds, in linear time, and says what it cannot do.
import { describe, expect, it } from 'vitest'
import { Random } from '../../../test/generate/random.ts'
import { SEED, scaled } from '../../../test/scale.ts'
import { compileRegex } from './compile-regex.ts'
import { searchAll } from './search.ts'

const PLENTY = 1_000_000_000
const PATTERNS = scaled(20_000)

function found(source: string, flags: string, text: string, steps = PLENTY): number[][] {
  const matches: number[][] = []
  const budget = { left: steps }
  searchAll(compileRegex(source, flags), text, budget, (start, end) => matches.push([start, end]))
  return matches
}

function foundNatively(source: string, flags: string, text: string): number[][] {
  const matches = text.matchAll(new RegExp(source, flags.includes('g') ? flags : `${flags}g`))
  // Without a reason in the pattern, the native engine also looks inside of a character.
  return Array.from(matches, ({ 0: match, index }) => [index, index + match.length]).filter(
    ([start = 0]) => (text.codePointAt(start - 1) ?? 0) <= 0xffff || start === 0,
  )
}

/** Steps that a search takes, all in all. */
function findSteps(source: string, text: string): number {
  const budget = { left: PLENTY }
  searchAll(compileRegex(source, ''), text, budget, () => undefined)
  return PLENTY - budget.left
}

const TEXT =
  'The cat, the Hat.\r\nno 12 3.5 \t end_of x\u2028y\u00a0zé ſK {2} [a] /b/ \0\x07\\c\n\n😀😁k<n>8'

const SAME: readonly [string, string][] = [
  ['', ''],
  ['the', 'i'],
  ['^.*$', ''],
  ['^.*$', 'm'],
  ['^.*$', 'ms'],
  ['.', 'u'],
  ['[^\\s]+', ''],
  ['\\s+', ''],
  ['\\w+', 'iu'],
  ['\\w+', 'i'],
  ['\\b\\w', ''],
  ['\\B.', 'u'],
  ['\\bſ', 'iu'],
  ['[a-c]|\\d{1,2}|x', ''],
  ['(?:a|at|cat)', ''],
  ['(t)(?<name>h)e', ''],
  ['(?=cat)c', ''],
  ['c(?!at)|e(?!nd)', ''],
  ['(?<=the )\\w', ''],
  ['(?<!t)h', 'i'],
  ['(?<=(?:a|b)t?)[,.]', ''],
  ['\\x61\\u0074', ''],
  ['\\u{1F600}|\\ud83d\\ude01', 'u'],
  ['\\u{2}', ''],
  ['\\p{Lu}', 'u'],
  ['\\P{L}', 'u'],
  ['\\p{L}', ''],
  ['\\cJ', ''],
  ['\\c', ''],
  ['\\0', ''],
  ['\\7|\\07|\\8|\\101', ''],
  ['\\1', ''],
  ['\\k<n>', ''],
  ['[\\b]|[\\d-x]|[]', ''],
  ['[^]', 'u'],
  ['a{', ''],
  ['[[]a[\\]]', ''],
  ['\\/b\\/', ''],
  ['x{0}y', ''],
  ['[a-z]{2,}?', ''],
  ['\\d+?\\.\\d*', ''],
  ['(?:)*', ''],
  ['(?:a*)*', ''],
  ['(?:a*?)*?,', ''],
  ['(?:|t)+h', ''],
  ['the|The', 'y'],
]

describe('a search', () => {
  it.each(SAME)('for /%s/%s finds what the native engine finds [EDL-20]', (source, flags) => {
    expect(found(source, flags, TEXT)).toEqual(foundNatively(source, flags, TEXT))
  })

  it('never cuts a character in half, whatever the flags', () => {
    expect(found('.', '', 'a😀b')).toEqual([
      [0, 1],
      [1, 3],
      [3, 4],
    ])
    expect(found('😀+', '', '😀😀')).toEqual([[0, 4]])
    expect(found('[^a]', '', 'a😀')).toEqual([[1, 3]])
    expect(found('[😀😁]', '', '😀😂😁')).toEqual([
      [0, 2],
      [4, 6],
    ])
    expect(found('\\ude00', '', '😀')).toEqual([])
    expect(found('(?<=.)b', '', '😀b')).toEqual([[2, 3]])
    expect(found('𐐀', 'i', '𐐀')).toEqual([[0, 2]])
  })

  it(`finds what the native engine finds for ${PATTERNS} random patterns (seed ${SEED})`, () => {
    const cases = new Random(SEED)
    let compared = 0
    while (compared < PATTERNS) {
      const flags = cases.pick(['', 'i', 'm', 's', 'u', 'iu', 'y', 'ms', 'msu'])
      const source = pattern(cases, 0)
      if (!isPattern(source, flags)) continue
      const text = Array.from({ length: cases.int(0, 10) }, () =>
        cases.pick([...(flags.includes('u') ? `${LETTERS}😀😁` : LETTERS)]),
      ).join('')
      expect(found(source, flags, text), `/${source}/${flags} on ${JSON.stringify(text)}`).toEqual(
        foundNatively(source, flags, text),
      )
      compared += 1
    }
  })
})

const LETTERS = 'aabbc \n1éſk_{}x-\r'
const ATOMS =
  'a b c . \\w \\d \\s \\S \\W [ab] [^a] [a-c] \\b \\B ^ $ [] [^] \\n é ſ 1 \\. \\x61 \\u0061 \\0 [\\d-x] { } ] - \\p{L} k'.split(
    ' ',
  )
const REPEATS = '* + ? *? +? ?? {2} {1,} {0,2} {1,3}? {0} {2,}?'.split(' ')

function pattern(random: Random, depth: number): string {
  const inner = () => pattern(random, depth + 1)
  switch (depth > 3 ? 0 : random.int(0, 9)) {
    case 3:
      return inner() + inner()
    case 4:
      return inner() + inner() + inner()
    case 5:
      return `(?:${inner()}|${random.chance(0.2) ? '' : inner()})`
    case 6:
      return `(${inner()})${random.pick(REPEATS)}`
    case 7:
      return random.pick(ATOMS) + random.pick(REPEATS)
    case 8:
      return `(?${random.pick(['=', '!', '<=', '<!'])}${inner()})`
    default:
      return random.pick(ATOMS)
  }
}

function isPattern(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags)
    return true
  } catch {
    return false
  }
}

describe('a pattern that cannot be searched for in linear time', () => {
  it.each([
    ['(a)\\1', ''],
    ['(?<n>a)\\k<n>', ''],
    ['(a)\\1', 'u'],
  ])('/%s/%s is refused [EDL-23]', (source, flags) => {
    expect(() => compileRegex(source, flags)).toThrow('references to a group')
  })

  it.each([
    ['(?:a{1000}){1000}', 'too large'],
    [`${'(?:'.repeat(201)}${')'.repeat(201)}`, 'nested more than 200 deep'],
    ['a{2,1}', 'numbers out of order'],
    ['a{5001}', 'counts to more than 5000'],
    ['(?:a?){0,99999}', 'counts to more than 5000'],
    ['(?:){999999999999}', 'counts to more than 5000'],
    [`${'(?:'.repeat(9)}${'){1000}'.repeat(9)}`, 'too large'],
    [`${'(?:'.repeat(9)}a?${'){0,9}'.repeat(9)}`, 'too large'],
    [`${'(?:'.repeat(40)}a?${')*'.repeat(40)}`, 'too large'],
  ])('%j is refused [EDL-23]', (source, says) => {
    expect(() => compileRegex(source, '')).toThrow(says)
  })
})

describe('a pattern that would run away elsewhere', () => {
  const RUNAWAYS: readonly [string, string, string][] = [
    ['(a+)+$', 'a', 'b'],
    ['(a|a)*b', 'a', 'c'],
    ['(a|aa)+$', 'a', 'b'],
    ['(.*)*x', 'a', '!'],
    ['(a*)*b', 'a', ''],
    ['a*b|a', 'a', ''], // each match looks to the end of the text for a b
    ['.*.*.*=x', 'a', ''],
    ['(?:a?){20}a{20}$', 'a', 'b'],
    ['(?=(?:a+)+b)a', 'a', ''],
  ]

  it.each(RUNAWAYS)('/%s/ takes steps in proportion to the text [EDL-23]', (source, unit, end) => {
    const few = findSteps(source, unit.repeat(1_000) + end)
    const many = findSteps(source, unit.repeat(10_000) + end)
    expect(many / few).toBeLessThan(11)
    expect(many / 10_000).toBeLessThan(400)
  })

  it('ends with an error where even that is too much [EDL-23]', () => {
    const text = `${'a'.repeat(100_000)}z`
    // What is found ahead each time anew takes the square of the text.
    expect(() => found('(?=[^]*z)a', '', text, 1_000_000)).toThrow('searching takes too long')
    expect(found('(?=[^]*y)a', '', text, 1_000_000)).toEqual([])
  })
})
