// What is shown of a text that was found.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { buildSnippet } from './documents.ts'
import { queryWords } from './words.ts'

/** The snippet with its marks in brackets. */
function shown(text: string, query: string, maxChars = 40): string {
  const snippet = buildSnippet(text, queryWords(query), maxChars)
  let [line, end] = ['', 0]
  for (const [from, to] of snippet.marks) {
    line += `${snippet.text.slice(end, from)}[${snippet.text.slice(from, to)}]`
    end = to
  }
  return line + snippet.text.slice(end)
}

const SHOWN: readonly (readonly [text: string, query: string, shown: string])[] = [
  ['a kettle on the stove', 'kettle', 'a [kettle] on the stove'],
  ['call parseConfig twice', 'config', 'call parse[Config] twice'],
  ['call parseConfig twice', 'parseConfig', 'call [parseConfig] twice'],
  ['请部署到生产', '部署', '请[部署]到生产'],
  ['two\n\n  lines', 'lines', 'two [lines]'],
  [
    `${'x '.repeat(99)}here ${'y '.repeat(99)}`,
    'here',
    '…x x x x x x [here] y y y y y y y y y y y…',
  ],
  [
    'one and far away two; two one',
    'one two',
    'one and far away two; two one'.replace(/one|two/g, '[$&]'),
  ],
  ['nothing of it', 'kettle', 'nothing of it'],
]

describe('a snippet', () => {
  it.each(SHOWN)('%j by %j', (text, query, expected) => expect(shown(text, query)).toBe(expected))

  it('of any text is short, one line, marks words in order, and breaks no character [ALWAYS-17]', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 })
    fc.assert(
      fc.property(text, fc.string({ unit: 'grapheme', maxLength: 5 }), (said, query) => {
        const { text: line, marks } = buildSnippet(said, queryWords(query), 60)
        expect(line.length).toBeLessThanOrEqual(62)
        expect(line).not.toContain('\n')
        if (said.isWellFormed()) expect(line.isWellFormed()).toBe(true)
        let end = 0
        for (const [from, to] of marks) {
          expect(from).toBeGreaterThanOrEqual(end)
          expect(to).toBeGreaterThan(from)
          end = to
        }
        expect(end).toBeLessThanOrEqual(line.length)
      }),
      runs(),
    )
  })
})
