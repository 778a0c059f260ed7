// Markdown on a terminal: an answer that grows looks in the end as one that was there at once.
import { visibleWidth } from '@earendil-works/pi-tui'
import { describe, expect, it } from 'vitest'
import { type GrowingLines, growMarkdown, markdownLines } from './markdown-lines.ts'
import { createTheme } from './theme.ts'

const theme = createTheme(false)

const ANSWER = `# Plan

First a paragraph that is long enough to be wrapped over more than one line of a narrow terminal.

1. one
2. two

   with a second paragraph

3. three

\`\`\`ts
const a = 1

const b = 2
\`\`\`

| a | b |
|---|---|
| 1 | 日本 |

> quoted

The end.`

describe('growMarkdown', () => {
  for (const width of [20, 60, 120])
    it(`ends as the whole does, at ${width} columns`, () => {
      let grown: GrowingLines | undefined
      for (let end = 1; end <= ANSWER.length; end += 3)
        grown = growMarkdown(ANSWER.slice(0, end), width, theme, grown)
      grown = growMarkdown(ANSWER, width, theme, grown)
      const tidy = (lines: readonly string[]) => lines.filter((line) => line !== '')
      expect(tidy(grown.lines)).toEqual(tidy(markdownLines(ANSWER, width, theme)))
      expect(grown.doneUntil).toBeGreaterThan(ANSWER.length / 2)
      for (const line of grown.lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width)
    })
})

describe('markdownLines', () => {
  it('lets no entity or link bring a control into the terminal', () => {
    const text = 'a &#27;[31m &#x1b;]0;x [l](http://x\u001b]0;evil\u0007) `\u001b[2J`'
    const shown = markdownLines(text, 80, theme).join('\n')
    expect(shown).not.toContain('\u001b[31m')
    expect(shown).not.toContain('\u001b[2J')
    expect(shown).not.toContain('\u001b]0;')
  })
})
