// Long outputs: what is kept, what is shown, and that no character is torn.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/scale.ts'
import { limitedOutcome, limitOutput, OUTPUT_LIMITS } from './limit-output.ts'

const SMALL = { shownChars: 600, lineChars: 100, keptChars: 5_000 }
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

function numbered(lines: number): string {
  return Array.from({ length: lines }, (_, n) => `line ${n + 1}`).join('\n')
}

describe('limitOutput', () => {
  it('leaves a short text alone', () => {
    expect(limitOutput('one\ntwo\n', SMALL)).toEqual({ whole: 'one\ntwo\n' })
    expect(limitOutput('', SMALL)).toEqual({ whole: '' })
  })

  it('shows head and tail, and says how much is between them', () => {
    const text = numbered(200)
    const { whole, shown = '' } = limitOutput(text, SMALL)
    expect(whole).toBe(text)
    expect(shown).toMatch(/^line 1\nline 2\n/)
    expect(shown).toMatch(/\nline 199\nline 200$/)
    const left = Number(/\[… (\d+) lines, [\d,]+ characters left out …\]/.exec(shown)?.[1])
    expect(shown.split('\n').length - 1 + left).toBe(200)
  })

  it('cuts a single huge line, too', () => {
    const { whole, shown = '' } = limitOutput('x'.repeat(3_000), SMALL)
    expect(whole).toHaveLength(3_000)
    expect(shown).toBe(`${'x'.repeat(100)}… [2,900 more characters in this line]`)
  })

  it('keeps the ends of what is more than the log may hold, and says so', () => {
    const { whole } = limitOutput(`start${'\n.'.repeat(4_000)}end`, SMALL)
    expect(whole).toMatch(/^start/)
    expect(whole).toMatch(/end$/)
    expect(whole).toMatch(/\[… 3,\d+ characters left out here and not kept …\]/)
  })

  it('never shows more than the limit and never tears a character [ALWAYS-17]', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '\n', '😀', '👩‍👩‍👧', 'é', '漢'),
      maxLength: 6_000,
    })
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 2_000 }), (given, shownChars) => {
        const { whole, shown = whole } = limitOutput(given, { ...SMALL, shownChars })
        expect(shown.length).toBeLessThanOrEqual(Math.max(shownChars, 360))
        expect(whole.length).toBeLessThanOrEqual(SMALL.keptChars + 120)
        expect(LONE_SURROGATE.test(whole) || LONE_SURROGATE.test(shown)).toBe(false)
      }),
      runs(200),
    )
  })

  it('puts the ending behind both', () => {
    const long = limitedOutcome(
      { status: 'failed', text: numbered(200), ending: '[exit code 1]', metadata: { exitCode: 1 } },
      SMALL,
    )
    expect(long.status).toBe('failed')
    expect(long.metadata).toEqual({ exitCode: 1 })
    expect(long.content[0]?.text).toMatch(/line 200\n\[exit code 1\]$/)
    expect(long.shown?.[0]?.text).toMatch(/line 200\n\[exit code 1\]$/)
    const short = limitedOutcome({ status: 'completed', text: '', ending: 'done' }, OUTPUT_LIMITS)
    expect(short).toEqual({ status: 'completed', content: [{ type: 'text', text: 'done' }] })
  })
})
