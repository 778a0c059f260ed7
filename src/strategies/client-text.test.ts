// What nobody typed is told from what somebody did.
import { describe, expect, it } from 'vitest'
import { isOfClient } from './client-text.ts'

const CASES: readonly (readonly [text: string, isOfClient: boolean])[] = [
  ['<system-reminder>The list is empty.</system-reminder>', true],
  [
    ' <system-reminder>a</system-reminder>\n<local-command-stdout>b\nc</local-command-stdout>\n',
    true,
  ],
  ['<system-reminder></system-reminder>', true],
  ['<system-reminder>a</system-reminder> Go on.', false],
  ['Why is there <system-reminder>a</system-reminder>', false],
  ['<system-reminder>Go on.', false],
  ['<command-name>/fix</command-name><command-args>the port</command-args>', false],
  ['', false],
  ['Go on.', false],
]

describe('messages of a client', () => {
  it.each(CASES)('%j: %s', (text, expected) => {
    expect(isOfClient(text)).toBe(expected)
  })

  it('may have several parts, but no image: that was sent by somebody', () => {
    const reminder = { type: 'text', text: '<system-reminder>a</system-reminder>' } as const
    const image = { type: 'image', media: { mimeType: 'image/png', data: '' } } as const
    expect(isOfClient([reminder, reminder])).toBe(true)
    expect(isOfClient([reminder, image])).toBe(false)
  })

  it('are passed once each, whatever stands in them', () => {
    expect(isOfClient('<system-reminder>'.repeat(200_000))).toBe(false)
    expect(isOfClient('<bash-stdout></bash-stdout>'.repeat(100_000))).toBe(true)
  })
})
