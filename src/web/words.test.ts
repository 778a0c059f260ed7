// Sentences of the page that depend on figures.
import { describe, expect, it } from 'vitest'
import { billedWarning } from './words.ts'

describe('the billed sum', () => {
  it('warns near the limit of one window, and not before', () => {
    expect(billedWarning({ percentUsed: 50, nearLimit: false })).toBeUndefined()
    for (const percentUsed of [80, 99.9])
      expect(billedWarning({ percentUsed, nearLimit: true })).toBe(
        'The billed sum is near the limit of one window.',
      )
  })

  it('says when it is larger than one window', () => {
    for (const percentUsed of [100, 250])
      expect(billedWarning({ percentUsed, nearLimit: true })).toBe(
        'The billed sum is larger than one window.',
      )
  })
})
