// Plain text in a box: tables keep their columns where they fit.
import { expect, it } from 'vitest'
import { plainLines } from './plain-lines.ts'
import { createTheme } from './theme.ts'

it('leaves figures beside their names', () => {
  const lines = [
    '  assistant         3,287 → 3,287',
    '  results of Bash  20,442 → 3,311',
    '  thinking            784 → 0',
  ]
  expect(plainLines(lines.join('\n'), 56, createTheme(false))).toEqual(lines)
})
