// Tests how the page shows what a compaction saved.
import { expect, it } from 'vitest'
import { savedText } from './shown-text.ts'

it.each([
  [200, 50, '−75 %'],
  [50, 60, '+20 %'],
  [100, 100, '0 %'],
  [100_000, 99_999, '0 %'],
  [undefined, 60, 'unknown'],
  [60, undefined, 'unknown'],
  [0, 60, 'unknown'],
])('shows what was saved from %s to %s as %s', (before, after, shown) => {
  expect(savedText(before, after)).toBe(shown)
})
