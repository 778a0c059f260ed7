// What words a text is found by.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { findWords, isAsked, queryWords } from './words.ts'

function words(text: string): string {
  return [...findWords(text)].map(({ word }) => word).join(' ')
}

const WORDS: readonly (readonly [text: string, words: string])[] = [
  ['Read the log.', 'read the log'],
  ['parseConfig', 'parseconfig parse config'],
  ['parse_config PARSE_CONFIG', 'parseconfig parse config parseconfig parse config'],
  ['HTMLParser2', 'htmlparser2 html parser 2'],
  ['utf8', 'utf8 utf 8'],
  ['src/core/ports.ts', 'src core ports.ts port ts'],
  ['./read-row.test.ts:12', 'read row.test.ts row test ts 12'],
  ['$HOME __init__', 'home init'],
  ['3.14', '3.14 3 14'],
  ['café Ångström ΆΓΙΟΣ', 'cafe angstrom αγιοσ'],
  ['ｆｕｌｌ ﬁle', 'full file'],
  ['部署', '部署 署'],
  ['部署方案', '部署 署方 方案 案'],
  ['デプロイする', 'デプ プロ ロイ イす する る'],
  ['배포 계획', '배포 포 계획 획'],
  ['用parseConfig部署', '用 parseconfig parse config 部署 署'],
  ['हिन्दी', 'हिन्दी'],
  ['x'.repeat(100), 'x'.repeat(64)],
  ['', ''],
  ['... --- 👩‍👩‍👧', ''],
]

const SAME: readonly string[] = [
  'config configs Configs',
  'query queries',
  'class classes',
  'patch patches',
  'cache caches',
  'cookie cookies',
  'index indexes',
  'file files',
  'parseConfig parse_configs',
  'key keys',
  'hash hashes',
  'database databases',
]
const OTHERS: readonly string[] = [
  'status statu',
  'this thi',
  'css cs',
  'note not',
  'ports.ts ports.t',
]

describe('one and several', () => {
  it.each(SAME)('are the same word: %s', (forms) => {
    const found = forms.split(' ').map((form) => words(form).split(' ')[0])
    expect(new Set(found).size).toBe(1)
  })

  it.each(OTHERS)('are not these: %s', (forms) => {
    const found = forms.split(' ').map((form) => words(form).split(' ')[0])
    expect(new Set(found).size).toBe(2)
  })
})

describe('the words of a text', () => {
  it.each(WORDS)('%s', (text, expected) => expect(words(text)).toBe(expected))

  it('stand where they are said to stand, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        for (const { word, start, end } of findWords(text)) {
          expect(word.length).toBeGreaterThan(0)
          expect(start).toBeLessThan(end)
          expect(end).toBeLessThanOrEqual(text.length)
          expect(word).not.toMatch(/\s/)
        }
      }),
      runs(),
    )
  })

  it('of a query find every text that has it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        (before, query) => {
          const there = [...findWords(`${before} ${query} .`)].map(({ word }) => word)
          for (const asked of queryWords(query))
            expect(there.some((word) => isAsked(word, [asked]))).toBe(true)
        },
      ),
      runs(),
    )
  })

  it('of a query are each there once; a single character of an unspaced script is a beginning', () => {
    expect(queryWords('config Config 部')).toEqual([
      { word: 'config', isPrefix: false },
      { word: '部', isPrefix: true },
    ])
    expect(isAsked('部署', queryWords('部'))).toBe(true)
    expect(isAsked('configure', queryWords('config'))).toBe(false)
    expect(
      queryWords(Array.from({ length: 99 }, (_, index) => `w${index}x`).join(' ')),
    ).toHaveLength(32)
  })
})
