// Base64 in text: what is folded, what only looks like it, and that long lines take no longer than they are.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { foldBase64 } from './fold-base64.ts'

/** Bytes that look random, the same on every machine. */
function base64(bytes: number): string {
  let state = 1
  const data = Uint8Array.from({ length: bytes }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state >>> 16
  })
  return Buffer.from(data).toString('base64')
}

function wrapped(text: string, chars: number, lineBreak = '\n'): string {
  return (text.match(new RegExp(`.{1,${chars}}`, 'g')) ?? []).join(lineBreak)
}

const LONG = base64(3_000) // 4,000 characters
const SHORT = base64(600) // 800

const FOLDED: readonly (readonly [string, string, string])[] = [
  ['a bare run', `before ${LONG} after`, 'before [base64, 4,000 characters, ref e7@7] after'],
  ['a run and its padding', `${base64(3_001)}!`, '[base64, 4,004 characters, ref e7@0]!'],
  [
    'a run for addresses',
    LONG.replaceAll('+', '-').replaceAll('/', '_'),
    '[base64, 4,000 characters, ref e7@0]',
  ],
  [
    'a data URL, the shorter ones as well',
    `<img src="data:image/png;base64,${SHORT}">`,
    '<img src="[base64 image/png, 822 characters, ref e7@10]">',
  ],
  [
    'a data URL with parameters',
    `url(data:image/svg+xml;charset=utf-8;base64,${SHORT})`,
    'url([base64 image/svg+xml, 840 characters, ref e7@4])',
  ],
  ['a data URL without a type', `data:;base64,${SHORT}`, '[base64, 813 characters, ref e7@0]'],
  [
    'lines of one length',
    `a:\n${wrapped(LONG, 76)}\nb`,
    'a:\n[base64, 4,052 characters, ref e7@3]\nb',
  ],
  [
    'lines with both characters of a line break',
    wrapped(LONG, 64, '\r\n'),
    '[base64, 4,124 characters, ref e7@0]',
  ],
  [
    'several runs, each with its place',
    `${LONG} ${LONG}`,
    '[base64, 4,000 characters, ref e7@0] [base64, 4,000 characters, ref e7@4001]',
  ],
]

const LEFT: readonly (readonly [string, string])[] = [
  ['short runs', `token ${base64(1_500)}`],
  ['short data URLs', `data:image/gif;base64,${base64(43)}`],
  ['a line of dashes', '-'.repeat(5_000)],
  ['a long name', 'snake_case_word_'.repeat(500)],
  ['long hexadecimal', '0123456789abcdef'.repeat(500)],
  [
    'lines of hashes',
    `${'9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n'.repeat(99)}`,
  ],
  ['words', 'The quick brown fox jumps over 13 lazy dogs. '.repeat(200)],
  ['words without spaces between lines', 'src/Core/Context7\n'.repeat(500)],
  ['nothing', ''],
]

describe('folding base64', () => {
  it.each(FOLDED)('folds %s', (_, text, expected) => {
    const folded = foldBase64(text, 'e7')
    expect(folded.text).toBe(expected)
    expect(foldBase64(folded.text, 'e7').folded).toEqual([])
    // The ref is enough to find what was folded.
    for (const { at, length } of folded.folded)
      expect(text.slice(at, at + length)).toMatch(/^(data:.*;base64,)?[\w+/=\r\n-]+$/)
  })

  it.each(LEFT)('leaves %s', (_, text) => {
    expect(foldBase64(text)).toEqual({ text, folded: [] })
  })

  it('leaves ordinary texts of every kind', () => {
    const folder = new URL('../../../test/texts/', import.meta.url)
    for (const name of readdirSync(folder)) {
      const text = readFileSync(new URL(name, folder), 'utf8')
      expect(foldBase64(text), name).toEqual({ text, folded: [] })
    }
  })

  it('tells the kind and the place, without an entry as well', () => {
    expect(foldBase64(`x data:image/png;base64,${SHORT}`)).toEqual({
      text: 'x [base64 image/png, 822 characters, ref @2]',
      folded: [{ at: 2, length: 822, mimeType: 'image/png' }],
    })
  })

  it('comes to an end on lines of ten million characters', () => {
    const ends = [
      'a'.repeat(10_000_000),
      `${'A1b'.repeat(20)}\n`.repeat(160_000),
      `${'A1b'.repeat(20)}\n!\n`.repeat(150_000),
      'data:;base64,'.repeat(800_000),
      '='.repeat(10_000_000),
    ].map((text) => foldBase64(text).text.length > 0)
    expect(ends).toEqual([true, true, true, true, true])
  })
})
